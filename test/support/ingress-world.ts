import { formatClaims, MAINTENANCE_ANNOTATION } from '../../src/ground/model/claims.ts'
import type { Node } from '../../src/ground/model/node.ts'
import type { SeenSlot } from '../../src/ground/model/slot.ts'
import { wallMs } from '../../src/ground/model/time.ts'
import { formatOp, type IngressOp, OP_ANNOTATION } from '../../src/ingress/decide/op.ts'
import type { IngressDeployment, IngressNode, IngressSnapshot } from '../../src/ingress/decide/snapshot.ts'
import type { IngressDaemonSet, IngressSpec } from '../../src/ingress/model/ingress-daemon-set.ts'
import { HOLDERS_ANNOTATION } from '../../src/service/decide/detach-holders.ts'

export const NOW = 1_767_225_600_000
export const OWNER = 'ingress/edge.web'
export const DEPLOYMENT_MARK = { key: 'evenkeel.dev/detach', value: 'true', graceMs: 30_000 }
export const NODE_MARK = { key: 'node-detacher.variant.run/detached', value: 'evenkeel', graceMs: 20_000 }
export const ACKNOWLEDGEMENT = { key: 'node-detacher.variant.run/detachment-timestamp', graceMs: 10_000 }

export type SpecChange = Partial<Omit<IngressSpec, 'rollout' | 'detach'>> & {
  readonly rollout?: Partial<IngressSpec['rollout']>
  readonly detach?: Partial<IngressSpec['detach']>
}

/** Two pods on each node, detached by the mark of the Deployment alone. */
export function anIngress({ rollout, detach, ...change }: SpecChange = {}): IngressDaemonSet {
  return {
    group: 'evenkeel.dev',
    namespace: 'edge',
    name: 'web',
    uid: 'uid-web',
    resourceVersion: '1',
    generation: 2,
    labels: {},
    finalizers: ['evenkeel.dev/detached-nodes'],
    deleting: false,
    spec: {
      podsPerNode: 2,
      minReadyPodsPerNode: 2,
      minReadySeconds: 5,
      nodeSelector: {},
      selector: { app: 'web' },
      healthCheckNodePorts: [30_900],
      healthChecker: { imagePullPolicy: 'IfNotPresent', serviceAccountName: 'default' },
      strategy: { kind: 'detach', maxUnavailableNodes: { kind: 'count', count: 1 } },
      onCordon: 'Detach',
      drainGate: 'Closed',
      placement: 'Affinity',
      revisionHistoryLimit: 10,
      template: { object: {}, labels: { app: 'web' }, hostNetwork: false },
      ...change,
      rollout: {
        paused: false,
        partition: 0,
        failureThreshold: 1,
        autoRollback: false,
        progressDeadlineMs: 600_000,
        minInServiceNodes: 1,
        zoneKey: 'topology.kubernetes.io/zone',
        replaceUnavailableFirst: false,
        ...rollout,
      },
      detach: {
        deployment: DEPLOYMENT_MARK,
        timeoutMs: 600_000,
        onTimeout: 'Pause',
        attachGraceMs: 10_000,
        ...detach,
      },
    },
  }
}

export function aClusterNode(name: string, change: Partial<Node> = {}): Node {
  return {
    name,
    uid: `uid-${name}`,
    resourceVersion: '1',
    labels: {},
    annotations: {},
    unschedulable: false,
    taints: [],
    ready: 'True',
    heartbeat: '',
    bootId: 'boot-1',
    internalAddresses: [],
    volumesAttached: [],
    ...change,
  }
}

/** All pods there, of revision r1, and its gate closed. */
export const aDeployment = (change: Partial<IngressDeployment> = {}): IngressDeployment => ({
  revision: 'r1',
  annotations: {},
  replicas: 2,
  updated: 2,
  ready: 2,
  available: 2,
  isObserved: true,
  oldPods: 0,
  failedPods: 0,
  shutDownPods: 0,
  runningPods: 2,
  gate: 'closed',
  ...change,
})

/** In seconds before now; its graces are over. */
export function anOp(
  change: Partial<IngressOp> = {},
  ago: { t0?: number; t1?: number; t2?: number; t3?: number } = {},
) {
  const at = (seconds: number) => wallMs(NOW - seconds * 1_000)
  const times = Object.entries(ago).map(([key, seconds]) => [key, at(seconds)])
  return {
    id: 'op-1',
    revision: 'r2',
    phase: 'Detaching',
    t0: at(100),
    ...Object.fromEntries(times),
    ...change,
  } as IngressOp
}

/** What of ours asks for the detach: claim `c`, mark of the Deployment `d`, mark of the Node with its holder `n`. */
interface NodeScene {
  readonly op?: IngressOp | string
  readonly asks?: string
  readonly slot?: IngressNode['slot']
  readonly node?: Partial<Node>
  readonly deployment?: Partial<IngressDeployment> | 'none'
  readonly is?: Partial<IngressNode>
}

export const OURS: IngressNode['slot'] = { kind: 'ours', index: 0, takenAt: wallMs(NOW - 1_000) }

export function aNodeOf(name: string, scene: NodeScene = {}): IngressNode {
  const { op, asks = '', slot = { kind: 'none' }, node = {}, deployment = {}, is = {} } = scene
  const claim = formatClaims([{ owner: OWNER, id: 'op-1', at: new Date(NOW - 95_000).toISOString() }])
  const annotations = {
    ...(asks.includes('c') ? { [MAINTENANCE_ANNOTATION]: claim } : {}),
    ...(asks.includes('n')
      ? {
          [NODE_MARK.key]: NODE_MARK.value,
          [HOLDERS_ANNOTATION]: JSON.stringify({ version: 1, holders: { [NODE_MARK.key]: [OWNER] } }),
        }
      : {}),
    ...node.annotations,
  }
  const onDeployment = {
    ...(op === undefined ? {} : { [OP_ANNOTATION]: typeof op === 'string' ? op : formatOp(op) }),
    ...(asks.includes('d') ? { [DEPLOYMENT_MARK.key]: DEPLOYMENT_MARK.value } : {}),
  }
  return {
    name,
    node: aClusterNode(name, { ...node, annotations }),
    eligibility: 'Run',
    isGoing: false,
    pods: 2,
    slot,
    ...(deployment === 'none'
      ? {}
      : {
          deployment: aDeployment({
            ...deployment,
            annotations: { ...onDeployment, ...deployment.annotations },
          }),
        }),
    ...is,
  }
}

/** For budgets: nodes that are out, by the plainest reason. */
export const outFor = (node: string, kind: 'slot' | 'claimed' | 'notReady' | 'recorded', run?: string) =>
  ({ node, why: [{ kind, text: 'x', ...(run === undefined ? {} : { run }) }] }) as const

export const aSlot = (index: number, node: string, change: Partial<SeenSlot> = {}): SeenSlot => ({
  index,
  owner: { holder: 'other/1', run: 'other', node },
  isStale: false,
  renewTime: '',
  durationMs: 15_000,
  ...change,
})

/** Revision r2 is wanted, r1 is the one before; the budget allows three of twelve nodes. */
export function aScene(
  nodes: readonly IngressNode[],
  { spec, ...change }: Partial<IngressSnapshot> & { readonly spec?: SpecChange } = {},
): IngressSnapshot {
  return {
    object: anIngress(spec),
    now: wallMs(NOW),
    isFresh: true,
    revisions: { desired: 'r2', current: 'r1' },
    budget: { limit: { kind: 'count', count: 3 }, fleet: 12, out: [], slots: [] },
    nodes,
    ...change,
  }
}
