import type { UdpCounts } from '../model/udp-counts.ts'

/** What a pod did over UDP between two readings of its own counters. */
export interface UdpSeen {
  /**
   * `observed`: it answered queries of other clients. `suspect`: it answered none, although so many were due that this is not
   * chance. `idle`: it answered none, and too few were due to tell.
   */
  readonly state: 'observed' | 'suspect' | 'idle'
  readonly received: number
  readonly answered: number
  readonly overMs: number
  /** The average number of answers of the other pods in that time. Absent: no other pod was read. */
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

/** If this many answers are due, the chance of none is less than 5 in 100,000 (Poisson: e⁻¹⁰). */
const SUSPECT_FROM = 10

/**
 * By the name of the pod. A pod whose counters fell has restarted, and is left out. `isEven`: each serving pod gets the same share
 * of queries over UDP; without it no pod is suspect.
 */
export function judgeUdp(spans: readonly UdpSpan[], isEven: boolean): ReadonlyMap<string, UdpSeen> {
  const known = spans.filter(
    ({ before, after, overMs }) => after.received >= before.received && after.answered >= before.answered && overMs > 0,
  )
  return new Map(
    known.map((span) => {
      const others = known.filter((other) => other !== span && other.isServing)
      const [received, answered] = [span.after.received - span.before.received, answeredIn(span)]
      // The pods are not read at the same moment, so each is compared over its own time.
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
