-- The Bluetooth driver of ABSTHR, figure 4, with N workers, without the
-- workers' local variable, for rumur.
-- A script may replace the number in the next declaration.
const
  N: 3;

-- A coarser model than bluetooth.m: the worker's local `status` is folded into
-- its control points. The test of the flag leads to `granted` or `refused`, where
-- the status is tested, and the steps that store it are gone. The counts are not
-- those of bluetooth.tw; the model serves to reach larger numbers of workers.

type
  Wid: scalarset(N);
  StopPoint: enum { s_flag, s_decrement, s_test, s_event, s_await, s_stopped, s_end };
  Point: enum {
    increment, test_flag, granted, refused, work,
    decrement, test_pending, set_event, finished
  };

var
  pendingIO: 0..N + 1;
  stoppingFlag: boolean;
  stoppingEvent: boolean;
  stopped: boolean;
  stop: StopPoint;
  worker: array [Wid] of Point;

startstate begin
  pendingIO := 1;
  stoppingFlag := false;
  stoppingEvent := false;
  stopped := false;
  stop := s_flag;
  for w: Wid do worker[w] := increment; end;
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
  rule "pendingIO++" worker[w] = increment ==> begin
    pendingIO := pendingIO + 1;
    worker[w] := test_flag;
  end;

  rule "if (stoppingFlag)" worker[w] = test_flag ==> begin
    if stoppingFlag then worker[w] := refused; else worker[w] := granted; end;
  end;

  rule "if (status > 0), granted" worker[w] = granted ==> begin
    worker[w] := work;
  end;

  rule "if (status > 0), refused" worker[w] = refused ==> begin
    worker[w] := decrement;
  end;

  rule "assert(!stopped)" worker[w] = work ==> begin
    assert !stopped;
    worker[w] := decrement;
  end;

  rule "pendingIO--" worker[w] = decrement ==> begin
    pendingIO := pendingIO - 1;
    worker[w] := test_pending;
  end;

  rule "if (!pendingIO)" worker[w] = test_pending ==> begin
    if pendingIO = 0 then worker[w] := set_event; else worker[w] := finished; end;
  end;

  rule "stoppingEvent = true" worker[w] = set_event ==> begin
    stoppingEvent := true;
    worker[w] := finished;
  end;
end;

invariant "nobody works on a stopped driver"
  forall w: Wid do worker[w] = work -> !stopped end;
