/**
 * Random drains of guarded nodes in virtual time, with people, holds, kills and a faulty API. `npm run guards -- --seeds
 * 2000` runs seeds 0 to 1999 on two cores, `--from 5000` others; `--seed X` runs one again, twice, and tells what happened.
 */
import { parseArgs } from 'node:util'
import { guardScenario } from './support/virtual-guard/guard-scenario.ts'
import { runGuardSeed } from './support/virtual-guard/run-guard-seed.ts'
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
  console.log(JSON.stringify(guardScenario(seed)))
  const [first, second] = [await runGuardSeed(seed), await runGuardSeed(seed)]
  for (const event of first.events) console.log(event)
  for (const text of complaints({ kind: 'guard', report: first })) console.log(text)
  console.log(`${first.grants} grants, ${first.deaths} deaths\n${first.digest}\n${second.digest}`)
  return first.violations.length === 0 && first.digest === second.digest
}

async function scenarios(from: number, count: number, workers: number): Promise<boolean> {
  let deaths = 0
  let grants = 0
  const { failed, text } = await trySeeds({
    kind: 'guard',
    from,
    count,
    workers,
    onReport: (report) => {
      if (report.kind !== 'guard') return
      deaths += report.report.deaths
      grants += report.report.grants
    },
  })
  console.log(`${count} scenarios, ${grants} grants, ${deaths} deaths, ${text}`)
  return failed === 0
}

const isWell =
  values.seed === undefined
    ? await scenarios(Number(values.from), Number(values.seeds), Number(values.workers))
    : await replay(values.seed)
if (!isWell) process.exitCode = 1
