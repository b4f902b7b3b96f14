-- The Bluetooth driver of ABSTHR, figure 4, with N workers, for rumur.
-- A script may replace the number in the next declaration.
const
  N: 3;

-- The control points are those of bluetooth.tw, the end included. The workers
-- are a scalarset: without symmetry reduction the number of states is that of
-- bluetooth.tw, with it the number of orbits.

type
  Wid: scalarset(N);
  StopPoint: enum { s_flag, s_decrement, s_test, s_event, s_await, s_stopped, s_end };
  Point: enum {
    increment, test_flag, set_refused, set_granted, test_status, work,
    decrement, test_pending, set_event, finished
  };

var
  pendingIO: 0..N + 1;
  stoppingFlag: boolean;
  stoppingEvent: boolean;
  stopped: boolean;
  stop: StopPoint;
  worker: array [Wid] of record
    at: Point;
    status: -1..1;
  end;

startstate begin
  pendingIO := 1;
  stoppingFlag := false;
  stoppingEvent := false;
  stopped := false;
  stop := s_flag;
  for w: Wid do
    worker[w].at := increment;
    worker[w].status := 0;
  end;
end;

rule "stoppingFlag = true" stop = s_flag ==> begin
  stoppingFlag := true;
  stop := s_decrement;
end;

rule "stop: pendingIO--" stop = s_decrement ==> begin
  pendingIO := pendingIO - 1;
  stop := s_test;
end;

rule "stop: if (!pendingIO)" stop = s_test ==> begin
  if pendingIO = 0 then stop := s_event; else stop := s_await; end;
end;

rule "stop: stoppingEvent = true" stop = s_event ==> begin
  stoppingEvent := true;
  stop := s_await;
end;

rule "assume(stoppingEvent)" stop = s_await & stoppingEvent ==> begin
  stop := s_stopped;
end;

rule "stopped = true" stop = s_stopped ==> begin
  stopped := true;
  stop := s_end;
end;

ruleset w: Wid do
  rule "pendingIO++" worker[w].at = increment ==> begin
    pendingIO := pendingIO + 1;
    worker[w].at := test_flag;
  end;

  rule "if (stoppingFlag)" worker[w].at = test_flag ==> begin
    if stoppingFlag then worker[w].at := set_refused; else worker[w].at := set_granted; end;
  end;

  rule "status = -1" worker[w].at = set_refused ==> begin
    worker[w].status := -1;
    worker[w].at := test_status;
  end;

  rule "status = 1" worker[w].at = set_granted ==> begin
    worker[w].status := 1;
    worker[w].at := test_status;
  end;

  rule "if (status > 0)" worker[w].at = test_status ==> begin
    if worker[w].status > 0 then worker[w].at := work; else worker[w].at := decrement; end;
  end;

  rule "assert(!stopped)" worker[w].at = work ==> begin
    assert !stopped;
    worker[w].at := decrement;
  end;

  rule "pendingIO--" worker[w].at = decrement ==> begin
    pendingIO := pendingIO - 1;
    worker[w].at := test_pending;
  end;

  rule "if (!pendingIO)" worker[w].at = test_pending ==> begin
    if pendingIO = 0 then worker[w].at := set_event; else worker[w].at := finished; end;
  end;

  rule "stoppingEvent = true" worker[w].at = set_event ==> begin
    stoppingEvent := true;
    worker[w].at := finished;
  end;
end;

invariant "nobody works on a stopped driver"
  forall w: Wid do worker[w].at = work -> !stopped end;
