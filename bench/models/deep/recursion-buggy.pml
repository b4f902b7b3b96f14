/* tests/corpus/deep/recursion-buggy.tw; SPIN has no procedures, and this one's frames are a number. */
short depth;

active proctype Diver() {
	byte n;
	do :: n <= 60 -> depth = depth + 1; n++ :: else -> break od;
	do :: n > 0 -> depth = depth - 1; n-- :: else -> break od;
	assert(depth == 0)
}

active proctype Thief() {
	short seen;
	seen = depth;
	depth = seen
}
