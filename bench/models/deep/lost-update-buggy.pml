/* tests/corpus/deep/lost-update-buggy.tw */
#define ROUNDS 100
short hits;
byte ready;

active [3] proctype Counter() {
	short t;
	byte i;
	do
	:: i < ROUNDS -> t = hits; hits = t + 1; i++
	:: else -> break
	od;
	ready++
}

active proctype Reader() {
	ready == 3;
	assert(hits == 3 * ROUNDS)
}
