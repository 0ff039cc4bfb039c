import type { SeededRandom } from '../../../../src/sim/clocks/seeded-random.ts'
import type { VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import type { ApiObject } from '../../../../src/sim/world/api-object.ts'
import {
  type ApiResource,
  CONFIG_MAPS,
  DAEMON_SETS,
  DEPLOYMENTS,
  DISRUPTION_BUDGETS,
  LEASES,
  NODES,
  PODS,
} from '../../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../../src/sim/world/create-object.ts'
import { deleteObject } from '../../../../src/sim/world/delete-object.ts'
import { MERGE_PATCH, patchObject } from '../../../../src/sim/world/patch-object.ts'
import { kuredDaemonSet } from '../kured-daemon-set.ts'

/** What is wrong with a cluster before a roll, and lasts. */
export interface Flaw {
  readonly name: string
  /** One of the nodes of the roll. */
  readonly node: string
}

/** `unseen`: instances of balancers without a runtime API; what people set there no roll can see. */
type Doing = (cluster: VirtualCluster, node: string, unseen: readonly string[]) => void

const patch = (cluster: VirtualCluster, resource: ApiResource, old: ApiObject | undefined, by: object): void => {
  if (old === undefined) return
  const to = { resource, old, contentType: MERGE_PATCH, patch: by, statusOnly: false }
  patchObject(cluster.world, to)
}

const remove = ({ world }: VirtualCluster, resource: ApiResource, at: { namespace?: string; name: string }): void => {
  const old = world.store.get(resource, at)
  if (old !== undefined) deleteObject(world, { resource, old, options: {} })
}

const onNode =
  (by: object): Doing =>
  (cluster, name) =>
    patch(cluster, NODES, cluster.world.store.get(NODES, { name }), by)

const create = (cluster: VirtualCluster, resource: ApiResource, { metadata, ...body }: { metadata: object }): void => {
  const namespace = (metadata as { namespace?: string }).namespace
  createObject(cluster.world, {
    resource,
    ...(namespace === undefined ? {} : { namespace }),
    body: { ...body, metadata },
  })
}

const aPod =
  (name: string, metadata: object = {}): Doing =>
  (cluster, nodeName) =>
    create(cluster, PODS, {
      ...{ apiVersion: 'v1', kind: 'Pod' },
      metadata: { name, namespace: 'default', ...metadata },
      spec: { nodeName, containers: [{ name: 'main', image: 'none' }] },
    } as never)

/** One replica on that node, with this template. */
const workload =
  (app: string, spec: object, metadata: object = {}): Doing =>
  (cluster, node) => {
    const affinity = {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            preference: { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] },
          },
        ],
      },
    }
    create(cluster, DEPLOYMENTS, {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
      metadata: { name: app, namespace: 'default' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app } },
        template: {
          metadata: { labels: { app }, ...metadata },
          spec: { affinity, containers: [{ name: 'main', image: 'none' }], ...spec },
        },
      },
    } as never)
  }

const budget =
  (name: string, spec: object): Doing =>
  (cluster) =>
    create(cluster, DISRUPTION_BUDGETS, {
      ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
      metadata: { name, namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'whoami' } }, ...spec },
    } as never)

const toServers =
  (word: string, isMeant: (server: string, node: string) => boolean): Doing =>
  ({ instances }, node, unseen) => {
    for (const { balancer } of instances.filter(({ name }) => !unseen.includes(name)))
      for (const { name, servers } of balancer.state.backends)
        for (const { config } of servers)
          if (isMeant(config.name, node)) balancer.answer(`set server ${name}/${config.name} ${word}`)
  }

const FLAWS: Readonly<Record<string, Doing>> = {
  'another node has no power': (cluster, node) =>
    [...cluster.machines.all()].find(({ name }) => name !== node)?.powerCut(),
  'the node has no power': (cluster, node) => cluster.machines.get(node)?.powerCut(),
  'the autoscaler removes the node': onNode({
    spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', value: '1', effect: 'NoSchedule' }] },
  }),
  'another program works on the node': onNode({
    metadata: { annotations: { 'weave.works/kured-reboot-in-progress': '2026-01-01T00:00:00Z' } },
  }),
  'the node has an unreadable record': onNode({ metadata: { annotations: { 'evenkeel.dev/record': '{}' } } }),
  'a person claims the node': onNode({
    metadata: {
      annotations: {
        'evenkeel.dev/maintenance': JSON.stringify({ version: 2, claims: [{ owner: 'person/ann', id: 'a1' }] }),
      },
    },
  }),
  'the claims of the node are unreadable': onNode({ metadata: { annotations: { 'evenkeel.dev/maintenance': '{' } } }),
  'the node is cordoned': onNode({ spec: { unschedulable: true } }),
  'the node is excluded from load balancers': onNode({
    metadata: { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } },
  }),
  'the Node is being deleted': (cluster, name) => {
    onNode({ metadata: { finalizers: ['example.com/kept'] } })(cluster, name, [])
    remove(cluster, NODES, { name })
  },
  'a pod without a controller': aPod('lone'),
  'a pod that is kept by a finalizer': (cluster, node) => {
    aPod('kept', { finalizers: ['example.com/kept'] })(cluster, node, [])
    remove(cluster, PODS, { namespace: 'default', name: 'kept' })
  },
  'a pod with data in an emptyDir': workload('cache', { volumes: [{ name: 'data', emptyDir: {} }] }),
  'a pod that is not safe to evict': workload(
    'train',
    {},
    { annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } },
  ),
  'a pod that is not to be disrupted': workload(
    'batch',
    {},
    { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
  ),
  'a pod that tolerates cordons': workload('tolerant', { tolerations: [{ operator: 'Exists' }] }),
  'a pod that only this node takes': (cluster, node) =>
    workload('bound', { nodeSelector: { 'kubernetes.io/hostname': node } })(cluster, node, []),
  'a budget that allows no eviction': budget('never', { maxUnavailable: 0 }),
  'a budget that needs all pods': budget('all', { minAvailable: '100%' }),
  'two budgets over a pod': (cluster, node) => {
    budget('one', { maxUnavailable: 1 })(cluster, node, [])
    budget('other', { maxUnavailable: 1 })(cluster, node, [])
  },
  'another run has the slot': (cluster) =>
    create(cluster, LEASES, {
      ...{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
      metadata: { namespace: 'evenkeel', name: 'evenkeel-slot-0' },
      spec: { holderIdentity: 'another-run/1', leaseDurationSeconds: 30 },
    } as never),
  'the node budget is unreadable': (cluster) => {
    const name = 'evenkeel-budget'
    const old = cluster.world.store.get(CONFIG_MAPS, { namespace: 'evenkeel', name })
    if (old === undefined)
      create(cluster, CONFIG_MAPS, { metadata: { namespace: 'evenkeel', name }, data: { maxOut: 'many' } } as never)
    else patch(cluster, CONFIG_MAPS, old, { data: { maxOut: 'many' } })
  },
  'kured reboots another node': (cluster) => {
    const lock = { nodeID: 'n2', metadata: { unschedulable: false }, created: '2025-12-31T23:59:00Z', TTL: 0 }
    const at = { namespace: 'kube-system', name: 'kured' }
    if (cluster.world.store.get(DAEMON_SETS, at) === undefined) create(cluster, DAEMON_SETS, kuredDaemonSet() as never)
    const annotations = { 'weave.works/kured-node-lock': JSON.stringify(lock) }
    patch(cluster, DAEMON_SETS, cluster.world.store.get(DAEMON_SETS, at), { metadata: { annotations } })
  },
  'all other servers are in maint': toServers('state maint', (server, node) => server !== node),
  'the server of the node is in maint': toServers('state maint', (server, node) => server === node),
  'the server of the node has weight 0': toServers('weight 0', (server, node) => server === node),
}

export const FLAW_NAMES: readonly string[] = Object.keys(FLAWS)

/** In half of the worlds one, in a quarter none, in the others two. */
export function flawsOf(random: SeededRandom, nodes: readonly string[]): readonly Flaw[] {
  const count = [0, 1, 1, 2][random.below(4)] ?? 0
  return Array.from({ length: count }, () => ({
    name: FLAW_NAMES[random.below(FLAW_NAMES.length)] ?? '',
    node: nodes[random.below(nodes.length)] ?? '',
  })).filter(({ name }, at, all) => all.findIndex((other) => other.name === name) === at)
}

export function bringAbout(cluster: VirtualCluster, { name, node }: Flaw, unseen: readonly string[]): void {
  FLAWS[name]?.(cluster, node, unseen)
}
