/* tests/corpus/deep/philosophers-buggy.tw */
#define N 5
#define THOUGHTS 60
#define acquire(m) atomic { m == 0 -> m = 1 }
#define release(m) m = 0
bit fork[N];

active [N] proctype Philosopher() {
	byte i;
	do :: i < THOUGHTS -> i++ :: else -> break od;
	acquire(fork[_pid]);
	acquire(fork[(_pid + 1) % N]);
	release(fork[(_pid + 1) % N]);
	release(fork[_pid])
}
