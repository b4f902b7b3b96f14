// A lock that is free in the beginning, or held by either of the two threads.
// In the class of CART, section 2.2.5, "Programs with locks", whose first
// criterion allows this.
//
// The initial states are not all combinations of shared and local states: if
// they were, both threads could start inside.
//
// expect: SAFE
// modular: UNKNOWN

thread P1
  0 out -> 1 in
  1 in -> 0 out

thread P2
  0 out -> 1 in
  1 in -> 0 out

init 0 out out
init 1 in out
init 1 out in

error * in in
