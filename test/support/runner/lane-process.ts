/**
 * Runs a polite lane in a process of its own: it hears of the lane by a message, and answers with how its files ended. It
 * begins a session, since the kernel shares processors out among sessions first and looks at nice values within each of
 * them (sched(7), "The autogroup feature"): beside clusters, whose parts are sessions, a nice value alone yields nothing.
 */
import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { FileEnd } from './closing-lines.ts'
import type { Lane } from './lanes.ts'
import { type LanePlace, runBeside } from './run-lane.ts'

const LOWEST = 19
const AUTOGROUP = '/proc/self/autogroup'

export interface PoliteLane {
  readonly lane: Lane
  readonly place: LanePlace
}

export type PoliteEnds = readonly FileEnd[]

setPriority(LOWEST)
try {
  writeFileSync(AUTOGROUP, String(LOWEST))
} catch {
  // A kernel without sessions of that kind goes by nice values alone.
}
// Once the runner has ended, no process of the lane goes on.
process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'))
process.once('message', async (message) => {
  const { lane, place } = message as PoliteLane
  process.send?.((await runBeside(lane, place)) satisfies PoliteEnds, () => process.exit())
})
