/**
 * Kills a roll at each step in turn, takes it up again, and looks at every request, boot and trace of it, on a real
 * cluster where one node was cordoned before and one server in `maint`. `npm run soak -- [--rounds N] [-o text|json]`.
 * Exits with 1 where anything was not as it is to be; a run in which the judge skipped more than 0.1 % is void, told as
 * such and made again once.
 */
import process from 'node:process'
import { parseArgs } from 'node:util'
import { RollBed } from '../test/support/roll-bed/roll-bed.ts'
import { missingForUp } from '../testbed/requirements.ts'
import { KILL_POINTS } from './soak/kill-point.ts'
import { type KillRun, killRun } from './soak/kill-run.ts'
import { prepareSoak } from './soak/prior-state.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '1' }, output: { type: 'string', short: 'o', default: 'text' } },
})

const say = (text: string): void => void process.stderr.write(`${text}\n`)

function told(run: KillRun): KillRun {
  const kept = `${run.failedRequests} failed of ${run.sentRequests}, ${run.boots} boot`
  const verdict = run.void ? 'VOID' : run.wrong.length === 0 ? 'ok' : 'WRONG'
  say(`${verdict}  killed in ${run.killedIn} of ${run.node}, then ${run.next} (exit ${run.exitCode}): ${kept}`)
  for (const line of run.wrong) say(`  ${line}`)
  return run
}

async function rounds(bed: RollBed, count: number): Promise<readonly KillRun[]> {
  const prior = await prepareSoak(bed)
  const runs: KillRun[] = []
  for (let i = 0; i < count * KILL_POINTS.length; i += 1) {
    const point = KILL_POINTS[i % KILL_POINTS.length]
    const node = bed.bed.nodes[i % bed.bed.nodes.length]
    if (point === undefined || node === undefined) throw new Error('no such point or node')
    for (let tries = 0; tries < 2; tries += 1) {
      const run = told(await killRun(bed, { point, node, prior }))
      runs.push(run)
      if (!run.void) break
    }
  }
  return runs
}

async function main(): Promise<number> {
  const count = Number(values.rounds)
  if (!Number.isSafeInteger(count) || count < 1 || !['text', 'json'].includes(values.output)) {
    say('usage: npm run soak -- [--rounds N] [-o text|json]')
    return 2
  }
  const [lacking] = missingForUp()
  if (lacking !== undefined) {
    say(lacking)
    return 2
  }
  const bed = await RollBed.open({ fast: true, database: false })
  try {
    const runs = await rounds(bed, count)
    const valid = runs.filter((run) => !run.void)
    const sum = (of: (run: KillRun) => number): number => valid.reduce((total, run) => total + of(run), 0)
    const failed = sum((run) => run.failedRequests)
    const good = valid.length === count * KILL_POINTS.length && valid.every((run) => run.wrong.length === 0)
    if (values.output === 'json') process.stdout.write(`${JSON.stringify({ good, runs }, null, 1)}\n`)
    const voids = runs.length === valid.length ? '' : `, ${runs.length - valid.length} void`
    say(`${valid.length} kills${voids}: ${failed} failed of ${sum((run) => run.sentRequests)} requests`)
    return good ? 0 : 1
  } finally {
    await bed.close()
  }
}

process.exitCode = await main()
