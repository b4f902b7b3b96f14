/* The battery driver of ABSTHR, figure 6, with N workers: spin -DN=3 ...
 *
 * The control points are those of battery.tw. Where battery.tw has the label
 * `access`, a branch is open only once the object has been freed. -DSTAY is
 * explained in bluetooth.pml.
 */
#ifndef N
#define N 3
#endif

bool WantToRemove, ReadyToRemove, stopped;
byte WorkerActive, InUseCount = 2, NumQueuedWorkers;

active proctype Unload()
{
	byte n;

	WantToRemove = true;
	d_step { WorkerActive++; n = WorkerActive };
	if
	:: n == 1 ->
		if
		:: true ->
			d_step {
				InUseCount--;
				if
				:: InUseCount == 0 -> ReadyToRemove = true
				:: else
				fi
			}
		:: true -> NumQueuedWorkers++
		fi
	:: else
	fi;
	d_step { InUseCount--; n = InUseCount };
	if
	:: n > 0 -> ReadyToRemove
	:: else
	fi;
	stopped = true
#ifdef STAY
	; false
#endif
}

active proctype Dispatch()
{
	byte calls, n;

	do
	:: calls < N - 1 ->
		d_step { WorkerActive++; n = WorkerActive; calls++ };
		if
		:: n == 1 -> NumQueuedWorkers++
		:: else
		fi
	:: else -> break
	od
#ifdef STAY
	; false
#endif
}

#define freed stopped -> assert(false)

active [N] proctype Worker()
{
	byte i;

	d_step { NumQueuedWorkers > 0; NumQueuedWorkers-- };
again:
	if
	:: freed
	:: WantToRemove ->
		if
		:: freed
		:: d_step {
				InUseCount--;
				if
				:: InUseCount == 0 -> ReadyToRemove = true
				:: else
				fi
			}
		fi;
		goto finished
	:: else
	fi;
	if
	:: true ->
		if
		:: freed
		:: InUseCount++
		fi;
		if
		:: freed
		:: WantToRemove ->
			if
			:: freed
			:: InUseCount--
			fi
		:: else ->
			if
			:: freed
			:: InUseCount--
			fi
		fi
	:: true
	fi;
	if
	:: freed
	:: d_step { WorkerActive--; i = WorkerActive }
	fi;
	if
	:: i == 0 -> goto finished
	:: else
	fi;
	if
	:: i != 1 ->
		if
		:: freed
		:: WorkerActive = 1
		fi
	:: else
	fi;
	goto again;
finished:
#ifdef STAY
	false
#else
	skip
#endif
}
