/* tests/corpus/deep/ticket-overflow-buggy.tw; what must hold is asserted after each step that can break it. */
byte next, serving, inside;

active proctype Patient() {
	byte mine;
	d_step { mine = next; next++ };
	serving == mine;
	d_step { inside++; assert(inside <= 1) };
	inside--;
	serving++
}

active proctype Hasty() {
	byte drawn;
	do :: drawn < 255 -> next++; drawn++ :: else -> break od
}

active proctype Late() {
	byte mine;
	next == 0;
	d_step { mine = next; next++ };
	serving == mine;
	d_step { inside++; assert(inside <= 1) };
	inside--;
	serving++
}
