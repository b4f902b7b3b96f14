/* tests/corpus/deep/counter-of-a-thousand-buggy.tw; what must hold is asserted after each step that can break it. */
#define MOST 1000
short level;

active [2] proctype Pump() {
	do
	:: level < MOST ->
		d_step { level = level + 1; assert(level <= MOST) }
	od
}
