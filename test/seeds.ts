/**
 * Random worlds in virtual time, one program for all kinds of them: rolls (`swarm`), fleets of up to 200 nodes, rollouts of an
 * IngressDaemonSet, drains of guarded nodes, DNS with faults, Rolls that people apply and change. `npm run fleets -- --seeds 2000` runs seeds 0 to 1999 on two cores, `--from 5000`
 * others; `--seed X` runs one again, twice, and prints what happened. `--digests FILE` writes a line for each seed, its digest:
 * a change of shape leaves that file as it was. Only for rolls: `--polite`, pods that leave politely, under a budget that allows
 * no eviction; `--files`, roll files whose fields are drawn; `--plans`, those where something is wrong before, and the plan
 * has to tell it; `--fields` prints which fields those are, and for DNS which kinds of worlds and faults, and runs
 * nothing; `--table`, which fails where a cell of fault and step is empty that could be filled.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { fleetScenario } from './support/fleet/fleet-scenario.ts'
import { runFleet } from './support/fleet/run-fleet.ts'
import { dnsScenario } from './support/virtual-dns/dns-scenario.ts'
import { drawnKinds } from './support/virtual-dns/drawn-kinds.ts'
import { type DnsReport, runDnsSeed } from './support/virtual-dns/run-dns-seed.ts'
import { guardScenario } from './support/virtual-guard/guard-scenario.ts'
import { runGuardSeed } from './support/virtual-guard/run-guard-seed.ts'
import { ingressScenario } from './support/virtual-ingress/ingress-scenario.ts'
import { runIngressSeed } from './support/virtual-ingress/run-ingress-seed.ts'
import { operatorScenario } from './support/virtual-operator/operator-scenario.ts'
import { runOperatorSeed } from './support/virtual-operator/run-operator-seed.ts'
import { complaints, type JobReport } from './support/virtual-roll/jobs/job.ts'
import { trySeeds } from './support/virtual-roll/jobs/try-seeds.ts'
import { added, cellTable, emptyCells } from './support/virtual-roll/swarm/cell-table.ts'
import { cueText } from './support/virtual-roll/swarm/cue.ts'
import { drawnFields, whyUndrawn } from './support/virtual-roll/swarm/drawn-fields.ts'
import { faultText } from './support/virtual-roll/swarm/fault.ts'
import type { CellCounts } from './support/virtual-roll/swarm/fault-tally.ts'
import { fileScenarioOf } from './support/virtual-roll/swarm/file-draw.ts'
import { planScenarioOf, runPlanSeed } from './support/virtual-roll/swarm/run-plan-seed.ts'
import { runFileSeed, runPoliteSeed, runSeed } from './support/virtual-roll/swarm/run-seed.ts'
import { politeScenarioOf, scenarioOf } from './support/virtual-roll/swarm/scenario.ts'

type Kind = 'seed' | 'polite' | 'file' | 'plan' | 'fleet' | 'ingress' | 'guard' | 'dns' | 'operator'
type SeedRun = Extract<JobReport, { readonly report: unknown }>

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '300' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string' },
    workers: { type: 'string', default: '2' },
    digests: { type: 'string' },
    polite: { type: 'boolean', default: false },
    files: { type: 'boolean', default: false },
    plans: { type: 'boolean', default: false },
    fields: { type: 'boolean', default: false },
    table: { type: 'boolean', default: false },
  },
})

const KINDS: Readonly<Record<string, Kind>> = {
  swarm: values.polite ? 'polite' : values.files ? 'file' : values.plans ? 'plan' : 'seed',
  fleets: 'fleet',
  ingress: 'ingress',
  guards: 'guard',
  dns: 'dns',
  rolls: 'operator',
}

/** One run of a seed again. */
const RUNS: { readonly [kind in Kind]: (seed: string) => Promise<SeedRun> } = {
  seed: async (seed) => ({ kind: 'seed', report: await runSeed(seed) }),
  polite: async (seed) => ({ kind: 'polite', report: await runPoliteSeed(seed) }),
  file: async (seed) => ({ kind: 'file', report: await runFileSeed(seed) }),
  plan: async (seed) => ({ kind: 'plan', report: await runPlanSeed(seed) }),
  fleet: async (seed) => ({ kind: 'fleet', report: await runFleet(seed) }),
  ingress: async (seed) => ({ kind: 'ingress', report: await runIngressSeed(seed) }),
  guard: async (seed) => ({ kind: 'guard', report: await runGuardSeed(seed) }),
  dns: async (seed) => ({ kind: 'dns', report: await runDnsSeed(seed) }),
  operator: async (seed) => ({ kind: 'operator', report: await runOperatorSeed(seed) }),
}

const SCENARIOS = { seed: scenarioOf, polite: politeScenarioOf, file: fileScenarioOf, plan: planScenarioOf }

/** What is drawn for a seed. */
function scenarioLines(kind: Kind, seed: string): readonly string[] {
  if (kind === 'fleet') return [JSON.stringify(fleetScenario(seed))]
  if (kind === 'ingress') return [JSON.stringify(ingressScenario(seed))]
  if (kind === 'guard') return [JSON.stringify(guardScenario(seed))]
  if (kind === 'dns') return [JSON.stringify(dnsScenario(seed))]
  if (kind === 'operator') return [JSON.stringify(operatorScenario(seed))]
  const { faults, cues, ...scenario } = SCENARIOS[kind](seed)
  return [
    JSON.stringify(scenario),
    ...[...faults, ...scenario.world.faults].map((fault) => `  ${faultText(fault)}`),
    ...cues.map((cue) => `  ${cueText(cue)}`),
  ]
}

/** What a run counted, beside its events and violations. */
function countsText(run: SeedRun): string {
  if (run.kind === 'plan') return run.report.end
  if (run.kind === 'guard') return `${run.report.grants} grants, ${run.report.deaths} deaths`
  if (run.kind === 'dns') return dnsText([run.report])
  if (run.kind === 'operator') return `${run.report.ends.join(', ')}; ${run.report.deaths} deaths`
  if (run.kind === 'ingress') return `${run.report.deaths} deaths`
  return JSON.stringify(run.kind === 'fleet' ? run.report.deaths : run.report.cells)
}

/** What DNS worlds saw. */
function dnsText(reports: readonly DnsReport[]): string {
  const sum = (of: (report: DnsReport) => number): number => reports.reduce((total, report) => total + of(report), 0)
  const codes: Record<string, number> = {}
  for (const report of reports)
    for (const [code, times] of Object.entries(report.codes)) codes[code] = (codes[code] ?? 0) + times
  const named = Object.entries(codes).toSorted(([, one], [, other]) => other - one)
  const counts = `${sum(({ checks }) => checks)} checks, ${sum(({ touched }) => touched)} pods taken out, ${sum(({ deaths }) => deaths)} deaths`
  return `${counts}\n${named.map(([code, times]) => `${code} ${times}`).join(', ')}`
}

async function replay(kind: Kind, seed: string): Promise<boolean> {
  for (const line of scenarioLines(kind, seed)) console.log(line)
  const [first, second] = [await RUNS[kind](seed), await RUNS[kind](seed)]
  for (const event of first.report.events) console.log(event)
  for (const text of complaints(first)) console.log(text)
  console.log(`${countsText(first)}\n${first.report.digest}\n${second.report.digest}`)
  return first.report.violations.length === 0 && first.report.digest === second.report.digest
}

async function many(kind: Kind, from: number, count: number): Promise<boolean> {
  const runs: SeedRun[] = []
  const { failed, text } = await trySeeds({
    kind,
    from,
    count,
    workers: Number(values.workers),
    onReport: (report) => {
      if ('report' in report) runs.push(withoutEvents(report))
    },
  })
  if (values.digests !== undefined) {
    const digests = runs.map(({ report }) => [Number(report.seed), report.digest] as const)
    const lines = digests.toSorted(([a], [b]) => a - b).map(([seed, digest]) => `${seed} ${digest}\n`)
    writeFileSync(values.digests, lines.join(''))
  }
  console.log(`${count} ${positionals[0]}, ${text}`)
  return printCounts(kind, runs) && failed === 0
}

/** Thousands of runs are kept for their counts: their events would fill the memory. */
const withoutEvents = (run: SeedRun): SeedRun => ({ ...run, report: { ...run.report, events: [] } }) as SeedRun

/** Prints what the runs counted. False: a cell is empty that may not be. */
function printCounts(kind: Kind, runs: readonly SeedRun[]): boolean {
  if (kind === 'seed' || kind === 'polite' || kind === 'file') return printTable(runs)
  if (kind === 'plan') {
    const ends = Map.groupBy(runs, (run) => (run.kind === 'plan' ? run.report.end : ''))
    console.log([...ends].map(([end, { length }]) => `${length} ${end}`).join(', '))
    return true
  }
  if (kind === 'dns') {
    console.log(dnsText(runs.flatMap((run) => (run.kind === 'dns' ? [run.report] : []))))
    return true
  }
  if (kind === 'operator') {
    const ends = Map.groupBy(
      runs.flatMap((run) => (run.kind === 'operator' ? run.report.ends : [])),
      (end) => end,
    )
    console.log([...ends].map(([end, { length }]) => `${length} ${end}`).join(', '))
    return true
  }
  const deaths: Record<string, number> = {}
  const most = new Map<number, number>()
  let [nodes, grants, killed] = [0, 0, 0]
  for (const run of runs) {
    if (run.kind === 'guard') grants += run.report.grants
    if (run.kind === 'guard' || run.kind === 'ingress') killed += run.report.deaths
    if (run.kind !== 'fleet') continue
    nodes += run.report.nodes
    most.set(run.report.most, (most.get(run.report.most) ?? 0) + 1)
    for (const [at, times] of Object.entries(run.report.deaths)) deaths[at] = (deaths[at] ?? 0) + times
  }
  if (kind !== 'fleet') {
    console.log(kind === 'guard' ? `${grants} grants, ${killed} deaths` : `${killed} deaths`)
    return true
  }
  const together = [...most].toSorted(([one], [other]) => one - other)
  const out = together.map(([count, fleets]) => `${count} in ${fleets} fleets`).join(', ')
  const where = Object.entries(deaths).toSorted()
  console.log(`${nodes} nodes; out by plan at once: ${out}`)
  console.log(`killed at: ${where.map(([at, times]) => `${at} ${times}`).join('; ')}`)
  return true
}

/** How often each fault happened in each step. */
function printTable(runs: readonly SeedRun[]): boolean {
  const cells = runs.flatMap((run): CellCounts[] =>
    run.kind === 'seed' || run.kind === 'polite' || run.kind === 'file' ? [run.report.cells] : [],
  )
  const counts = added(cells)
  for (const line of cellTable(counts)) console.log(line)
  const empty = emptyCells(counts)
  const names = empty.map(({ step, fault }) => `${fault} in ${step}`)
  if (empty.length > 0) console.log(`${empty.length} cells are empty${values.table ? `: ${names.join(', ')}` : ''}`)
  return empty.length === 0 || !values.table
}

/** Which fields of the roll file these seeds draw, with how many values. */
function printFields(seeds: readonly string[]): void {
  const fields = drawnFields(seeds)
  for (const [path, count] of fields) console.log(`| ${path} | ${count || (whyUndrawn(path) ?? '**not drawn**')} |`)
  console.log(`${fields.filter(([, count]) => count > 0).length} of ${fields.length} fields are drawn`)
}

const kind = KINDS[positionals[0] ?? '']
if (kind === undefined || positionals.length !== 1) {
  console.error(
    `name one kind of worlds: ${Object.keys(KINDS).join(', ')}; for example: node test/seeds.ts swarm --seeds 100`,
  )
  process.exit(2)
}
if (values.fields) {
  const { from, seeds } = values
  const all = Array.from({ length: Number(seeds) }, (_, i) => String(Number(from) + i))
  if (kind === 'dns')
    for (const [word, count] of drawnKinds(all)) console.log(`| ${word} | ${count || '**not drawn**'} |`)
  else printFields(all)
  process.exit(0)
}
const isWell =
  values.seed === undefined
    ? await many(kind, Number(values.from), Number(values.seeds))
    : await replay(kind, values.seed)
if (!isWell) process.exitCode = 1
