// Four copies of a thread with a boolean lock and two points inside.
// In the class of CART, section 3.6, figure 3.11.
//
// Of a thread with copies the columns may be permuted: the error states are
// those in which any two of the copies are inside.
//
// expect: SAFE
// modular: UNKNOWN
// states: 9
// Everybody is outside, or one of the four is at one of the two points inside.

shared free taken

thread W[4]
  free out -> taken in1
  * in1 -> * in2
  * in2 -> free out

init free out^4
error * {in1 in2}^2 *^2
