/* The battery driver of ABSTHR with N abstract workers: spin -DN=3 ...
 *
 * The control points are those of battery-abstract.tw. A node's assertion is a
 * branch that is open only where the assertion is false, so it adds no states.
 * -DSTAY is explained in bluetooth.pml.
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

#define common ((!ReadyToRemove || InUseCount == 0) && (NumQueuedWorkers == 0 || (!stopped && WorkerActive > 0)))

active [N] proctype Worker()
{
waiting:
	if
	:: !common -> assert(false)
	:: d_step { NumQueuedWorkers > 0; NumQueuedWorkers-- }
	fi;
working:
	if
	:: !(common && !stopped && WorkerActive > 0 && 0 < InUseCount && InUseCount <= 2) -> assert(false)
	:: InUseCount++ -> goto using
	:: d_step { WorkerActive != 1; WorkerActive-- } -> goto working
	:: WorkerActive = 1 -> goto working
	:: d_step { WorkerActive == 1; WorkerActive = 0 } -> goto done
	:: d_step {
			InUseCount--;
			if
			:: InUseCount == 0 -> ReadyToRemove = true
			:: else
			fi
		} -> goto done
	fi;
using:
	if
	:: !(common && !stopped && WorkerActive > 0 && InUseCount > 1) -> assert(false)
	:: InUseCount-- -> goto working
	fi;
done:
	!common -> assert(false)
}
