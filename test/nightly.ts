/**
 * What takes too long for every change, in named parts of an hour at most: `npm run nightly` runs them all, one after the
 * other, `npm run nightly -- seeds mutants` those. A part that fails stops none behind it. Exit code 1 where one failed.
 */
import { spawn } from 'node:child_process'

const root = new URL('..', import.meta.url).pathname
const HOUR_MS = 60 * 60_000

interface Part {
  readonly name: string
  readonly what: string
  readonly argv: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Each night other seeds: those of one night follow on those of the night before, and no two nights share one. As many as two
 * busy processors get through within the hour.
 */
const SEEDS_A_NIGHT = 5_000
/** The first that is drawn by step, and the first that knows every fault. */
const FIRST_BY_STEP = 1_000_000
const FIRST_SEED = 1_000_000_000
const nightsSince2026 = Math.floor((Date.now() - Date.UTC(2026, 0, 1)) / (24 * 60 * 60_000))
const FLEETS_A_NIGHT = 2_000
const firstFleet = nightsSince2026 * FLEETS_A_NIGHT
const firstPolite = FIRST_SEED + firstFleet
const firstSeed = FIRST_SEED + nightsSince2026 * SEEDS_A_NIGHT
/** Each has whole rolls of its own. */
const ROLLS_A_NIGHT = 500
const firstRolls = nightsSince2026 * ROLLS_A_NIGHT
/** Each takes a real scheduler some five seconds, most of which are waited. */
const CLUSTERS_A_NIGHT = 500
const firstCluster = nightsSince2026 * CLUSTERS_A_NIGHT
/** Of the seeds below the first one that is drawn by step; after three years they begin anew. */
const EARLY_A_NIGHT = 900
const firstEarly = (nightsSince2026 * EARLY_A_NIGHT) % (FIRST_BY_STEP - EARLY_A_NIGHT)

/** What HAProxy and the embedded one are given by night; those by day come before. */
const SEQUENCES_A_NIGHT = 500
const firstSequence = 1_000 + nightsSince2026 * SEQUENCES_A_NIGHT

/** Files and sets of files; those by day come before. */
const firstDrawn = 1_000 + firstFleet

/** Where rules are taken away that no world of the nights before has missed. */
const WORLDS_A_NIGHT = 40
const firstWorld = nightsSince2026 * WORLDS_A_NIGHT

const PARTS: readonly Part[] = [
  {
    name: 'seeds',
    what: `${SEEDS_A_NIGHT} seeds from ${firstSeed} on, and no step without each fault`,
    argv: ['test/seeds.ts', 'swarm', '--seeds', String(SEEDS_A_NIGHT), '--from', String(firstSeed), '--table'],
  },
  {
    name: 'early',
    what: `${EARLY_A_NIGHT} seeds from ${firstEarly} on, whose faults are drawn by time`,
    argv: ['test/seeds.ts', 'swarm', '--seeds', String(EARLY_A_NIGHT), '--from', String(firstEarly)],
  },
  {
    name: 'polite',
    what: `${FLEETS_A_NIGHT} seeds from ${firstPolite} on, with pods that leave politely`,
    argv: ['test/seeds.ts', 'swarm', '--polite', '--seeds', String(FLEETS_A_NIGHT), '--from', String(firstPolite)],
  },
  {
    name: 'files',
    what: `${FLEETS_A_NIGHT} seeds from ${firstPolite} on, with roll files whose fields are drawn`,
    argv: ['test/seeds.ts', 'swarm', '--files', '--seeds', String(FLEETS_A_NIGHT), '--from', String(firstPolite)],
  },
  {
    name: 'plans',
    what: `${FLEETS_A_NIGHT} seeds from ${firstPolite} on, with something wrong before, which the plan and doctor have to tell`,
    argv: ['test/seeds.ts', 'swarm', '--plans', '--seeds', String(FLEETS_A_NIGHT), '--from', String(firstPolite)],
  },
  {
    name: 'fleets',
    what: `${FLEETS_A_NIGHT} random fleets under one node budget, from seed ${firstFleet} on`,
    argv: ['test/seeds.ts', 'fleets', '--seeds', String(FLEETS_A_NIGHT), '--from', String(firstFleet)],
  },
  {
    name: 'ingress',
    what: `${FLEETS_A_NIGHT} random rollouts of IngressDaemonSets, from seed ${firstFleet} on`,
    argv: ['test/seeds.ts', 'ingress', '--seeds', String(FLEETS_A_NIGHT), '--from', String(firstFleet)],
  },
  {
    name: 'guards',
    what: `${FLEETS_A_NIGHT} random drains of guarded nodes, from seed ${firstFleet} on`,
    argv: ['test/seeds.ts', 'guards', '--seeds', String(FLEETS_A_NIGHT), '--from', String(firstFleet)],
  },
  {
    name: 'rolls',
    what: `${ROLLS_A_NIGHT} random worlds in which people change Rolls, from seed ${firstRolls} on`,
    argv: ['test/seeds.ts', 'rolls', '--seeds', String(ROLLS_A_NIGHT), '--from', String(firstRolls)],
  },
  {
    name: 'crash',
    what: 'a roll killed at every point',
    argv: ['test/run.ts', 'virtual/crash', 'virtual/prefer-done', 'virtual/parallel', 'virtual/balancer-hosts-killed'],
    env: { CRASH_STRIDE: '1' },
  },
  {
    name: 'claims',
    what: 'a roll killed at every point while a person has claimed its node, and at every write to a pod in a blocked drain',
    argv: ['test/run.ts', 'virtual/claims', 'virtual/blocked-crash'],
    env: { CRASH_STRIDE: '1' },
  },
  {
    name: 'writes',
    what: 'rolls with hooks, time windows, a lock of kured or announced conditions, killed at every write and effect',
    argv: [
      'test/run.ts',
      'virtual/hooks-crash',
      'virtual/balancer-hosts-hooks',
      'virtual/time-windows-killed',
      'virtual/kured-lock',
      'virtual/announced-conditions',
    ],
    env: { CRASH_STRIDE: '1' },
  },
  {
    name: 'kept',
    what: 'all seeds that once failed',
    argv: ['test/run.ts', 'virtual/swarm'],
    env: { KEPT_STRIDE: '1' },
  },
  { name: 'mutations', what: 'the engine with one thing wrong, under seeds and crashes', argv: ['test/mutations.ts'] },
  {
    name: 'rules',
    what: `each guard, step, refusal and limit of the code taken away, in worlds from number ${firstWorld} on`,
    argv: ['test/mutations.ts', 'rules', '--minutes', '55', '--from', String(firstWorld)],
  },
  {
    name: 'mutants',
    what: 'each statement changed, under the fast tests; goes on where the last night ended',
    argv: ['test/mutants.ts', '--minutes', '55'],
  },
  {
    name: 'dialects',
    what: 'a real cluster behind each kind of health check',
    argv: ['test/run.ts', 'cluster/agent-roll'],
    env: { EVERY_DIALECT: '1' },
  },
  {
    name: 'restarts',
    what: 'a real API server restarted in each step',
    argv: ['test/run.ts', 'roll-api-restarts'],
    env: { EVERY_STEP: '1' },
  },
  {
    name: 'trouble',
    what: 'bad luck, budgets and upgrades on real clusters, with the rows that are shown otherwise by day',
    argv: [
      'test/run.ts',
      'roll-luck',
      'roll-trouble',
      'roll-with-database',
      'roll-beside-brake',
      'roll-claims',
      'roll-budget',
      'roll-needed',
      'roll-prefer-done',
      'roll-as-job',
      'roll-object',
      'cluster/fleet-lock',
      'agent-install',
      'agent-brake',
      'bin/roll-by-commands',
    ],
    env: { EVERY_TROUBLE: '1' },
  },
  {
    name: 'machines',
    what: 'real nodes that come back broken, stay away, lose their network in a step, or restart their kubelet',
    argv: ['test/run.ts', 'roll-machines'],
    env: { EVERY_TROUBLE: '1' },
  },
  {
    name: 'stacked',
    what: 'a real control plane of static pods with three members of etcd: each of its nodes rebooted, by hand and by a roll',
    argv: ['test/run.ts', 'roll-stacked'],
    env: { EVERY_TROUBLE: '1' },
  },
  {
    name: 'departures',
    what: 'rolls of services that do nothing for their own exit: five times each, killed at ten writes, over ports of nodes, past budgets',
    argv: ['test/run.ts', 'roll-polite', 'roll-host-port'],
    env: { EVERY_TROUBLE: '1' },
  },
  {
    name: 'dns',
    what: `${FLEETS_A_NIGHT} random worlds of DNS with faults, from seed ${firstFleet} on`,
    argv: ['test/seeds.ts', 'dns', '--seeds', String(FLEETS_A_NIGHT), '--from', String(firstFleet)],
  },
  {
    name: 'dns-bed',
    what: 'ill DNS of a real cluster from each place that asks, its repair, rolls beside it, and loss in 5,000 checks',
    argv: ['test/run.ts', 'dns-check', 'roll-dns', 'malformed-replies', 'dns-loss', 'real-loss'],
    env: { EVERY_TROUBLE: '1' },
  },
  {
    name: 'kills',
    what: 'a controller of IngressDaemonSets killed at random writes to a real API server',
    argv: ['test/run.ts', 'kube-ingress-kills'],
    env: { EVERY_TROUBLE: '1' },
  },
  {
    name: 'drains',
    what: 'kubectl drain and rolls of guarded nodes of a real cluster, guards that follow their DaemonSet, and each hold on a real API server',
    argv: ['test/run.ts', 'kube-guard', 'cluster/guard-roll'],
    env: { EVERY_TROUBLE: '1' },
  },
  {
    name: 'forecasts',
    what: 'what a plan and explain say of 45 bad situations on a real API server, and what rolls of real nodes make of others',
    argv: ['test/run.ts', 'kube-preflight', 'kube-explain', 'roll-in-trouble'],
    env: { EVERY_TROUBLE: '1' },
  },
  {
    name: 'placements',
    what: `${CLUSTERS_A_NIGHT} drawn clusters from ${firstCluster} on, whose pods the embedded scheduler and a real one place alike`,
    argv: ['test/placements.ts', '--seeds', String(CLUSTERS_A_NIGHT), '--from', String(firstCluster)],
  },
  {
    name: 'api',
    what: '2,000 drawn sequences of requests on the embedded cluster and on a real API server with its controllers',
    argv: ['test/differential.ts', '--seeds', '2000', '--from', String(firstFleet), '--beside', '12'],
  },
  {
    name: 'objects',
    what: '5,000 objects drawn from the CustomResourceDefinitions, right and wrong, on a real API server with the whole controller',
    argv: ['test/run.ts', 'kube-drawn-objects'],
    env: { EVERY_TROUBLE: '1', DRAWN_FROM: String(firstDrawn) },
  },
  {
    name: 'fields',
    what: 'each field of an IngressDaemonSet on a real API server, with those that by day are shown by another one like them',
    argv: ['test/run.ts', 'kube-ingress-fields'],
    env: { EVERY_TROUBLE: '1' },
  },
  {
    name: 'checks',
    what: 'rolls behind a real HAProxy of which nothing but its check is known, all nodes by each kind of check, and killed at each write',
    argv: ['test/run.ts', 'bin/roll-by-health-check', 'virtual/health-check-crash'],
    env: { EVERY_TROUBLE: '1', CRASH_STRIDE: '1' },
  },
  {
    name: 'rollouts',
    what: 'rollouts of IngressDaemonSets under traffic on real clusters, by each way to detach and beside rolls',
    argv: ['test/run.ts', 'cluster/ingress-rollout', 'cluster/ingress-health', 'kube-ingress-groups'],
    env: { EVERY_TROUBLE: '1' },
  },
  {
    name: 'operation',
    what: 'rolls of a real cluster whose gates, hooks, silences, windows and neighbours fail, with a real Prometheus and Alertmanager',
    argv: ['test/run.ts', 'roll-operation'],
    env: { EVERY_TROUBLE: '1' },
  },
  {
    name: 'hosts',
    what: 'a real pair of HAProxy and keepalived rolled five times under traffic, alone and with a cluster behind it (package keepalived)',
    argv: ['test/run.ts', 'hold-while-moving', 'keepalived-pair', 'roll-balancer-pair'],
    env: { EVERY_TROUBLE: '1' },
  },
  {
    name: 'testbed',
    what: 'what a bed of nodes can do, and two of them side by side',
    argv: ['test/run.ts', 'testbed/'],
  },
  {
    name: 'install',
    what: 'each way to install a release, as the pages say it: the demo, and a roll of a real cluster',
    argv: ['test/run.ts', 'deploy/release', 'roll-from-release'],
    env: { EVERY_TROUBLE: '1' },
  },
  {
    name: 'pages',
    what: 'every page of a report in every form: axe, and no wider than the screen',
    argv: ['test/run.ts', 'roll/report/page-access'],
    env: { EVERY_LOOK: '1' },
  },
  {
    name: 'haproxy',
    what: `${SEQUENCES_A_NIGHT} drawn balancers in both worlds, from sequence ${firstSequence} on`,
    argv: ['test/run.ts', 'test/differential/haproxy.test.ts'],
    env: { HAPROXY_FROM: String(firstSequence), HAPROXY_SEEDS: String(SEQUENCES_A_NIGHT) },
  },
  {
    name: 'haproxy-config',
    what: `${FLEETS_A_NIGHT} drawn haproxy.cfg files, read and run, from file ${firstDrawn} on`,
    argv: ['--test', 'test/differential/haproxy-config.test.ts'],
    env: { HAPROXY_CONFIG_FROM: String(firstDrawn), HAPROXY_CONFIG_SEEDS: String(FLEETS_A_NIGHT) },
  },
  {
    name: 'kubectl',
    what: `${FLEETS_A_NIGHT} drawn sets of kubeconfigs, by which kubectl makes a request too, from set ${firstDrawn} on`,
    argv: ['--test', 'test/differential/kubectl.test.ts'],
    env: { KUBECONFIG_FROM: String(firstDrawn), KUBECONFIG_SEEDS: String(FLEETS_A_NIGHT) },
  },
  { name: 'soak', what: 'a real roll killed at each step and taken up again', argv: ['bench/soak.ts'] },
  { name: 'article', what: 'plain scripts and rolls, five times each', argv: ['bench/article.ts', '--runs', '5'] },
]

interface PartEnd {
  readonly name: string
  readonly outcome: string
  readonly minutes: number
}

async function ended({ name, argv, env = {} }: Part): Promise<PartEnd> {
  const startedMs = performance.now()
  const signal = AbortSignal.timeout(HOUR_MS)
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...argv], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    signal,
  })
  const { promise, resolve } = Promise.withResolvers<number | null>()
  child.on('error', () => undefined).on('close', resolve)
  const code = await promise
  const outcome = signal.aborted
    ? 'FAILED: took more than an hour'
    : code === 0
      ? 'passed'
      : `FAILED: exit code ${code}`
  return { name, outcome, minutes: (performance.now() - startedMs) / 60_000 }
}

const words = process.argv.slice(2)
const strangers = words.filter((word) => !PARTS.some(({ name }) => name === word))
if (strangers.length > 0) {
  console.error(
    `no part is called "${strangers.join('" or "')}"; there are: ${PARTS.map(({ name }) => name).join(', ')}`,
  )
  process.exit(2)
}
const ends: PartEnd[] = []
for (const part of PARTS.filter(({ name }) => words.length === 0 || words.includes(name))) {
  console.log(`\n== ${part.name}: ${part.what}`)
  ends.push(await ended(part))
}
console.log('')
for (const { name, outcome, minutes } of ends)
  console.log(`${name.padEnd(10)} ${minutes.toFixed(0).padStart(3)} min  ${outcome}`)
if (ends.some(({ outcome }) => outcome !== 'passed')) process.exitCode = 1
