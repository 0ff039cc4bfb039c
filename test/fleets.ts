/**
 * Random fleets of up to 200 nodes in virtual time: rolls, a controller, a brake, persons, kills. `npm run fleets -- --seeds
 * 2000` runs seeds 0 to 1999 on two cores, `--from 5000` others; `--seed X` runs one again, twice, and tells what happened.
 */
import { parseArgs } from 'node:util'
import { fleetScenario } from './support/fleet/fleet-scenario.ts'
import { runFleet } from './support/fleet/run-fleet.ts'
import { complaints } from './support/virtual-roll/jobs/job.ts'
import { trySeeds } from './support/virtual-roll/jobs/try-seeds.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '300' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string' },
    workers: { type: 'string', default: '2' },
  },
})

async function replay(seed: string): Promise<boolean> {
  console.log(JSON.stringify(fleetScenario(seed)))
  const [first, second] = [await runFleet(seed), await runFleet(seed)]
  for (const event of first.events) console.log(event)
  for (const text of complaints({ kind: 'fleet', report: first })) console.log(text)
  console.log(JSON.stringify(first.deaths))
  console.log(`${first.digest}\n${second.digest}`)
  return first.violations.length === 0 && first.digest === second.digest
}

async function fleets(from: number, count: number, workers: number): Promise<boolean> {
  const deaths: Record<string, number> = {}
  const most = new Map<number, number>()
  let nodes = 0
  const { failed, text } = await trySeeds({
    kind: 'fleet',
    from,
    count,
    workers,
    onReport: (report) => {
      if (report.kind !== 'fleet') return
      nodes += report.report.nodes
      most.set(report.report.most, (most.get(report.report.most) ?? 0) + 1)
      for (const [at, times] of Object.entries(report.report.deaths)) deaths[at] = (deaths[at] ?? 0) + times
    },
  })
  console.log(`${count} fleets of ${nodes} nodes, ${text}`)
  const together = [...most].toSorted(([one], [other]) => one - other)
  console.log(`out by plan at once: ${together.map(([count, fleets]) => `${count} in ${fleets} fleets`).join(', ')}`)
  console.log(
    `killed at: ${Object.entries(deaths)
      .toSorted()
      .map(([at, times]) => `${at} ${times}`)
      .join('; ')}`,
  )
  return failed === 0
}

const isWell =
  values.seed === undefined
    ? await fleets(Number(values.from), Number(values.seeds), Number(values.workers))
    : await replay(values.seed)
if (!isWell) process.exitCode = 1
