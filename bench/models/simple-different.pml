/* Simple(n) of FQ, section 1.1, with n = 4 different threads.
 * Thread i has i mod 7 + 1 steps that do nothing. As in simple.pml, SPIN also
 * stores the death of processes; with -DSTAY they stay at their end and the
 * numbers of states are equal. The assertion in the acquire step stands for the
 * invariant that `x` is 1 while the mutex is free. Races are not checked here.
 */
#ifdef STAY
#define END ; false
#else
#define END
#endif

byte x = 1;
byte m; /* the holder's number, or 0 */

active proctype T1()
{
	d_step { m == 0 -> assert(x == 1); m = 1 };
	x = 0;
	skip;
	skip;
	x = x + 1;
	assert(x > 0);
	m = 0
	END
}

active proctype T2()
{
	d_step { m == 0 -> assert(x == 1); m = 2 };
	x = 0;
	skip;
	skip;
	skip;
	x = x + 1;
	assert(x > 0);
	m = 0
	END
}

active proctype T3()
{
	d_step { m == 0 -> assert(x == 1); m = 3 };
	x = 0;
	skip;
	skip;
	skip;
	skip;
	x = x + 1;
	assert(x > 0);
	m = 0
	END
}

active proctype T4()
{
	d_step { m == 0 -> assert(x == 1); m = 4 };
	x = 0;
	skip;
	skip;
	skip;
	skip;
	skip;
	x = x + 1;
	assert(x > 0);
	m = 0
	END
}
