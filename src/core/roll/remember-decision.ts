import { actionKey } from '../../model/action.ts'
import type { Decision } from '../../model/decision.ts'
import type { Reason } from '../../model/reason.ts'
import { attachBegan } from '../service/attach.ts'
import type { Evidence } from './evidence.ts'
import { hasCurrent, ownIntent } from './node-snapshot.ts'
import { podsHere } from './pods-here.ts'
import type { RollSnapshot } from './snapshot.ts'
import { SETTLE_INTERVAL_MS } from './steps/settle.ts'

/** When each kind of waiting began, and how often in a row a node was found settled. Pure. */
export function rememberDecision(s: RollSnapshot, decision: Decision): Evidence {
  const { evidence } = s
  if (decision.kind === 'settled') return evidence
  switch (decision.step) {
    case 'reboot':
      return announced(s)
        ? { ...evidence, ...away(s, decision), ...unstuck, stuckReasons: unsent(s, decision) }
        : { ...evidence, ...stuck(s, decision) }
    case 'settle':
      return { ...evidence, settlingSince: evidence.settlingSince ?? s.now, ...settled(s, decision) }
    case 'attach':
      return { ...evidence, ...attachBegan(evidence, s) }
    case 'soak':
      return {
        ...evidence,
        ...attachBegan(evidence, s),
        attachedAt: evidence.attachedAt ?? s.now,
        attachedAtWall: evidence.attachedAtWall ?? s.wall,
      }
    case 'slot':
      // Whoever resumes has to wait for the slot first, and for the machine after that.
      return { ...evidence, ...stuck(s, decision), ...(evidence.intentByUs ? heldUp(s, decision) : {}) }
    case 'cordon':
    case 'detach':
    case 'drain':
      return { ...evidence, ...stuck(s, decision), ...heldUp(s, decision) }
    case 'record':
      return { ...evidence, ...stuck(s, decision) }
    default:
      return evidence
  }
}

/** Once announced nothing is put back: what holds the reboot up and is not waited for by law is waited for as long as the machine. */
function heldUp(s: RollSnapshot, decision: Decision): Pick<Evidence, 'awaySince'> {
  return decision.kind === 'hold' && announced(s) ? away(s, decision) : {}
}

/** A machine that was told nothing yet is not away, as long as it waits for what is waited for by law. */
function away(s: RollSnapshot, decision: Decision): Pick<Evidence, 'awaySince'> {
  const isPatient = decision.kind === 'hold' && decision.reasons.some(({ code }) => PATIENT.has(code))
  if (isPatient && isUnsent(s)) return { awaySince: undefined }
  return isPatient && decision.step !== 'reboot' ? {} : { awaySince: s.evidence.awaySince ?? s.now }
}

const unstuck = { stuckSince: undefined } as const

/** Why a reboot that this process has announced was not sent yet. */
const unsent = (s: RollSnapshot, decision: Decision): readonly Reason[] =>
  isUnsent(s) && decision.kind === 'hold' ? decision.reasons : []

const isUnsent = ({ evidence }: RollSnapshot): boolean => evidence.intentByUs && evidence.reboot === undefined

function settled(s: RollSnapshot, decision: Decision): Pick<Evidence, 'settledInARow' | 'settledAt'> {
  const good = decision.kind === 'hold' && decision.reasons.every((reason) => reason.code === 'SettledOnce')
  if (!good) return { settledInARow: 0, settledAt: undefined }
  const last = s.evidence.settledAt
  if (last !== undefined && s.now - last < SETTLE_INTERVAL_MS) return s.evidence
  return { settledInARow: s.evidence.settledInARow + 1, settledAt: s.now }
}

const announced = (s: RollSnapshot): boolean => hasCurrent(s) && ownIntent(s) !== undefined

/** Holds that end by themselves or have a limit of their own: waited for without counting (law, step 1; detach.idleLimit, reboot.returnLimit). */
const PATIENT: ReadonlySet<string> = new Set([
  'ApiUnreachable',
  'BaselineShort',
  'ChecksGoOn',
  'MostNodesNotReady',
  'NodeGone',
  'NotListedYet',
  'SessionsLeft',
])

/** Stuck is a hold without progress. Progress is an action that did not just fail, a pod that left, another step. */
function stuck(s: RollSnapshot, decision: Exclude<Decision, { kind: 'settled' }>): Partial<Evidence> {
  const left = hasCurrent(s) ? podsHere(s).length : 0
  const patient = decision.kind === 'hold' && decision.reasons.some((reason) => PATIENT.has(reason.code))
  const moved = left < s.evidence.podsLeft || decision.step !== s.evidence.stuckStep
  if (moved || patient || isProgress(s, decision)) {
    return { stuckReasons: [], podsLeft: left, stuckStep: decision.step, stuckSince: s.now }
  }
  const reasons = decision.kind === 'hold' ? decision.reasons : triedAgain(s, decision)
  return { podsLeft: left, stuckSince: s.evidence.stuckSince ?? s.now, stuckReasons: reasons }
}

type Act = Extract<Decision, { kind: 'act' }>

function isProgress({ evidence }: RollSnapshot, decision: Decision): boolean {
  if (decision.kind !== 'act' || decision.reasons.some(({ code }) => code === 'PodsHere')) return false
  return decision.actions.some((action) => action.kind !== 'takeSlot' && !(actionKey(action) in evidence.retries))
}

/** What was said while it was waited for stands; where nothing was, what it was refused with. */
function triedAgain({ evidence }: RollSnapshot, { actions, reasons }: Act): readonly Reason[] {
  if (evidence.stuckReasons.length > 0) return evidence.stuckReasons
  const errors = actions.flatMap((action) => evidence.retries[actionKey(action)]?.error ?? [])
  return errors.length === 0 ? reasons : errors.map((text) => ({ code: 'Retrying', text }))
}
