/* Simple(N) of FQ, section 1.1, with N threads: spin -DN=4 ...
 *
 * The control points are those of simple.tw. As in bluetooth.pml, SPIN also
 * stores the death of processes; with -DSTAY they stay at their end and the
 * numbers of states are equal. The assertion in the acquire step stands for the
 * invariant that `x` is 1 while the mutex is free. Races are not checked here.
 */
#ifndef N
#define N 4
#endif

byte x = 1;
byte m; /* the holder's number, or 0 */

active [N] proctype Worker()
{
	d_step { m == 0 -> assert(x == 1); m = _pid + 1 };
	x = 0;
	x = x + 1;
	assert(x > 0);
	m = 0
#ifdef STAY
	; false
#endif
}
