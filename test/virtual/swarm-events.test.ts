import assert from 'node:assert/strict'
import { test } from 'node:test'
import { complaints, type Job } from '../support/virtual-roll/jobs/job.ts'
import { runJobs } from '../support/virtual-roll/jobs/run-jobs.ts'
import { added, fellNowhere } from '../support/virtual-roll/swarm/cell-table.ts'
import { faultName } from '../support/virtual-roll/swarm/fault.ts'
import type { CellCounts } from '../support/virtual-roll/swarm/fault-tally.ts'
import { fileScenarioOf } from '../support/virtual-roll/swarm/file-draw.ts'
import { FIRST_WITH_MORE } from '../support/virtual-roll/swarm/scenario-by-step.ts'

const CANDIDATES = Array.from({ length: 1_000 }, (_, i) => String(FIRST_WITH_MORE + i))
/** A fault that is drawn may come to nothing: its step is over before it, or never begins. */
const ROUNDS = 4

/** What the seed is to bring about: by its steps, which is more certain than at a time, and of what only its world knows. */
function drawn(seed: string): ReadonlySet<string> {
  const { cues, world } = fileScenarioOf(seed)
  return new Set([...cues.flatMap((cue) => cue.faults), ...world.faults].map(faultName))
}

/** The fewest seeds, or nearly so, that draw each of these. */
function seedsFor(wanted: readonly string[], draws: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const missing = new Set(wanted)
  const chosen: string[] = []
  const countOf = ([, of]: readonly [string, ReadonlySet<string>]): number => of.intersection(missing).size
  while (missing.size > 0) {
    const best = [...draws].reduce((most, one) => (countOf(one) > countOf(most) ? one : most))
    if (countOf(best) === 0) return chosen
    for (const name of best[1]) missing.delete(name)
    chosen.push(best[0])
  }
  return chosen
}

test('each kind of event that the worlds of rolls know falls into a step of some seed', async (t) => {
  const draws = new Map(CANDIDATES.map((seed) => [seed, drawn(seed)]))
  const failed: string[] = []
  let counts: CellCounts = {}
  let missing = fellNowhere(counts)
  for (let round = 0; round < ROUNDS && missing.length > 0; round += 1) {
    const seeds = seedsFor(missing, draws)
    t.diagnostic(`${seeds.length} seeds for ${missing.length} kinds`)
    for (const seed of seeds) draws.delete(seed)
    await runJobs({
      jobs: seeds.map((seed): Job => ({ kind: 'file', seed })),
      onReport: (report) => {
        if (report.kind === 'file') counts = added([counts, report.report.cells])
        return failed.push(...complaints(report)) >= 0
      },
    })
    missing = fellNowhere(counts)
  }
  assert.deepEqual(failed, [], 'npm run swarm -- --files --seed N')
  assert.deepEqual(missing, [])
})
