import type { DisruptionBudget } from '../../src/ground/model/disruption-budget.ts'
import type { Node } from '../../src/ground/model/node.ts'
import type { Pod } from '../../src/ground/model/pod.ts'
import { monoMs, wallMs } from '../../src/ground/model/time.ts'
import type { Workload } from '../../src/ground/model/workload.ts'
import { type Evidence, noEvidence } from '../../src/roll/decide/evidence.ts'
import type { NodeSnapshot } from '../../src/roll/decide/node-snapshot.ts'
import type { RollSnapshot } from '../../src/roll/decide/snapshot.ts'
import type { RollSpec } from '../../src/roll/model/roll-spec.ts'
import type { InstanceSnapshot } from '../../src/service/decide/instance-snapshot.ts'
import type { ServerReading } from '../../src/service/model/balancer.ts'
import type { NodeRecord } from '../../src/service/model/node-record.ts'

export const BOOT = '11111111-1111-4111-8111-111111111111'
export const NEW_BOOT = '22222222-2222-4222-8222-222222222222'

export const aSpec = (change: Partial<RollSpec> = {}): RollSpec => ({
  name: 'test',
  nodes: { names: [], all: true, allowUnbalanced: false },
  slots: { namespace: 'evenkeel', leaseDurationMs: 120_000 },
  balancers: [
    {
      name: 'edge',
      instances: ['lb-1'],
      backends: ['web'],
      allowLastServer: false,
      via: { kind: 'haproxy', instances: [{ name: 'lb-1', address: { kind: 'unix', path: '/run/haproxy.sock' } }] },
    },
  ],
  detach: { idleLimitMs: 180_000 },
  drain: {
    daemonSets: [],
    deleteEmptyDirData: false,
    deleteUnmanaged: false,
    blockedLimitMs: 600_000,
    stageLimitMs: 1_800_000,
  },
  reboot: { kind: 'command', command: ['true'], resendAfterMs: 60_000, returnLimitMs: 900_000 },
  settle: { limitMs: 600_000, timesInARow: 3, dataPort: true },
  attach: { limitMs: 300_000 },
  soakMs: 10_000,
  ...change,
})

export const aNode = (name: string, change: Partial<Node> = {}): Node => ({
  name,
  uid: `uid-${name}`,
  resourceVersion: '1',
  labels: {},
  annotations: {},
  unschedulable: false,
  taints: [],
  ready: 'True',
  heartbeat: '2026-01-01T00:00:00Z',
  bootId: BOOT,
  internalAddresses: [`10.0.0.${name.slice(1)}`],
  volumesAttached: [],
  ...change,
})

export const aPod = (name: string, nodeName: string, change: Partial<Pod> = {}): Pod => ({
  namespace: 'shop',
  name,
  uid: `uid-${name}`,
  resourceVersion: '1',
  nodeName,
  labels: { app: 'cart' },
  phase: 'Running',
  ready: true,
  terminating: false,
  mirror: false,
  controller: { kind: 'ReplicaSet', name: 'cart', uid: 'uid-cart' },
  claims: [],
  usesEmptyDir: false,
  containerIds: { web: `containerd://${name}-1` },
  createdAt: '2026-01-01T00:00:00Z',
  nodeSelector: {},
  ...change,
})

export const aWorkload = (change: Partial<Workload> = {}): Workload => ({
  kind: 'ReplicaSet',
  namespace: 'shop',
  name: 'cart',
  uid: 'uid-cart',
  labels: {},
  selector: { matchLabels: { app: 'cart' }, matchExpressions: [] },
  desired: 2,
  ready: 2,
  ...change,
})

export const aBudget = (change: Partial<DisruptionBudget> = {}): DisruptionBudget => ({
  namespace: 'shop',
  name: 'cart',
  uid: 'uid-budget',
  selector: { matchLabels: { app: 'cart' }, matchExpressions: [] },
  minAvailable: '2',
  disruptionsAllowed: 0,
  currentHealthy: 2,
  desiredHealthy: 2,
  expectedPods: 3,
  syncFailed: false,
  ...change,
})

export const aServer = (server: string, change: Partial<ServerReading> = {}): ServerReading => ({
  ref: { instance: 'lb-1', backend: 'web', server },
  address: `10.0.0.${server.slice(1)}`,
  port: 30080,
  adminState: 'ready',
  ownState: change.adminState ?? 'ready',
  inherited: false,
  operational: 'up',
  check: 'passing',
  checkText: 'L7OK/200',
  agent: false,
  persistent: false,
  backup: false,
  currentSessions: 0,
  queued: 0,
  totalSessions: 100,
  idleConnections: 0,
  weight: 1,
  ...change,
})

export const anInstance = (
  servers: readonly ServerReading[],
  change: Partial<InstanceSnapshot> = {},
): InstanceSnapshot => ({
  balancer: 'edge',
  instance: 'lb-1',
  backends: ['web'],
  allowLastServer: false,
  silentForMs: 0,
  askedAt: monoMs(1000),
  reading: { instance: 'lb-1', process: '100', version: '2.6.12', at: monoMs(1000), servers },
  ...change,
})

export const aRecord = (change: Partial<NodeRecord> = {}): NodeRecord => ({
  version: 1,
  run: 'run-1',
  at: '2026-01-01T00:00:00.000Z',
  bootId: BOOT,
  unschedulable: false,
  taints: [],
  servers: [
    {
      balancer: 'edge',
      instance: 'lb-1',
      backend: 'web',
      server: 'n1',
      address: '10.0.0.1',
      port: 30080,
      state: 'ready',
    },
  ],
  daemons: [],
  workloads: {},
  dnsReady: 0,
  ...change,
})

const someEvidence = (change: Partial<Evidence> = {}): Evidence => ({
  ...noEvidence('n1', wallMs(0)),
  slotTakenAt: monoMs(0),
  ...change,
})

interface World {
  readonly node?: Partial<Node>
  readonly record?: NodeRecord
  readonly announced?: boolean
  readonly servers?: readonly ServerReading[]
  readonly evidence?: Partial<Evidence>
  readonly change?: Partial<RollSnapshot>
  readonly pods?: readonly Pod[]
  readonly workloads?: readonly Workload[]
  readonly budgets?: readonly DisruptionBudget[]
}

/** Three nodes, one balancer, n1 under way with a slot; what a test changes is what it is about. */
export function aSnapshot(world: World = {}): NodeSnapshot {
  const node = aNode('n1', world.node)
  const { record } = world
  return {
    now: monoMs(1_000_000),
    wall: wallMs(1_700_000_000_000),
    spec: aSpec(),
    run: { id: 'run-1', order: ['n1', 'n2', 'n3'], done: [] },
    current: {
      node,
      dataPorts: {},
      ...(record === undefined ? {} : { record: { ok: true, value: record } }),
      ...(world.announced === true
        ? { intent: { ok: true, value: { version: 1, run: 'run-1', bootId: BOOT, at: '2026-01-01T00:00:00Z' } } }
        : {}),
    },
    cluster: {
      nodes: [node, aNode('n2'), aNode('n3')],
      pods: world.pods ?? [],
      budgets: world.budgets ?? [],
      workloads: world.workloads ?? [],
      attachments: [],
      claims: [],
      slices: [],
      staleForMs: 0,
    },
    instances: [anInstance(world.servers ?? [aServer('n1'), aServer('n2'), aServer('n3')])],
    slot: { state: 'mine', mayAct: true },
    journalWritable: true,
    reloads: [],
    evidence: someEvidence(world.evidence),
    ...world.change,
  }
}

/** The detach of n1 as confirmed a second ago. */
export const detachedEvidence = (change: Partial<Evidence['detached'][string]> = {}): Pick<Evidence, 'detached'> => ({
  detached: {
    'web/n1 on lb-1': {
      process: '100',
      since: monoMs(999_000),
      totalSessions: 100,
      strays: 0,
      cutSessions: 0,
      ...change,
    },
  },
})

export const drained = (change: Partial<ServerReading> = {}): readonly ServerReading[] => [
  aServer('n1', { adminState: 'drain', ...change }),
  aServer('n2'),
  aServer('n3'),
]
