/**
 * Random clusters under random faults, in virtual time. `npm run swarm -- --seeds 1000` runs seeds 0 to 999 on two cores,
 * `--from 5000` others; `--seed X` runs one again, twice, and tells what happened. Each run prints how often each fault
 * happened in each step; with `--table` it fails where a cell is empty that could be filled. With `--polite` the pods of each world
 * leave politely, under a budget that allows no eviction. `--digests FILE` writes a line
 * for each seed, its digest: a change of shape leaves that file as it was.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { complaints } from './support/virtual-roll/jobs/job.ts'
import { trySeeds } from './support/virtual-roll/jobs/try-seeds.ts'
import { added, cellTable, emptyCells } from './support/virtual-roll/swarm/cell-table.ts'
import { cueText } from './support/virtual-roll/swarm/cue.ts'
import { faultText } from './support/virtual-roll/swarm/fault.ts'
import type { CellCounts } from './support/virtual-roll/swarm/fault-tally.ts'
import { runPoliteSeed, runSeed } from './support/virtual-roll/swarm/run-seed.ts'
import { politeScenarioOf, scenarioOf } from './support/virtual-roll/swarm/scenario.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '300' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string' },
    workers: { type: 'string', default: '2' },
    digests: { type: 'string' },
    polite: { type: 'boolean', default: false },
    table: { type: 'boolean', default: false },
  },
})

const run = values.polite ? runPoliteSeed : runSeed

async function replay(seed: string): Promise<boolean> {
  const { faults, cues, ...scenario } = (values.polite ? politeScenarioOf : scenarioOf)(seed)
  console.log(JSON.stringify(scenario))
  for (const fault of [...faults, ...scenario.world.faults]) console.log(`  ${faultText(fault)}`)
  for (const cue of cues) console.log(`  ${cueText(cue)}`)
  const [first, second] = [await run(seed), await run(seed)]
  for (const event of first.events) console.log(event)
  for (const text of complaints({ kind: 'seed', report: first })) console.log(text)
  console.log(JSON.stringify(first.cells))
  console.log(`${first.digest}\n${second.digest}`)
  return first.violations.length === 0 && first.digest === second.digest
}

async function swarm(from: number, count: number, workers: number): Promise<boolean> {
  const cells: CellCounts[] = []
  const digests = new Map<number, string>()
  const { failed, text } = await trySeeds({
    kind: values.polite ? 'polite' : 'seed',
    from,
    count,
    workers,
    onReport: (report) => {
      if (report.kind !== 'seed' && report.kind !== 'polite') return
      cells.push(report.report.cells)
      digests.set(Number(report.report.seed), report.report.digest)
    },
  })
  if (values.digests !== undefined) {
    const lines = [...digests].toSorted(([a], [b]) => a - b).map(([seed, digest]) => `${seed} ${digest}\n`)
    writeFileSync(values.digests, lines.join(''))
  }
  console.log(`${count} seeds, ${text}`)
  return printTable(added(cells)) && failed === 0
}

/** Whether no cell is empty that may not be. */
function printTable(counts: CellCounts): boolean {
  for (const line of cellTable(counts)) console.log(line)
  const empty = emptyCells(counts)
  const names = empty.map(({ step, fault }) => `${fault} in ${step}`)
  if (empty.length > 0) console.log(`${empty.length} cells are empty${values.table ? `: ${names.join(', ')}` : ''}`)
  return empty.length === 0 || !values.table
}

const isWell =
  values.seed === undefined
    ? await swarm(Number(values.from), Number(values.seeds), Number(values.workers))
    : await replay(values.seed)
if (!isWell) process.exitCode = 1
