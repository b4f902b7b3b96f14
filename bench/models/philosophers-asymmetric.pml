/* Dining philosophers of whom the last one takes the right fork first: spin -DN=4 ...
 *
 * The steps are those of philosophers-asymmetric.tw. There is no invalid end state.
 */
#ifndef N
#define N 4
#endif

#define FIRST (_pid == N - 1 -> 0 : _pid)
#define SECOND (_pid == N - 1 -> N - 1 : _pid + 1)

byte fork[N]; /* the holder's number, or 0 */

active [N] proctype Philosopher()
{
	do
	:: d_step { fork[FIRST] == 0 -> fork[FIRST] = _pid + 1 };
	   d_step { fork[SECOND] == 0 -> fork[SECOND] = _pid + 1 };
	   skip;
	   fork[SECOND] = 0;
	   fork[FIRST] = 0
	od
}
