/* The lock class of CART, section 3.6, where a thread parks after its last
 * section: spin -DN=3 -DM=2 -DK=1 ...
 *
 * A control point of lock-class-parked.tw is a pair of locals here: `section`
 * counts the sections passed, and `location` is 0 outside and the critical
 * location inside. A parked thread blocks in the loop and does not die, so the
 * numbers of states are equal. `inside` follows from the other variables and
 * only serves the assertion.
 */
#ifndef N
#define N 3
#endif
#ifndef M
#define M 2
#endif
#ifndef K
#define K 1
#endif

bool lck;
byte inside;

active [N] proctype W()
{
	byte section, location;

	do
	:: d_step { location == 0 && section < M && !lck -> lck = true; inside++; assert(inside == 1); location = 1 }
	:: d_step { location > 0 && location < K -> location++ }
	:: d_step { location == K -> lck = false; inside--; location = 0; section++ }
	od
}
