// Peterson's mutual exclusion algorithm as a transition system.
// From CART, section 2.2.5, figure 2.2, with the exception set given there.
//
// A shared state abc stands for x = a, y = b and turn = c. Staying in the busy
// wait at C is no transition here, since it would change nothing.
//
// expect: SAFE
// modular: UNKNOWN
// states: 20
// As many as peterson.tw has.

shared 000 001 010 011 100 101 110 111

thread P1
  {000 100} A -> 100 B                       // x = 1
  {001 101} A -> 101 B
  {010 110} A -> 110 B
  {011 111} A -> 111 B
  {000 001} B -> 001 C                       // turn = 1
  {010 011} B -> 011 C
  {100 101} B -> 101 C
  {110 111} B -> 111 C
  {000 001 010 100 101 110} C -> * D         // until y = 0 or turn = 0
  {000 100} D -> 000 A                       // critical; x = 0
  {001 101} D -> 001 A
  {010 110} D -> 010 A
  {011 111} D -> 011 A

thread P2
  {000 010} A -> 010 B                       // y = 1
  {001 011} A -> 011 B
  {100 110} A -> 110 B
  {101 111} A -> 111 B
  {000 001} B -> 000 C                       // turn = 0
  {010 011} B -> 010 C
  {100 101} B -> 100 C
  {110 111} B -> 110 C
  {000 001 010 011 101 111} C -> * D         // until x = 0 or turn = 1
  {000 010} D -> 000 A                       // critical; y = 0
  {001 011} D -> 001 A
  {100 110} D -> 100 A
  {101 111} D -> 101 A

init 000 A A
error * D D

exceptions 110 B D
exceptions 110 C C
exceptions 111 D B
