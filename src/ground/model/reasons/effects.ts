import type { ReasonEntry } from './reason-entry.ts'

const effect = (is: string): { readonly is: string; readonly cause: ''; readonly cure: ''; readonly wait: 'none' } => ({
  is,
  cause: '',
  cure: '',
  wait: 'none',
})

/** Why a step did something. These are not problems, so they have no cure. */
export const EFFECTS = {
  SlotFree: effect('a slot of the node budget is free'),
  SlotAbandoned: effect('the last owner of the slot is gone and left no record on a node'),
  NotRecorded: effect('the state before the roll is not recorded on the node yet'),
  NotMarked: effect('the nodes after n1 are not marked yet (`drain.preferDone`)'),
  RecordLost: effect(
    'the node was registered again without its record, or others took the record off: it is written again',
  ),
  HookDue: effect('hook noout is due for n1'),
  Schedulable: effect('new pods can still be scheduled here'),
  PodsHere: effect('pods of this stage are on the node'),
  DaemonSetWouldReturn: effect('a DaemonSet would start its pod again before the reboot'),
  NoIntent: effect('the reboot is not announced on the node yet'),
  RebootDue: effect('nothing is left on the node that the reboot could harm'),
  RebootUnheard: effect('no other boot id was seen since the command: it is sent again'),
  UncordonedByOthers: effect(
    'another program or a person removed the cordon: the node is cordoned again before the reboot',
  ),
  StillShut: effect('the taint against returning pods is still on the node'),
  CordonedByUs: effect('the cordon is ours'),
  MayServe: effect('the checks of the balancer passed on every instance'),
  BackInService: effect('the node is back as it was'),
  NothingLeft: effect('nothing of this run is left on the node'),
  NodeDone: effect('every step is done'),
  NothingToDo: effect('it was done already'),
  NothingUnderWay: effect('no node is under way'),
  NoticedByChecks: effect('load balancers have noticed: their checks were answered often enough'),
  NoticedByTime: effect(
    'load balancers have had time to notice: the time that the roll file gives their checks is over',
  ),
  ConnectionsEnded: effect('no connection to the node is left'),
  IdleLimitOver: effect('`detach.idleLimit` is over: the remaining connections end with the pods that serve them'),
} as const satisfies Readonly<Record<string, ReasonEntry>>

/** Why the controller wrote something for an IngressDaemonSet. */
export const INGRESS_EFFECTS = {
  IngressPrepared: effect('the template of web is stored as a revision'),
  NodeCalledBack: effect('n1 does not leave now: 1 nodes are out or about to be, and the budget allows at most 1'),
  NodeNew: effect('n1 needs pods'),
  NodeBegun: effect('n1: its pods have an older revision'),
  SlotUnneeded: effect('n1: it is as it should be, so its slot is given back'),
  MarkMissing: effect('not everything that asks the node to leave is written yet'),
  DetachAsked: effect('everything that asks n1 to leave is written, and its grace periods run'),
  NodeDetached: effect('n1 is detached'),
  TemplateDiffers: effect('n1 gets the pods of another revision'),
  RevisionSuperseded: effect('a newer revision is wanted by now, so n1 gets that one'),
  ReplicasDiffer: effect('n1 needs another number of pods'),
  NodeUpdated: effect('the pods of n1 are all of the wanted revision, and ready'),
  NodeVerified: effect('the pods of n1 have been ready for long enough'),
  MayReturn: effect('n1: its pods are as they should be'),
  NodeAttached: effect('n1 is attached again'),
  RollbackAsked: effect('web goes back to the template of revision 2'),
  RollbackUnneeded: effect('the template of web is that of revision 2 already'),
  RetryAsked: effect('n1 is tried again'),
  GateOpens: effect('pods may be evicted from n1'),
  GateCloses: effect('no pod may be evicted from n1 before it is detached'),
  PodsUnwanted: effect('n1 needs no pods any more'),
  ObjectUnused: effect('nothing of web is left on any node'),
} as const satisfies Readonly<Record<string, ReasonEntry>>
