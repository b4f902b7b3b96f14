-- The lock class of CART, section 3.6, for rumur: N threads go through M
-- critical sections of K locations each, over and over.
-- A script may replace the numbers in the next declarations.
const
  N: 3;
  M: 2;
  K: 2;

-- A control point of lock-class.tw is a pair: the sections passed, and 0
-- outside or the critical location inside.

type
  Wid: scalarset(N);

var
  lck: boolean;
  thread: array [Wid] of record
    section: 0..M - 1;
    location: 0..K;
  end;

startstate begin
  lck := false;
  for w: Wid do
    thread[w].section := 0;
    thread[w].location := 0;
  end;
end;

ruleset w: Wid do
  rule "acquire(lck)" thread[w].location = 0 & !lck ==> begin
    lck := true;
    thread[w].location := 1;
  end;

  rule "critical" thread[w].location > 0 & thread[w].location < K ==> begin
    thread[w].location := thread[w].location + 1;
  end;

  rule "release(lck)" thread[w].location = K ==> begin
    lck := false;
    thread[w].location := 0;
    thread[w].section := (thread[w].section + 1) % M;
  end;
end;

invariant "mutual exclusion"
  forall v: Wid do
    forall w: Wid do
      v = w | thread[v].location = 0 | thread[w].location = 0
    end
  end;
