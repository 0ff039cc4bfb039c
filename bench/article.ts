/**
 * The article's plans as plain scripts and then evenkeel, on real clusters under 100 requests a second (half kept).
 * `npm run article -- [--runs N] [--plan NAME]... [-o text|json] [--documents FILE]`: FILE gets each run's raw document as a
 * line, as soon as it is over. Exits with 1 where a roll of ours lost a request of the service it was to keep.
 */
import { appendFileSync } from 'node:fs'
import { availableParallelism, release } from 'node:os'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { run as runProgram } from '../testbed/machine/run.ts'
import { missingForUp } from '../testbed/requirements.ts'
import { articleTable } from './article/article-table.ts'
import { PLANS, type Plan, type PlanRun, planRuns } from './article/plan-runs.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1' },
    plan: { type: 'string', multiple: true, default: [...PLANS] },
    output: { type: 'string', short: 'o', default: 'text' },
    documents: { type: 'string' },
  },
})

const isPlan = (text: string): text is Plan => PLANS.some((plan) => plan === text)

const say = (text: string): void => void process.stderr.write(`${text}\n`)

function told(made: PlanRun): void {
  const { plan, run, seconds, streams, outcome, ...found } = made
  const failed = Object.entries(streams).map(
    ([name, { failedRequests, sentRequests }]) => `${name} ${failedRequests} failed of ${sentRequests}`,
  )
  const end = outcome === undefined || outcome.code === 0 ? '' : `; ended with ${outcome.code}:\n${outcome.stderr}`
  say(`${plan} ${run}: ${failed.join(', ')} in ${seconds} s${found.void ? '; void' : ''}${end}`)
  if (values.documents !== undefined) appendFileSync(values.documents, `${JSON.stringify(made)}\n`)
}

/** Without its stage a DaemonSet's own service may lose requests, as the plan warned; the other service must not. */
function isKept({ plan, outcome, streams, ...run }: PlanRun): boolean {
  if (!plan.startsWith('evenkeel') || run.void) return true
  const kept = plan === 'evenkeel' ? Object.values(streams) : [streams.whoami]
  const warned = plan === 'evenkeel' || outcome?.warnings.includes('DaemonSetBehindService') === true
  const strays = run.strays + (outcome?.strays ?? 0)
  return outcome?.code === 0 && warned && strays === 0 && kept.every((stream) => stream?.failedRequests === 0)
}

async function main(): Promise<number> {
  const plans = values.plan.filter(isPlan)
  const runs = Number(values.runs)
  if (plans.length !== values.plan.length || !Number.isSafeInteger(runs) || runs < 1) {
    say(`usage: npm run article -- [--runs N] [--plan ${PLANS.join('|')}]... [-o text|json] [--documents FILE]`)
    return 2
  }
  const [lacking] = missingForUp()
  if (lacking !== undefined) {
    say(lacking)
    return 2
  }
  const startedAt = new Date().toISOString()
  const found: PlanRun[] = []
  for (const plan of plans) found.push(...(await planRuns(plan, plan === 'evenkeel' ? runs : 1, told)))
  const haproxy = (await runProgram(['haproxy', '-v'])).split('\n')[0]
  const machine = { cores: availableParallelism(), linux: release(), node: process.version, haproxy }
  const facts = Object.entries(machine).map(([name, value]) => `${name} ${value}`)
  const table = `${articleTable(found)}\n${startedAt}; ${facts.join(', ')}`
  if (values.output === 'json') {
    say(table)
    process.stdout.write(`${JSON.stringify({ startedAt, machine, runs: found }, null, 1)}\n`)
  } else process.stdout.write(`${table}\n`)
  return found.every(isKept) ? 0 : 1
}

process.exitCode = await main()
