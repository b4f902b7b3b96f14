/* tests/corpus/deep/many-copies-buggy.tw, with eight guests: SPIN is told how many there are. */
byte seated;

active [8] proctype Guest() {
	d_step { seated < 8 -> seated++; assert(seated < 8) }
}
