/* tests/corpus/deep/sequence-lock-buggy.tw */
byte number;
short left, right;

active proctype Writer() {
	byte i;
	do
	:: i < 16 ->
		number = (number + 1) % 32;
		left++;
		right++;
		number = (number + 1) % 32;
		i++
	:: else -> break
	od
}

active proctype Reader() {
	byte before;
	short l, r;
	before = number;
	before % 2 == 0;
	l = left;
	r = right;
	if :: number == before -> assert(l == r) :: else fi
}
