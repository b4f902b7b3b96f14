/* tests/corpus/deep/aba-buggy.tw; a bit of `freed` for each item. */
#define PREFIX 50
byte top = 1;
byte below[4];
bool ready;
bool freed[4];

active proctype Setup() {
	d_step { below[1] = 2; below[2] = 3; ready = true }
}

active proctype Slow() {
	byte old, next, i;
	ready;
	do :: i < PREFIX -> i++ :: else -> break od;
	old = top;
	next = below[old];
	atomic {
		if :: top == old -> assert(!freed[next]); top = next :: else fi
	}
}

active proctype Fast() {
	byte first, second, i;
	ready;
	do :: i < PREFIX -> i++ :: else -> break od;
	atomic { first = top; top = below[first] };
	d_step { second = top; top = below[second]; freed[second] = true };
	d_step { below[first] = top; top = first }
}
