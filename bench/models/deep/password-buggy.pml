/* tests/corpus/deep/password-buggy.tw, with inputs from 0 to 9 999: SPIN is told which there are. */
#define ROUNDS 40
bool open, away;

active proctype Visitor() {
	short code;
	select(code : 0 .. 9999);
	if :: code == 4711 -> open = true :: else fi
}

active proctype Guard() {
	byte i;
	do
	:: i < ROUNDS -> assert(!open || !away); i++
	:: else -> break
	od;
	away = true;
	assert(!open)
}
