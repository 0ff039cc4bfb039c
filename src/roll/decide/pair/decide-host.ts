import type { Reason } from '../../../ground/model/reason.ts'
import { slotLive } from '../guards.ts'
import { beforeRecord } from '../requests.ts'
import { windowAgainst } from '../window/time-windows.ts'
import { comeBack } from './come-back.ts'
import { actOn, atStep, type HostDecision, holdAt } from './host-decision.ts'
import { mayBegin, mayTouch } from './host-guards.ts'
import type { HostSnapshot } from './host-snapshot.ts'
import { hasRebooted } from './host-snapshot.ts'
import { leave } from './leave.ts'
import { ownInstances, serversOf } from './pair-state.ts'
import { rebootWait } from './reboot-wait.ts'
import { restore } from './restore.ts'

/**
 * What to do next about one machine of a pair. Which part applies follows from the journal's memory and the boot id, so that
 * a process that was killed at any line goes on from the same place.
 *
 * Law: the machines of a pair are taken one at a time, and only from a pair that is whole.
 */
export function decideHost(s: HostSnapshot): HostDecision {
  const { memory, run } = s
  if (memory.record === undefined) return begin(s)
  if (run.verdict?.keepOut === true && (memory.isAway === true || !hasRebooted(s)))
    return { kind: 'settled', end: 'keptOut', reasons: run.verdict.reasons }
  // Its addresses, its servers and its power are touched only by the run that has the slot.
  if (s.slot.state !== 'mine') return takeSlot(s)
  const unable = slotLive(s)
  if (unable.length > 0) return holdAt(hasRebooted(s) ? 'settle' : 'detach', unable)
  if (hasRebooted(s)) return comeBack(s)
  if (memory.intent === true) return rebootWait(s)
  return run.verdict === undefined ? leave(s) : restore(s)
}

function begin(s: HostSnapshot): HostDecision {
  if (s.run.verdict !== undefined) return { kind: 'settled', end: 'notTouched', reasons: s.run.verdict.reasons }
  const outside = windowAgainst(s)
  if (outside !== undefined) return beforeWindow(s, outside)
  const against = mayBegin(s)
  if (s.slot.state !== 'mine') return against.length > 0 ? holdAt('slot', against) : takeSlot(s)
  if (against.length > 0) return holdAt('record', against)
  const wishes = atStep('record', beforeRecord(s))
  if (wishes !== undefined) return wishes
  const bootId = s.machines.find(({ machine }) => machine.name === s.host.name)?.look?.bootId
  if (bootId === undefined) return holdAt('record', mayTouch(s))
  const servers = serversOf(ownInstances(s)).map(({ ref, ownState, weight, operational }) => ({
    ref,
    state: ownState,
    weight,
    up: operational === 'up',
  }))
  const text = `what ${s.host.name} was like is not recorded yet`
  const reason: Reason = { code: 'HostNotRecorded', object: s.host.name, text }
  return actOn('record', { kind: 'record', record: { bootId, servers } }, reason)
}

/** A slot is not held for hours. */
function beforeWindow(s: HostSnapshot, outside: Reason): HostDecision {
  const refused = askedOfSlot(s)
  if (s.slot.state !== 'mine' || refused !== undefined) return holdAt('slot', [refused ?? outside])
  return actOn('slot', { kind: 'releaseSlot' }, outside)
}

/** Why the slot was not taken, or given back, a moment ago. */
const askedOfSlot = ({ evidence: { slotRefused }, now }: HostSnapshot): Reason | undefined =>
  slotRefused !== undefined && now - slotRefused.at < ASK_SLOT_EVERY_MS ? slotRefused.reason : undefined

/** Only one slot is ever asked for, the first: so no two rolls have a machine each. */
function takeSlot(s: HostSnapshot): HostDecision {
  const { slot } = s
  if (slot.state === 'lost') return holdAt('slot', [{ code: 'SlotTaken', text: lostTo(slot.holderRun) }])
  const refused = askedOfSlot(s)
  if (refused !== undefined) return holdAt('slot', [refused])
  const reason: Reason = { code: 'SlotFree', text: 'a machine is rebooted only while the roll has a slot' }
  return actOn('slot', { kind: 'takeSlot' }, reason)
}

const ASK_SLOT_EVERY_MS = 2000
const lostTo = (owner = 'another owner'): string => `the slot was taken by ${owner}, so nothing is sent`
