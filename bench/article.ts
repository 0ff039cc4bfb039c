/**
 * Seven ways to reboot the nodes of a cluster, the last one evenkeel, each on a real cluster under 100 requests a second
 * (half kept). `npm run article -- [--runs N] [--plan NAME]... [--kured DIR] [-o text|json] [--documents FILE]`: DIR is a
 * checkout of kured's source, FILE gets each run's raw document as a line, as soon as it is over. Exits with 1 where a roll
 * of evenkeel lost a request of the service it was to keep.
 */
import { appendFileSync } from 'node:fs'
import { availableParallelism, release } from 'node:os'
import process from 'node:process'
import { run as runProgram } from '../testbed/machine/run.ts'
import { missingForUp } from '../testbed/requirements.ts'
import { type ArticleArguments, articleArguments, isRefusal, type Refusal } from './article/article-arguments.ts'
import { articleTable } from './article/article-table.ts'
import { buildKured, type KuredBuild, kuredSource } from './article/kured-build.ts'
import { type PlanRun, planRuns } from './article/plan-runs.ts'
import { sevenWays } from './article/seven-ways.ts'

const say = (text: string): void => void process.stderr.write(`${text}\n`)

function refuse({ what, fix }: Refusal): number {
  say(`error: ${what}\n  = fix: ${fix}`)
  return 2
}

function told(made: PlanRun): void {
  const { plan, run, seconds, streams, outcome, ...found } = made
  const failed = Object.entries(streams).map(
    ([name, { failedRequests, sentRequests }]) => `${name} ${failedRequests} failed of ${sentRequests}`,
  )
  const end = outcome === undefined || outcome.code === 0 ? '' : `; ended with ${outcome.code}:\n${outcome.stderr}`
  say(`${plan} ${run}: ${failed.join(', ')} in ${seconds} s${found.void ? '; void' : ''}${end}`)
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
  const wanted = articleArguments(process.argv.slice(2))
  if (isRefusal(wanted)) return refuse(wanted)
  const source = wanted.kured === undefined ? undefined : kuredSource(wanted.kured)
  if (source !== undefined && isRefusal(source)) return refuse(source)
  const [lacking] = missingForUp()
  if (lacking !== undefined) {
    say(lacking)
    return 2
  }
  try {
    // A file that cannot be written would otherwise be noticed after the first run.
    if (wanted.documents !== undefined) appendFileSync(wanted.documents, '')
  } catch (error) {
    return refuse({ what: `--documents: ${String(error)}`, fix: 'name a file that can be written' })
  }
  let kured: KuredBuild | undefined
  try {
    if (source !== undefined) kured = await buildKured(source)
  } catch (error) {
    say(`error: kured was not built: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  }
  return await measured(wanted, kured)
}

async function measured(wanted: ArticleArguments, kured: KuredBuild | undefined): Promise<number> {
  const startedAt = new Date().toISOString()
  const found: PlanRun[] = []
  for (const plan of wanted.plans) {
    const made = await planRuns({ plan, runs: plan === 'evenkeel' ? wanted.runs : 1, kured }, (run) => {
      told(run)
      if (wanted.documents !== undefined) appendFileSync(wanted.documents, `${JSON.stringify(run)}\n`)
    })
    found.push(...made)
  }
  const haproxy = (await runProgram(['haproxy', '-v'])).split('\n')[0]
  const machine = {
    cores: availableParallelism(),
    linux: release(),
    node: process.version,
    haproxy,
    ...(kured === undefined ? {} : { kured: kured.version }),
  }
  const facts = Object.entries(machine).map(([name, value]) => `${name} ${value}`)
  const table = `${sevenWays(found)}\n\n${articleTable(found)}\n\n${startedAt}; ${facts.join(', ')}`
  if (wanted.output === 'json') {
    say(table)
    process.stdout.write(`${JSON.stringify({ startedAt, machine, runs: found }, null, 1)}\n`)
  } else process.stdout.write(`${table}\n`)
  return found.every(isKept) ? 0 : 1
}

process.exitCode = await main()
