/* The binary counter of CART, example 1.12.2, with N threads (two or more):
 * spin -DN=3 ...
 *
 * The three kinds of thread are one, as in binary-counter.tw. Nobody ends, so
 * the numbers of states are equal: 2^(N+1) - 1.
 */
#ifndef N
#define N 3
#endif
#define ME (_pid + 1)

byte t = 1;

active [N] proctype T()
{
	do
	:: d_step { t == ME -> t = 1 };
	   d_step { t == ME -> t = (ME == N -> 0 : ME + 1) }
	od
}
