/** Which test files run beside one another, in which order, and for how long each may run. */

export interface Lane {
  readonly files: readonly string[]
  /** Files at a time, each in a process of its own; `oneProcess`: one after the other in the same. */
  readonly concurrency: number | 'oneProcess'
  /** Takes the processor time that all others leave, in this stage and in those after it. It runs in a session of its own. */
  readonly polite?: boolean
  /** Each file has this long, or all of `oneProcess` together; a file that takes longer is ended and has failed. */
  readonly limitMs: number
}

const FAST_LIMIT_MS = 5 * 60_000
/** Hundreds of files, one after the other, beside the rest of their stage. */
const ONE_PROCESS_LIMIT_MS = 10 * 60_000
const VIRTUAL_LIMIT_MS = 30 * 60_000
const CLUSTER_LIMIT_MS = 25 * 60_000
/** For files that are asked for by name: by night they have many more rows. */
const CLUSTER_BY_NAME_LIMIT_MS = 55 * 60_000

/** The longest first, so that no lane is left with it at the end. Files that are not named come after these. */
const LONGEST = [
  'contract/real-haproxy',
  'contract/embedded-kubectl',
  'demo/dns-demo.',
  'demo/ingress-demo.',
  'demo/guard-demo.',
  'roll/report/page.',
  'roll/report/page-access',
  'sim/loopback/loopback-ingress',
  'dns-check',
  'roll-luck',
  'roll-api-restarts',
  'roll-with-database',
  'cluster-contract',
  'roll-budget',
  'roll-input',
  'kube-adapter',
  'agent-install',
  'agent-outage',
  'virtual/swarm.',
  'virtual/swarm-events.',
]

/**
 * Only what waits for a processor without harm runs beside each of them. The README shows the figures of the first. The others have health checks that
 * must be answered within a second, which fails beside another cluster under as much traffic.
 */
const ALONE = [
  'test/cluster/roll-clean.test.ts',
  'test/cluster/agent-roll.test.ts',
  'test/cluster/roll-beside-brake.test.ts',
  'test/cluster/roll-claims.test.ts',
  'test/cluster/roll-polite.test.ts',
]

/** The same, without a real cluster: three agents, a HAProxy and a prober, each a process, under such traffic; or an embedded cluster that is rolled. */
const ALONE_ON_LOOPBACK = [
  'test/bin/roll-by-agents.test.ts',
  'test/bin/roll-by-commands.test.ts',
  'test/bin/roll-by-health-check.test.ts',
  'test/demo/operator-demo.test.ts',
]

/** Beds whose time is mostly waited out, by the clocks of kubelets and of the outage, with little or no traffic. */
const WAITING = ['test/cluster/agent-install.test.ts', 'test/cluster/agent-outage.test.ts']

/** Control planes without nodes, which wait for most of their time; then beds that carry no traffic. */
const LIGHT = ['test/cluster/kube-', 'test/testbed/']

/** What brings clusters up. */
const CLUSTER = ['test/cluster/', 'test/testbed/']

/**
 * `npm run nightly` has a part for each of these files. By day other tests show the same:
 * - what the test bed can do: every test on a cluster;
 * - rolls in the worst luck, beside a brake or other rolls, while the API server restarts, or while DNS is ill: virtual time, and the tests of the loops;
 * - bursts of cordons: virtual time, and `kube-controller`;
 * - nodes that need no reboot: virtual time, `ground/machine/ssh-need` and `bin/roll-only-if-needed`;
 * - pods that leave politely, or past their budgets: virtual time;
 * - rolls from what is installed of a release: `deploy/release`, without a cluster;
 * - a roll as a Job: the tables of `roll/decide/own-pod`, and `bin/roll-in-pod` on the embedded cluster;
 * - Rolls as objects: virtual time, the demo of Rolls, and `kube-chart-crds`;
 * - clients that ask by FleetLock: virtual time, and the tests of the door;
 * - rolls by agents: `bin/roll-by-agents`, on the embedded cluster;
 * - health ports of an IngressDaemonSet: virtual time, and the tests of the agent's process;
 * - a real pair of HAProxy and keepalived: virtual time;
 * - a control plane on the nodes of the roll: the tables of `roll/decide/control-plane`;
 * - the two groups of IngressDaemonSets: `kube-ingress-crd`, and the tables of `ingress/decide`.
 */
const AT_NIGHT = [
  'test/ground/machine/keepalived-pair.test.ts',
  'test/testbed/cluster.test.ts',
  'test/testbed/side-by-side.test.ts',
  'test/cluster/agent-brake.test.ts',
  'test/cluster/agent-roll.test.ts',
  'test/cluster/fleet-lock.test.ts',
  'test/cluster/guard-roll.test.ts',
  'test/cluster/ingress-health.test.ts',
  'test/cluster/kube-explain.test.ts',
  'test/cluster/kube-ingress-groups.test.ts',
  'test/cluster/kube-preflight.test.ts',
  'test/cluster/roll-api-restarts.test.ts',
  'test/cluster/roll-as-job.test.ts',
  'test/cluster/roll-balancer-pair.test.ts',
  'test/cluster/roll-beside-brake.test.ts',
  'test/cluster/roll-budget.test.ts',
  'test/cluster/roll-claims.test.ts',
  'test/cluster/roll-dns.test.ts',
  'test/cluster/roll-from-release.test.ts',
  'test/cluster/roll-needed.test.ts',
  'test/cluster/roll-object.test.ts',
  'test/cluster/roll-polite.test.ts',
  'test/cluster/roll-host-port.test.ts',
  'test/cluster/roll-in-trouble.test.ts',
  'test/cluster/roll-machines.test.ts',
  'test/cluster/roll-operation.test.ts',
  'test/cluster/roll-prefer-done.test.ts',
  'test/cluster/roll-stacked.test.ts',
  'test/cluster/roll-trouble.test.ts',
]

/** Files without those that run by their names alone. */
export const byDay = (all: readonly string[]): readonly string[] => all.filter((file) => !AT_NIGHT.includes(file))

/** They run on a virtual clock: a wait for a processor changes no result. */
const VIRTUAL = ['test/virtual/']

/** They share nothing and hardly any of them starts a process, so that one process does for all of them. */
const PURE =
  /^test\/(bench|ground\/(model|loop|text)|[a-z]+\/(model|decide|actuators)|(ingress|service)\/run|roll\/(file|run|probe|cli\/screen)|agent\/run\/brake|sim\/(actors|balancer|machines|network|plane|traffic|world))\/(?!.*\bio\/)/

/**
 * One stage after the other; the lanes of a stage side by side. Half of the time a file waits for something, so that there
 * is room for one more than there are processors. Of clusters under traffic there is not: three starve two processors. What
 * all of these leave of them is taken by virtual time, which begins with the first stage. `isFast`: no cluster is brought up. `isByName`: the
 * files are those that were asked for.
 */
export function stagesOf(
  all: readonly string[],
  { isFast, isByName }: { readonly isFast: boolean; readonly isByName: boolean },
): readonly (readonly Lane[])[] {
  const clusterLimitMs = isByName ? CLUSTER_BY_NAME_LIMIT_MS : CLUSTER_LIMIT_MS
  const chosen = (isChosen: (file: string) => boolean): readonly string[] =>
    all.filter(isChosen).toSorted((left, right) => place(left) - place(right))
  const below = (folders: readonly string[]): readonly string[] =>
    chosen((file) => folders.some((folder) => file.startsWith(folder)))
  const pure = chosen((file) => PURE.test(file))
  const [clusters, virtual, light] = [below(CLUSTER), below(VIRTUAL), below(LIGHT)]
  const [alone, waiting] = [below(ALONE), below(WAITING)]
  const aloneOnLoopback = below(ALONE_ON_LOOPBACK)
  const known = new Set([...clusters, ...pure, ...virtual, ...aloneOnLoopback])
  const others = below(['test/']).filter((file) => !known.has(file))
  const elsewhere = new Set([...alone, ...waiting, ...light])
  const withNodes = clusters.filter((file) => !elsewhere.has(file))
  // Nothing of theirs has to be left to others then, and who asks for one file waits for it.
  const isWithoutClusters = isFast || clusters.length === 0
  const apart: Lane = { files: others, concurrency: 3, limitMs: FAST_LIMIT_MS }
  const together: Lane = { files: pure, concurrency: 'oneProcess', limitMs: ONE_PROCESS_LIMIT_MS }
  const inVirtualTime: Lane = { files: virtual, concurrency: 2, polite: !isWithoutClusters, limitMs: VIRTUAL_LIMIT_MS }
  const byItself = (files: readonly string[]): readonly Lane[] => [{ files, concurrency: 1, limitMs: clusterLimitMs }]
  if (isWithoutClusters) return [[apart, together], [inVirtualTime], byItself(aloneOnLoopback)]
  return [
    [apart, { files: light, concurrency: 2, limitMs: clusterLimitMs }, inVirtualTime],
    [
      { files: withNodes, concurrency: 2, limitMs: clusterLimitMs },
      { files: waiting, concurrency: 1, limitMs: clusterLimitMs },
    ],
    // It needs a minute of a processor: before that, control planes leave it a fifth of one, and tests of real time still less.
    [...byItself([...aloneOnLoopback, ...alone]), { ...together, polite: true }],
  ]
}

const place = (file: string): number => {
  const at = LONGEST.findIndex((name) => file.includes(name))
  return at === -1 ? LONGEST.length : at
}
