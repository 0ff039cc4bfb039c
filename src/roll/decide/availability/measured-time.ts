import type { ProbeStatus } from '../../../ground/model/probe.ts'
import { type WallMs, wallMs } from '../../../ground/model/time.ts'
import { lengthMs, type Span, union } from './downtime.ts'

/** Until when every request has its verdict. */
const settledUntil = ({ startedAt, lastVerdictAt = startedAt, settledBefore = lastVerdictAt }: ProbeStatus): WallMs =>
  settledBefore

/**
 * How much of the time since then was measured: its requests have their verdicts, and the prober did not stand still.
 *
 * Law: time that was not measured counts for no baseline and for no soak.
 */
export function measuredMs(probe: ProbeStatus, from: WallMs): number {
  const to = settledUntil(probe)
  return Math.max(0, to - from - lengthMs(gapsIn(probe, { from, to })))
}

/** Since when traffic was measured for so long, without the time that was not. Undefined: it was not yet. */
export function measuredSince(probe: ProbeStatus, forMs: number): WallMs | undefined {
  const { startedAt } = probe
  if (measuredMs(probe, startedAt) < forMs) return undefined
  let from = settledUntil(probe) - forMs
  for (const gap of gapsIn(probe, { from: startedAt, to: settledUntil(probe) }).toReversed())
    if (gap.to > from) from -= gap.to - gap.from
  return wallMs(from)
}

const gapsIn = ({ notMeasured }: ProbeStatus, { from, to }: Span): readonly Span[] =>
  union(notMeasured.map((gap) => ({ from: wallMs(Math.max(gap.from, from)), to: wallMs(Math.min(gap.to, to)) })))
