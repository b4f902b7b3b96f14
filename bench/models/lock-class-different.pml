/* The lock class of CART, section 3.6, with threads made different: thread i, from
 * 1, first passes i plain locations more than it has in the other sections:
 * spin -DN=3 -DM=2 ...
 *
 * The same control points as the program that `lock_class_different` of the test
 * suite writes: `location` is 0 at the plain ones, told apart by `k`, 1 before the
 * lock is taken, and 2 in the critical section. `inside` follows from the other
 * variables and only serves the assertion.
 */
#ifndef N
#define N 3
#endif
#ifndef M
#define M 1
#endif

bool lck;
byte inside;

active [N] proctype W()
{
	byte section, location, k;

	do
	:: d_step { location == 0 && k < _pid + 1 -> k++ }
	:: d_step { location == 0 && k == _pid + 1 -> location = 1 }
	:: d_step { location == 1 && !lck -> lck = true; inside++; assert(inside == 1); location = 2 }
	:: d_step { location == 2 -> lck = false; inside--; location = 0; section = (section + 1) % M }
	od
}
