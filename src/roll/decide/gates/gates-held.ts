import { formatDuration } from '../../../ground/model/duration.ts'
import { type Reason, waitOf } from '../../../ground/model/reason.ts'
import type { MonoMs } from '../../../ground/model/time.ts'
import type { AnyDecision, AnyWaiting } from '../../model/decision.ts'
import type { GateMoment, GateSpec } from '../../model/gate-spec.ts'
import type { RequestScope } from '../../model/request-scope.ts'
import { STEPS, type Step } from '../../model/step.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { Evidence } from '../evidence.ts'
import { isHookUnwritten } from '../hooks/hooks-due.ts'
import type { MachineSnapshot } from '../pair/machine-snapshot.ts'
import { isBeforeAttach } from '../pair/machine-snapshot.ts'
import { isUnheard, stoodStill } from '../stood-still.ts'
import {
  type AnySnapshot,
  hasSubject,
  isBeyondRestore,
  isOfMachine,
  placeOf,
  type SubjectSnapshot,
  subjectOf,
} from '../subject.ts'
import { gatesAt, isOfGates, isOfRequests, lastAnswer } from './gates-hold.ts'

/** The gates that have to be asked next. */
export interface GateWant {
  readonly scope: RequestScope
  /** The name of the node, or of the machine. */
  readonly node: string
  /** Absent: the node has none. */
  readonly address?: string
  readonly moment: GateMoment
}

const GATE_MOMENTS = ['node', 'reboot', 'attach'] as const

const MOMENTS: Readonly<Partial<Record<Step, GateMoment>>> = {
  slot: 'node',
  record: 'node',
  cordon: 'node',
  reboot: 'reboot',
  settle: 'attach',
}

/** The moment of a node follows from its step, that of a machine from what was done to it already. */
const momentOf = (s: AnySnapshot, step: Step): GateMoment | undefined =>
  isOfMachine(s) ? momentOfMachine(s) : MOMENTS[step]

function momentOfMachine(s: MachineSnapshot): GateMoment | undefined {
  const { isAway, intent, isProven } = s.memory
  if (isProven === true) return isBeforeAttach(s) ? 'attach' : undefined
  if (intent === true) return undefined
  return isAway === true ? 'reboot' : 'node'
}

/** The gates that a decision waits for; undefined where none matters for it. */
export function gatesWanted(s: AnySnapshot, decision: AnyDecision): GateWant | undefined {
  if (!hasSubject(s) || decision.kind !== 'hold' || gateReasons(decision).length === 0) return undefined
  const moment = momentOf(s, decision.step)
  return moment === undefined ? undefined : { scope: subjectOf(s).scope, ...placeOf(s), moment }
}

const gateReasons = (decision: AnyWaiting): readonly Reason[] =>
  decision.kind === 'hold' ? decision.reasons.filter(({ code }) => isOfGates(code)) : []

/**
 * Since when each gate holds. Its limit stands still in a wait by law for something else, such as the API server, and begins anew after
 * one for a time window.
 */
export function gatesHeld(s: AnySnapshot, decision: AnyWaiting): Pick<Evidence, 'gatesHeld'> {
  const before = s.evidence.gatesHeld
  const moment = momentOf(s, decision.step)
  const holding = gateReasons(decision)
  if (holding.length === 0 || moment === undefined) {
    if (before === undefined) return {}
    const waits = decision.reasons.map(waitOf)
    const isForOther = decision.kind === 'hold' && !waits.includes('window')
    const kept = isForOther ? Object.entries(before).filter(([key]) => !isPassed(s, key, decision)) : []
    if (kept.length === 0) return { gatesHeld: undefined }
    const standsStill = waits.includes('by law') || isUnheard(s)
    const since = (at: MonoMs): MonoMs => (standsStill ? stoodStill(s, at) : at)
    return { gatesHeld: Object.fromEntries(kept.map(([key, at]) => [key, since(at)])) }
  }
  const keys = holding.map(({ object = '' }) => keyOf(moment, object))
  return { gatesHeld: Object.fromEntries(keys.map((key) => [key, before?.[key] ?? s.now])) }
}

const LAST_STEP: Readonly<Record<GateMoment, Step>> = { node: 'cordon', reboot: 'reboot', attach: 'settle' }

/** The gates of a moment have passed once a later step is asked, or a hook, which comes after them: their limit is over. */
function isPassed(s: AnySnapshot, key: string, { step, reasons }: AnyWaiting): boolean {
  const moment = GATE_MOMENTS.find((known) => key.startsWith(`${known} `))
  if (moment === undefined) return false
  const now = momentOf(s, step)
  const isLater = isOfMachine(s) ? now !== moment : STEPS.indexOf(step) > STEPS.indexOf(LAST_STEP[moment])
  return isLater || (now === moment && reasons.some(isOfHook))
}

const isOfHook = (reason: Reason): boolean =>
  isHookUnwritten(reason) || (isOfRequests(reason.code) && !isOfGates(reason.code))

/**
 * The time for gates and hooks alone does not count for the step settle, which has a limit of its own. A hook that waits for
 * the journal, or may not begin without the slot, has no other limit.
 */
export function gateWait({ now, evidence }: AnySnapshot, decision: AnyWaiting): Pick<Evidence, 'gateWait'> {
  const { ms, at } = evidence.gateWait ?? { ms: 0 }
  if (decision.step === 'settle' && decision.reasons.some(({ code }) => isOfRequests(code)))
    return { gateWait: { ms: ms + now - (at ?? now), at: now } }
  return at === undefined ? {} : { gateWait: { ms: ms + now - at } }
}

const keyOf = (moment: GateMoment, name: string): string => `${moment} ${name}`

interface Held {
  readonly gate: GateSpec
  readonly moment: GateMoment
  readonly leftMs: number
}

const heldGates = (s: SubjectSnapshot, heldSince: Readonly<Record<string, MonoMs>>): readonly Held[] =>
  GATE_MOMENTS.flatMap((moment) =>
    gatesAt(s, moment).flatMap((gate) => {
      const since = heldSince[keyOf(moment, gate.name)]
      return since === undefined ? [] : [{ gate, moment, leftMs: Math.max(0, since + gate.limitMs - s.now) }]
    }),
  )

/** The time left for gates, where this decision waits for them. */
export function gateLimitLeftMs(s: AnySnapshot, decision: AnyDecision): number | undefined {
  if (!hasSubject(s) || decision.kind !== 'hold') return undefined
  if (gateReasons(decision).length === 0) return undefined
  const { gatesHeld: since = {} } = gatesHeld(s, decision)
  return Math.min(...heldGates(s, since).map(({ leftMs }) => leftMs))
}

/**
 * A gate that has held for its limit ends the roll. Before the intent the node is restored, or the machine takes its addresses
 * back. After its reboot it stays out, like one that does not settle. An earlier verdict is replaced only where the node or
 * machine can no longer be put back.
 */
export function gateVerdict(s: AnySnapshot): Verdict | undefined {
  const since = s.evidence.gatesHeld
  if (since === undefined || !hasSubject(s)) return undefined
  const over = heldGates(s, since).filter(({ leftMs }) => leftMs === 0)
  if (over.length === 0) return undefined
  const keepOut = isBeyondRestore(s)
  const before = s.run.verdict
  if (before !== undefined && (before.keepOut || !keepOut)) return undefined
  const reasons = [...(before?.reasons ?? []), ...over.map((held) => limitReached(s, held))]
  return { kind: keepOut ? 'stopped' : 'held', keepOut, reasons }
}

const limitReached = (s: SubjectSnapshot, { gate, moment }: Held): Reason => ({
  code: 'GateLimit',
  object: gate.name,
  text: `gate ${gate.name} did not pass within its limit (${formatDuration(gate.limitMs)}): ${lastAnswer(s, moment, gate)}`,
})
