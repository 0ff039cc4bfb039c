import type { RebootAnswer } from '../../../ground/model/host.ts'
import { present } from '../../../ground/model/present.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { type MonoMs, monoMs } from '../../../ground/model/time.ts'
import { type ServerRef, serverKey } from '../../../service/model/balancer.ts'
import type { AnyWaiting } from '../../model/decision.ts'
import type { MachineAction } from '../../model/host-pair.ts'
import { waitedSince } from '../blocked.ts'
import { gatesHeld, gateWait } from '../gates/gates-held.ts'
import { isOfRequests } from '../gates/gates-hold.ts'
import { isHookUnwritten } from '../hooks/hooks-due.ts'
import { lastWork } from '../last-work.ts'
import { slotHeard } from '../observe.ts'
import { undonePauseMs } from '../remember-outcome.ts'
import { returning } from '../returning.ts'
import { answeredReboot, isFirstReboot } from '../steps/reboot.ts'
import { attachStandsStill, pausedUnheard } from '../stood-still.ts'
import { notAttached, serversLost } from './come-back.ts'
import type { MachineDecision } from './decide-machine.ts'
import type { MachineEvidence, MachineSnapshot } from './machine-snapshot.ts'
import { hasRebooted, isBeforeAttach } from './machine-snapshot.ts'
import { notWhole, silentInstances, silentMachines, stillHere } from './pair-state.ts'

/** What is seen now, folded into what was seen. */
export function observeMachine(snapshot: MachineSnapshot): MachineEvidence {
  const { rebootSince, provenSince, attachingSince, attachDueSince = attachingSince } = snapshot.evidence
  const unheard = pausedUnheard(snapshot, { rebootSince, provenSince, attachDueSince })
  const s = { ...snapshot, evidence: { ...snapshot.evidence, ...unheard } }
  const { evidence, now } = s
  const isAway = isAwayNow(s)
  return {
    ...evidence,
    ...slotHeard(s),
    // A machine that was away and does not show it now has the whole limit of the move again.
    ...(evidence.awaySince !== undefined && !isAway ? { movingSince: now } : {}),
    awaySince: isAway ? (evidence.awaySince ?? now) : undefined,
    ...waitingSince(s),
    ...attaching(s),
    ...attached(s),
    ...stillLost(s),
  }
}

const isAwayNow = (s: MachineSnapshot): boolean =>
  s.memory.isAway === true &&
  s.evidence.moved?.to === 'away' &&
  s.evidence.moved.error === undefined &&
  silentMachines(s, s.evidence.moved.at).length === 0 &&
  stillHere(s).length === 0

/** A process that resumes waits for its slot first: the wait for the machine begins after that. */
function waitingSince(s: MachineSnapshot): Pick<MachineEvidence, 'rebootSince' | 'provenSince'> {
  const { evidence, memory, now } = s
  if (s.slot.state !== 'mine') return {}
  if (memory.isProven === true) return { provenSince: evidence.provenSince ?? now }
  return memory.intent === true && !hasRebooted(s) ? { rebootSince: evidence.rebootSince ?? now } : {}
}

/** A process that resumes finds the machine settled, and its addresses may be back already. */
function attaching(s: MachineSnapshot): Partial<MachineEvidence> {
  const { evidence, memory, now, wall } = s
  if (memory.isProven !== true || isBeforeAttach(s) || evidence.attachingSince !== undefined) return {}
  return { attachingSince: now, attachingSinceWall: wall }
}

/** The pair is whole again, and the soak begins. It begins anew where the pair was seen not to be whole in between. */
function attached(s: MachineSnapshot): Partial<MachineEvidence> {
  const { evidence, memory, now, wall } = s
  const { moved, attachedAt, attachedAtWall = wall } = evidence
  if (moved?.to !== 'back' || memory.isProven !== true) return {}
  if (notWhole(s, moved.at).length > 0) {
    const isSeen = silentMachines(s, moved.at).length + silentInstances(s.instances).length === 0
    return attachedAt !== undefined && isSeen ? { unattachedAt: now, unattachedAtWall: wall } : {}
  }
  const whole = notAttached(s).length > 0 ? {} : attachStandsStill(s, evidence)
  return { attachedAt: attachedAt ?? now, attachedAtWall, ...whole }
}

export interface MachineOutcome {
  readonly ok: boolean
  readonly error?: string
  readonly reboot?: RebootAnswer
  /** Why the slot was not given, or not given back. */
  readonly slot?: Reason
  /** It was not given, and its owner renews it no more and held it for no machine. */
  readonly isSlotLeft?: true
}

/** A machine that had its addresses back since has the whole limit anew. */
const movingSince = ({ moved, movingSince: since }: MachineEvidence, now: MonoMs): MonoMs =>
  moved?.to === 'back' ? now : (since ?? now)

/**
 * A command that was accepted and changed nothing is repeated later each time: an instance may have no such command, or set the server back
 * by itself.
 */
function restoredOnceMore(
  { evidence: { restored = {} }, now }: Pick<MachineSnapshot, 'evidence' | 'now'>,
  ref: ServerRef,
): MachineEvidence['restored'] & {} {
  const key = serverKey(ref)
  const times = (restored[key]?.times ?? 0) + 1
  return { ...restored, [key]: { times, notBefore: monoMs(now + undonePauseMs(times)) } }
}

/** A server that is as it should be is put right at once the next time. */
function stillLost(s: MachineSnapshot): Pick<MachineEvidence, 'restored'> {
  const { restored } = s.evidence
  if (restored === undefined) return {}
  const lost = new Set(serversLost(s).map(({ action }) => serverKey(action.ref)))
  return { restored: Object.fromEntries(Object.entries(restored).filter(([key]) => lost.has(key))) }
}

/** How one effect went. */
export function rememberMachineOutcome(
  { evidence, now }: Pick<MachineSnapshot, 'evidence' | 'now'>,
  action: MachineAction,
  outcome: MachineOutcome,
): MachineEvidence {
  const error = outcome.ok ? {} : { error: outcome.error ?? 'it failed' }
  switch (action.kind) {
    case 'takeSlot': {
      const { slotRefused: _, ...rest } = evidence
      if (outcome.ok) return { ...rest, slotTakenAt: now }
      const { slot: reason, isSlotLeft: isLeft } = outcome
      return reason === undefined ? rest : { ...rest, slotRefused: { at: now, reason, ...present({ isLeft }) } }
    }
    case 'moveAway':
      return { ...evidence, movingSince: movingSince(evidence, now), moved: { to: 'away', at: now, ...error } }
    case 'moveBack':
      return { ...evidence, movingBackSince: evidence.movingBackSince ?? now, moved: { to: 'back', at: now, ...error } }
    case 'reboot': {
      if (outcome.reboot === undefined) return evidence
      const reboot = answeredReboot(evidence.reboot, { at: now, answer: outcome.reboot })
      return { ...evidence, reboot, ...(isFirstReboot(evidence.reboot, reboot) ? { rebootSince: now } : {}) }
    }
    case 'restoreServer':
      return outcome.ok
        ? { ...evidence, restored: restoredOnceMore({ evidence, now }, action.ref) }
        : { ...evidence, refusedAt: now }
    case 'releaseSlot': {
      const { slotTakenAt: _, slotRefused: _before, ...rest } = evidence
      return outcome.slot === undefined ? rest : { ...evidence, slotRefused: { at: now, reason: outcome.slot } }
    }
    case 'record':
    case 'proven':
    case 'runHook':
    case 'undoHook':
      return evidence
  }
}

/** Hooks come last, after the soak: while they run, the pair does not have to become whole. */
const soaked = ({ step, reasons }: AnyWaiting): Pick<MachineEvidence, 'isSoaked'> =>
  step === 'soak' && reasons.some(isOfHook) ? { isSoaked: true } : {}

const isOfHook = (reason: Reason): boolean =>
  isOfRequests(reason.code) || reason.code === 'HookDue' || isHookUnwritten(reason)

export function rememberMachineDecision(s: MachineSnapshot, decision: MachineDecision): MachineEvidence {
  const { evidence, now } = s
  if (decision.kind === 'settled') return evidence
  const toSlot = decision.step === 'slot' ? returning(s, decision) : {}
  const waits = { ...gatesHeld(s, decision), ...gateWait(s, decision), ...soaked(decision), ...toSlot }
  return { ...evidence, ...waits, ...lastWork(s, decision), ...waitedSince(s, decision, false), passedAt: now }
}
