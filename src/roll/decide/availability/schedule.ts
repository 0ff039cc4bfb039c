import type { Lane, ProbeTarget } from '../../../ground/model/probe.ts'

/**
 * Sample `n` of a lane is due at `offsetMs + n * periodMs` after the start.
 *
 * Law: samples are due at absolute times, so that no delay adds up.
 */
export interface LaneSchedule {
  readonly lane: Lane
  readonly periodMs: number
  readonly offsetMs: number
}

/**
 * A request that is at most this late is still sent, even where periods are shorter. A virtual machine stops even an idle
 * real-time program for 25 ms now and then, and a late request shows more than none. Beyond this, the prober stood still.
 */
export const CAUGHT_UP_MS = 50

/**
 * The lanes of a target, half a period apart so that they interleave. `shift` (0 to 1) moves all lanes of the target within its
 * period, so that several targets do not ask at the same instant.
 */
export function laneSchedules(target: ProbeTarget, shift: number): readonly LaneSchedule[] {
  const shares: readonly (readonly [Lane, number, number])[] = [
    ['new', 1 - target.keptShare, 0],
    ['kept', target.keptShare, 0.5],
  ]
  return shares
    .filter(([, share]) => share > 0)
    .map(([lane, share, phase]) => {
      const periodMs = 1_000 / (target.ratePerSecond * share)
      return { lane, periodMs, offsetMs: periodMs * ((phase + shift) % 1) }
    })
}

export const dueAtMs = (schedule: LaneSchedule, n: number): number => schedule.offsetMs + n * schedule.periodMs

/** The sample is too late to represent its moment: it is counted as skipped, never sent. */
export const isSkipped = (schedule: LaneSchedule, lateMs: number): boolean =>
  lateMs > Math.max(schedule.periodMs / 2, CAUGHT_UP_MS)
