/* The lock class of CART, section 3.6: N threads go through M critical sections
 * of K locations each, over and over: spin -DN=3 -DM=2 -DK=2 ...
 *
 * A control point of lock-class.tw is a pair of locals here: `section` counts
 * the sections passed, and `location` is 0 before the section and the critical
 * location otherwise. The numbers of states are equal: nobody ends, and each
 * alternative of the loop is one step. `inside` follows from the other
 * variables and only serves the assertion.
 */
#ifndef N
#define N 3
#endif
#ifndef M
#define M 2
#endif
#ifndef K
#define K 2
#endif

bool lck;
byte inside;

active [N] proctype W()
{
	byte section, location;

	do
	:: d_step { location == 0 && !lck -> lck = true; inside++; assert(inside == 1); location = 1 }
	:: d_step { location > 0 && location < K -> location++ }
	:: d_step { location == K -> lck = false; inside--; location = 0; section = (section + 1) % M }
	od
}
