import type { UdpCounts } from '../model/udp-counts.ts'

/** What a pod did over UDP between two readings of its own counters, and what that says. */
export interface UdpSeen {
  /**
   * `observed`: it answered queries of others. `suspect`: it answered none, while so many were due that this is no chance.
   * `idle`: it answered none, and that says nothing.
   */
  readonly state: 'observed' | 'suspect' | 'idle'
  readonly received: number
  readonly answered: number
  readonly overMs: number
  /** What the other pods answered in that time, on average. Absent: of no other one is it known. */
  readonly siblingsMean?: number
}

/** Two readings of one pod. */
interface UdpSpan {
  readonly name: string
  /** Whether the Service leads queries to it. */
  readonly isServing: boolean
  readonly before: UdpCounts
  readonly after: UdpCounts
  readonly overMs: number
}

/** Where so many are due, to have none is chance in fewer than 5 of 100,000 cases (Poisson: e⁻¹⁰). */
const SUSPECT_FROM = 10

/**
 * By name. A pod whose counters fell was started anew: of it nothing is known. `isEven`: each pod that serves is led as
 * many queries over UDP as any other; without it no pod is suspect.
 */
export function judgeUdp(spans: readonly UdpSpan[], isEven: boolean): ReadonlyMap<string, UdpSeen> {
  const known = spans.filter(
    ({ before, after, overMs }) => after.received >= before.received && after.answered >= before.answered && overMs > 0,
  )
  return new Map(
    known.map((span) => {
      const others = known.filter((other) => other !== span && other.isServing)
      const [received, answered] = [span.after.received - span.before.received, answeredIn(span)]
      // Pods are not read at one moment: each is compared over its own time.
      const due = others.map((other) => (answeredIn(other) * span.overMs) / other.overMs)
      const mean = due.length === 0 ? undefined : due.reduce((sum, one) => sum + one, 0) / due.length
      const isSuspect = isEven && span.isServing && mean !== undefined && mean >= SUSPECT_FROM
      const state = answered > 0 ? 'observed' : isSuspect ? 'suspect' : 'idle'
      const numbers = { received, answered, overMs: Math.round(span.overMs) }
      return [span.name, { state, ...numbers, ...(mean === undefined ? {} : { siblingsMean: rounded(mean) }) }]
    }),
  )
}

const answeredIn = ({ before, after }: UdpSpan): number => after.answered - before.answered
const rounded = (mean: number): number => Math.round(mean * 10) / 10
