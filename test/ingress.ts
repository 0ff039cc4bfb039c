/**
 * Random rollouts of an IngressDaemonSet in virtual time, with traffic, people, kills and a faulty API. `npm run ingress -- --seeds
 * 2000` runs seeds 0 to 1999 on two cores, `--from 5000` others; `--seed X` runs one again, twice, and tells what happened.
 */
import { parseArgs } from 'node:util'
import { ingressScenario } from './support/virtual-ingress/ingress-scenario.ts'
import { runIngressSeed } from './support/virtual-ingress/run-ingress-seed.ts'
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
  console.log(JSON.stringify(ingressScenario(seed)))
  const [first, second] = [await runIngressSeed(seed), await runIngressSeed(seed)]
  for (const event of first.events) console.log(event)
  for (const text of complaints({ kind: 'ingress', report: first })) console.log(text)
  console.log(`${first.deaths} deaths\n${first.digest}\n${second.digest}`)
  return first.violations.length === 0 && first.digest === second.digest
}

async function rollouts(from: number, count: number, workers: number): Promise<boolean> {
  let deaths = 0
  const { failed, text } = await trySeeds({
    kind: 'ingress',
    from,
    count,
    workers,
    onReport: (report) => {
      if (report.kind === 'ingress') deaths += report.report.deaths
    },
  })
  console.log(`${count} rollouts, ${deaths} deaths, ${text}`)
  return failed === 0
}

const isWell =
  values.seed === undefined
    ? await rollouts(Number(values.from), Number(values.seeds), Number(values.workers))
    : await replay(values.seed)
if (!isWell) process.exitCode = 1
