// A thread that waits for a second pulse that never comes.
// From CART, section 2.2.5, "First thread waits", with the exception set given there.
//
// expect: SAFE
// modular: UNKNOWN
// states: 6
// They are 0AE, 1AF, 0AG, 1BF, 0BG and 0CG.

thread T1
  1 A -> * B
  0 B -> * C
  1 C -> * D

thread T2
  * E -> 1 F
  * F -> 0 G

init 0 A E
error * D *

exceptions 0 C G
exceptions 0 B G
