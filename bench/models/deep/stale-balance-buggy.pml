/* tests/corpus/deep/stale-balance-buggy.tw */
#define PAYMENTS 80
#define acquire(m) atomic { m == 0 -> m = 1 }
#define release(m) m = 0
bit m;
short balance;
byte ready;

active proctype Payer() {
	byte i;
	do
	:: i < PAYMENTS -> acquire(m); balance++; release(m); i++
	:: else -> break
	od;
	ready++
}

active proctype Careless() {
	short seen;
	byte i;
	do
	:: i < PAYMENTS -> acquire(m); balance++; release(m); i++
	:: else -> break
	od;
	seen = balance;
	acquire(m);
	balance = seen + 1;
	release(m);
	ready++
}

active proctype Auditor() {
	ready == 2;
	assert(balance == 2 * PAYMENTS + 1)
}
