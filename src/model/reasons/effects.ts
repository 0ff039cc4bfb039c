import type { ReasonEntry } from './reason-entry.ts'

const effect = (is: string): { readonly is: string; readonly cause: ''; readonly cure: ''; readonly wait: 'none' } => ({
  is,
  cause: '',
  cure: '',
  wait: 'none',
})

/** Why a step did what it did. Not troubles: nothing is to be cured. */
export const EFFECTS = {
  SlotFree: effect('a slot of the node budget is free'),
  SlotAbandoned: effect('the last owner of the slot is gone and left nothing on a node'),
  NotRecorded: effect('what was there before is not on the node yet'),
  RecordLost: effect('the node was registered anew, without its record: it is written again'),
  Schedulable: effect('pods could still come'),
  PodsHere: effect('pods of this stage are on the node'),
  DaemonSetWouldReturn: effect('a DaemonSet would put its pod back before the reboot'),
  NoIntent: effect('the reboot is not announced on the node yet'),
  RebootDue: effect('nothing is on the node that the reboot could hurt'),
  RebootUnheard: effect('no other boot id was seen since the command: it is sent again'),
  UncordonedByOthers: effect('the cordon was lifted by others: the node is cordoned again before the reboot'),
  StillShut: effect('the taint against returning pods is still on the node'),
  CordonedByUs: effect('the cordon is ours'),
  MayServe: effect('its own checks passed on every instance'),
  BackInService: effect('the node is back as it was'),
  NothingLeft: effect('nothing of ours is left on the node'),
  NodeDone: effect('every step is done'),
  NothingToDo: effect('it was so already'),
  NothingUnderWay: effect('no node is under way'),
  NoticedByChecks: effect('load balancers have noticed: their checks were answered often enough'),
  NoticedByTime: effect('load balancers have noticed: their checks had the time that the file gives them'),
  ConnectionsEnded: effect('no connection to the node is left'),
  IdleLimitOver: effect('`detach.idleLimit` is over: what is left ends with the pods that serve it'),
} as const satisfies Readonly<Record<string, ReasonEntry>>
