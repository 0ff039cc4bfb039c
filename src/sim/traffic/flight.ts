import type { Lane } from '../../ground/model/probe.ts'
import type { MonoMs, WallMs } from '../../ground/model/time.ts'
import type { Line } from './line.ts'

/** A request under way. */
export interface Flight {
  readonly lane: Lane
  readonly line: Line
  readonly dueAt: MonoMs
  readonly startedAt: MonoMs
  readonly scheduledAt: WallMs
  isOver: boolean
  /** It was sent a second time. */
  retried?: true
}
