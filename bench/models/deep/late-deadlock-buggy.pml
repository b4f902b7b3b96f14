/* tests/corpus/deep/late-deadlock-buggy.tw */
#define ROUNDS 100
#define acquire(m) atomic { m == 0 -> m = 1 }
#define release(m) m = 0
bit a, b;

active proctype Steady() {
	byte i;
	do
	:: i < ROUNDS -> acquire(a); acquire(b); release(b); release(a); i++
	:: else -> break
	od;
	acquire(a); acquire(b); release(b); release(a)
}

active proctype Turning() {
	byte i;
	do
	:: i < ROUNDS -> acquire(a); acquire(b); release(b); release(a); i++
	:: else -> break
	od;
	acquire(b); acquire(a); release(a); release(b)
}
