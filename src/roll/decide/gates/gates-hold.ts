import type { Reason, ReasonCode } from '../../../ground/model/reason.ts'
import type { GateMoment, GateSpec } from '../../model/gate-spec.ts'
import { isFor } from '../../model/request-scope.ts'
import { type SubjectSnapshot, subjectOf } from '../subject.ts'
import type { GateReading } from './gate-readings.ts'

/** Added to the interval with its jitter and to the time that an answer may take: for a late pass. */
const SLACK_MS = 2_000
const JITTER = 1.25

const OF_GATES: ReadonlySet<ReasonCode> = new Set(['GateAsked', 'GateFails', 'GateUnknown'])

export const isOfGates = (code: ReasonCode): boolean => OF_GATES.has(code)

/** Requests of the operator, such as gates and hooks, have limits of their own. */
export const isOfRequests = (code: ReasonCode): boolean =>
  isOfGates(code) || code === 'HookRuns' || code === 'HookFailed'

/**
 * Why the operator's gates do not let the roll go on at this moment. Each is asked anew for this node or machine and this
 * moment. An answer that is too old does not count, nor do those before it.
 *
 * Law: a gate passes by the newest answers alone, given in a row, for this node and this moment.
 */
export const gatesHold = (s: SubjectSnapshot, moment: GateMoment): readonly Reason[] =>
  gatesAt(s, moment).flatMap((gate) => holdOf(s, moment, gate) ?? [])

export const gatesAt = (s: SubjectSnapshot, moment: GateMoment): readonly GateSpec[] =>
  (s.spec.gates ?? []).filter((gate) => gate.before.includes(moment) && isFor(gate, subjectOf(s).scope))

function holdOf(s: SubjectSnapshot, moment: GateMoment, gate: GateSpec): Reason | undefined {
  const readings = readingsOf(s, moment, gate)
  const passed = inARow(s, gate, readings)
  if (passed >= gate.timesInARow) return undefined
  const about = { object: gate.name }
  const last = readings.at(-1)
  if (last?.kind === 'fails')
    return { ...about, code: 'GateFails', text: `gate ${gate.name} does not pass: ${last.text}` }
  if (last?.kind === 'unknown')
    return { ...about, code: 'GateUnknown', text: `gate ${gate.name} has no answer: ${last.text}` }
  const text =
    passed === 0
      ? `gate ${gate.name} is being checked`
      : `gate ${gate.name} passed ${passed} of ${gate.timesInARow} times in a row`
  return { ...about, code: 'GateAsked', text }
}

/** The newest answer of the gate at this moment. */
export const lastAnswer = (s: SubjectSnapshot, moment: GateMoment, gate: GateSpec): string =>
  readingsOf(s, moment, gate).at(-1)?.text ?? 'it was not answered'

function readingsOf(s: SubjectSnapshot, moment: GateMoment, gate: GateSpec): readonly GateReading[] {
  const about = s.gates?.about
  return about?.node === subjectOf(s).name && about.moment === moment ? (s.gates?.readings[gate.name] ?? []) : []
}

function inARow({ now }: SubjectSnapshot, gate: GateSpec, readings: readonly GateReading[]): number {
  const countsForMs = gate.intervalMs * JITTER + gate.timeoutMs + SLACK_MS
  let [count, next]: [number, number] = [0, now]
  for (const { kind, begunAt } of readings.toReversed()) {
    if (kind !== 'passes' || next - begunAt > countsForMs) return count
    next = begunAt
    count += 1
  }
  return count
}
