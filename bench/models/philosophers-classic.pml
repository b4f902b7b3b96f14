/* Dining philosophers who all take the left fork first: spin -DN=4 ...
 *
 * The steps are those of philosophers-classic.tw. The deadlock is an invalid end state of SPIN's: pan without -E.
 */
#ifndef N
#define N 4
#endif

byte fork[N]; /* the holder's number, or 0 */

active [N] proctype Philosopher()
{
	do
	:: d_step { fork[_pid] == 0 -> fork[_pid] = _pid + 1 };
	   d_step { fork[(_pid + 1) % N] == 0 -> fork[(_pid + 1) % N] = _pid + 1 };
	   skip;
	   fork[(_pid + 1) % N] = 0;
	   fork[_pid] = 0
	od
}
