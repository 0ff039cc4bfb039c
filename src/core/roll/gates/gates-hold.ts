import type { GateMoment, GateSpec } from '../../../model/gate-spec.ts'
import type { Reason, ReasonCode } from '../../../model/reason.ts'
import type { NodeSnapshot } from '../node-snapshot.ts'
import type { GateReading } from './gate-facts.ts'

/** Beyond the interval with its jitter and the time that an answer may take: a pass that is late. */
const SLACK_MS = 2_000
const JITTER = 1.25

const OF_GATES: ReadonlySet<ReasonCode> = new Set(['GateAsked', 'GateFails', 'GateUnknown'])

export const isOfGates = (code: ReasonCode): boolean => OF_GATES.has(code)

/** What the operator asked for beside the roll itself has limits of its own. */
export const isWish = (code: ReasonCode): boolean => isOfGates(code) || code === 'HookRuns' || code === 'HookFailed'

/**
 * What the operator's gates have against going on at this moment. Each is asked for this node and this moment anew. An answer that
 * has become old does not count, nor do those before it.
 *
 * Law: a gate passes by the newest answers alone, given in a row, for this node and this moment.
 */
export const gatesHold = (s: NodeSnapshot, moment: GateMoment): readonly Reason[] =>
  gatesAt(s, moment).flatMap((gate) => holdOf(s, moment, gate) ?? [])

export const gatesAt = ({ spec }: Pick<NodeSnapshot, 'spec'>, moment: GateMoment): readonly GateSpec[] =>
  (spec.gates ?? []).filter(({ before }) => before.includes(moment))

function holdOf(s: NodeSnapshot, moment: GateMoment, gate: GateSpec): Reason | undefined {
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

/** What was seen of it last at this moment. */
export const lastAnswer = (s: NodeSnapshot, moment: GateMoment, gate: GateSpec): string =>
  readingsOf(s, moment, gate).at(-1)?.text ?? 'it was not answered'

function readingsOf({ gates, current }: NodeSnapshot, moment: GateMoment, gate: GateSpec): readonly GateReading[] {
  const about = gates?.about
  return about?.node === current.node.name && about.moment === moment ? (gates?.readings[gate.name] ?? []) : []
}

function inARow({ now }: NodeSnapshot, gate: GateSpec, readings: readonly GateReading[]): number {
  const countsForMs = gate.intervalMs * JITTER + gate.timeoutMs + SLACK_MS
  let [count, next]: [number, number] = [0, now]
  for (const { kind, begunAt } of readings.toReversed()) {
    if (kind !== 'passes' || next - begunAt > countsForMs) return count
    next = begunAt
    count += 1
  }
  return count
}
