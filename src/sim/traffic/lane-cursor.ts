import type { Lane, ProbeTarget } from '../../ground/model/probe.ts'

/** Where a lane is in its schedule: request `n` is due `offsetMs + n * periodMs` after the start, whatever came before. */
export interface LaneCursor {
  readonly lane: Lane
  readonly periodMs: number
  readonly offsetMs: number
  n: number
}

/** The lanes of a target; the kept one asks half a period of its own later, so that the two do not ask at once. */
export function laneCursors({ ratePerSecond, keptShare }: ProbeTarget): readonly LaneCursor[] {
  const cursors: LaneCursor[] = []
  if (keptShare < 1)
    cursors.push({ lane: 'new', periodMs: 1_000 / (ratePerSecond * (1 - keptShare)), offsetMs: 0, n: 0 })
  if (keptShare > 0) {
    const periodMs = 1_000 / (ratePerSecond * keptShare)
    cursors.push({ lane: 'kept', periodMs, offsetMs: periodMs / 2, n: 0 })
  }
  return cursors
}

export const dueAfterMs = ({ offsetMs, periodMs, n }: LaneCursor): number => offsetMs + n * periodMs
