// expect: SAFE
// A token that goes round three places; each thread works only while it has it.

shared t1 t2 t3

thread A
  t1 idle -> t1 work
  t1 work -> t2 idle

thread B
  t2 idle -> t2 work
  t2 work -> t3 idle

thread C
  t3 idle -> t3 work
  t3 work -> t1 idle

init t1 idle idle idle
error * work work *
error * * work work
error * work * work
