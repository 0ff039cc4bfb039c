import type { ReasonEntry } from './reason-entry.ts'

/** What a Roll does, and why. */
export const ROLL_OBJECT_WORDS = {
  RollUnknown: {
    is: 'the current state of the Rolls and their Jobs is not known, so nothing is begun or ended',
    cause: 'A watch of the controller is broken, or the API server does not answer.',
    cure: 'Check whether the API server answers, and the rights of the controller. A run that is under way goes on by itself.',
    wait: 'none',
  },
  RollWaits: {
    is: 'Roll kernel goes first: one Roll works at a time',
    cause: 'Another Roll has a pod at work, or was there before.',
    cure: 'Wait, or pause or abort the other Roll.',
    wait: 'none',
  },
  RollPaused: {
    is: 'spec.paused is true: no node is begun until it is false',
    cause: 'A person paused the Roll. A node that was begun before goes on until it is back in service.',
    cure: '`kubectl patch roll NAME --type merge -p \'{"spec":{"paused":false}}\'`.',
    wait: 'none',
  },
  RollNotApproved: {
    is: 'n1 waits for an approval: add it to spec.approved',
    cause: '`spec.approval` is `perNode`, and `spec.approved` does not name the node.',
    cure: 'Add the node, or `all`: `kubectl patch roll NAME --type merge -p \'{"spec":{"approved":["all"]}}\'`.',
    wait: 'none',
  },
  RollBegins: {
    is: 'its run is being begun',
    cause: 'It is the turn of this Roll.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  RollRuns: {
    is: '1 of 3 nodes are done; 0 of 5210 requests failed',
    cause: 'The pod of the run works.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  RollDone: {
    is: '3 of 3 nodes are done; 0 of 15630 requests failed',
    cause: 'The run is completed.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  RollStopped: {
    is: '1 of 3 nodes are done; 1 of 8025 requests failed',
    cause: 'The run was stopped or aborted.',
    cure: 'Look at `status.nodes`, and at the log of the pod of the run. To roll again, apply a new Roll.',
    wait: 'none',
  },
  RollRefused: {
    is: 'spec.soak: "5 parsecs" is not a duration; soak: 30s',
    cause: 'The Roll contradicts itself, or the plan of the run was refused. Nothing was changed.',
    cure: 'Delete the Roll, change what the message names, and apply it again.',
    wait: 'none',
  },
  RollBlocked: {
    is: 'the plan is blocked: shop/web has one replica, and its budget allows no eviction',
    cause: 'The plan of the run is blocked. Nothing was changed.',
    cure: 'Remove what blocks. The controller makes the plan again every five minutes, and at once if the Roll is changed.',
    wait: 'none',
  },
  RollCopied: {
    is: 'this is a copy of a Roll that was run (0a1b): nothing is begun; to run it, remove the annotation evenkeel.dev/roll-begun',
    cause: 'The Roll was restored from a backup, or copied together with its annotations.',
    cure: 'Delete it. Or remove the annotation to run it.',
    wait: 'none',
  },
  RollEdited: {
    is: 'fields of its file were changed after it began: the run goes on with the file that it began with',
    cause: 'A person changed another field than `paused`, `approved` and `abort` of a Roll whose run has begun.',
    cure: 'Take the change back. Or abort the Roll, and apply a new one with the change.',
    wait: 'none',
  },
  RollJournalGone: {
    is: 'the journal of run 20261121T061439Z-1f0e is gone, so it is not continued; to put nodes back that it left out, set spec.abort to true',
    cause: 'A person deleted the ConfigMaps of the run, or they were removed after many later runs.',
    cure: 'Set `spec.abort` to `true`: nodes that the run left out are found by the records on them.',
    wait: 'none',
  },
  RollJournalUnreadable: {
    is: 'configmaps evenkeel/evenkeel-run-20261121t061439z-1f0e cannot be trusted: a part is missing',
    cause: 'A ConfigMap of the run was edited or deleted by hand.',
    cure: 'Restore it. Or delete all ConfigMaps of the run, and set `spec.abort` to `true`: nodes that are out are found by the records on them.',
    wait: 'none',
  },
  RunnerFailed: {
    is: 'Error: the API server cannot be reached',
    cause: 'The pod of the run ended without an end of its run. Another pod continues it after a minute.',
    cure: 'Look at the log of the pod: `kubectl -n evenkeel logs job/JOB`.',
    wait: 'none',
  },
  RollAborting: {
    is: 'the Roll is being deleted: nodes that are out are put back',
    cause: '`spec.abort` is `true`, or the Roll was deleted. A pod puts the nodes back, and the Roll stays until then.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  ScheduleWaits: {
    is: 'the next Roll is due at 2026-01-05T22:00:00Z',
    cause: 'No time of the schedule has come.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  ScheduleOnRequest: {
    is: 'a Roll is made when a node of group default asks by FleetLock',
    cause: '`spec.when` is `FleetLock`, and no node has asked.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  ScheduleSuspended: {
    is: 'spec.suspend is true: no Roll is made',
    cause: 'A person suspended the RollSchedule. A Roll that is under way goes on.',
    cure: 'Set `spec.suspend` to `false`. A time that came meanwhile makes a Roll only within `spec.startingDeadline`.',
    wait: 'none',
  },
  ScheduleForbidden: {
    is: 'no Roll is made for 2026-01-05T22:00:00Z: Roll kernel-202601042200 is still under way',
    cause: 'One Roll of a schedule works at a time. A Roll that is held or paused is under way.',
    cure: 'Look at the Roll that is named. Abort or delete it, if it is not to go on.',
    wait: 'none',
  },
  ScheduleMissed: {
    is: '2 times were missed: the controller was away, or an earlier Roll was under way',
    cause: 'No controller worked when the time came, and `spec.startingDeadline` is over.',
    cure: 'Apply a Roll by hand, or wait for the next time.',
    wait: 'none',
  },
  ScheduleNotNeeded: {
    is: 'no Roll is made for 2026-01-05T22:00:00Z: no node says that it needs a reboot',
    cause: '`spec.when` is `RebootRequired`, and no Node has the condition `RebootRequired`.',
    cure: 'Nothing to do.',
    wait: 'none',
  },
  ScheduleRefused: {
    is: 'spec.schedule: "daily" is not a cron expression; schedule: "0 22 * * MON-FRI"',
    cause: 'The RollSchedule contradicts itself. No Roll is made.',
    cure: 'Change what the message names.',
    wait: 'none',
  },
} as const satisfies Readonly<Record<string, ReasonEntry>>
