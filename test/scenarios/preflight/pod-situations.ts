import type { BadSituation } from '../../support/preflight/bad-situation.ts'
import { localVolume, node, nodes, pods, replicas, withClaim } from '../../support/preflight/manifests.ts'

const ALL = ['n1', 'n2', 'n3']
const hostname = 'kubernetes.io/hostname'
const requiredAffinity = (key: string, values: readonly string[]): object => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values }] }],
    },
  },
})

/** Pods that are lost, or are away while their node is. */
export const POD_SITUATIONS: readonly BadSituation[] = [
  {
    title: 'pods without a controller, twelve of them',
    objects: pods('debug', { on: Array.from({ length: 12 }, (_, i) => `n${(i % 3) + 1}`) }),
    code: 'PodUnmanaged',
    says: '12 pods (default/debug-0, default/debug-1 and 10 more) have no controller that would replace them',
    fix: 'drain.deleteUnmanaged: true',
    exit: 2,
    explain: {
      of: 'pod default/debug-0',
      code: 'PodUnmanaged',
      says: /^default\/debug-0 runs on n1; .*has no controller that would replace it/,
    },
  },
  {
    title: 'pods of two workloads with data in an emptyDir',
    objects: ['cache', 'queue'].flatMap((app) =>
      replicas(app, { on: ALL, spec: { volumes: [{ name: 'data', emptyDir: {} }] } }),
    ),
    code: 'PodEmptyDir',
    says: '6 pods of 2 workloads (ReplicaSet default/cache and ReplicaSet default/queue) keep data in an emptyDir',
    fix: 'drain.deleteEmptyDirData: true',
    exit: 2,
    explain: {
      of: 'pod default/cache-0',
      code: 'PodEmptyDir',
      says: /keeps data in an emptyDir, which is lost when it moves$/,
      isFact: true,
    },
  },
  {
    title: 'three workloads of one replica each',
    objects: ['a', 'b', 'c'].flatMap((app) => replicas(app, { on: ['n1'] })),
    code: 'SingleReplica',
    says: '3 workloads (ReplicaSet default/a, ReplicaSet default/b and 1 more) have 1 replica each',
    fix: 'give each a second replica',
    exit: 0,
    explain: 'nothing waits for it, and no node or pod shows how many replicas there are',
  },
  {
    title: 'a pod with a volume of its node’s disk',
    objects: [
      ...localVolume('data-1', 'n1'),
      ...replicas('db', { on: ['n1', 'n2'], spec: withClaim('data-1') }).slice(0, 1),
      ...replicas('db', { on: ['n1', 'n2'], spec: withClaim('data-1') }).slice(1),
    ],
    spec: { nodes: { names: ['n1'] } },
    code: 'BoundByVolume',
    says: 'no other node takes default/db-0: no other node reaches the volume',
    fix: 'storage that several nodes reach',
    exit: 0,
    explain: {
      of: 'replacement',
      evicted: ['db-0'],
      code: 'PodPending',
      says: /^default\/db-\S+ has no node: 0\/3 nodes are available: .*PersistentVolume's node affinity/,
    },
  },
  {
    title: 'a nodeSelector that only a cordoned node matches',
    nodes: [node('n1', { labels: { disk: 'ssd' }, spec: { unschedulable: true } }), node('n2'), node('n3')],
    objects: replicas('cart', { on: ['n1', 'n1'], spec: { nodeSelector: { disk: 'ssd' } } }),
    spec: { nodes: { names: ['n1'] } },
    code: 'BoundBySelector',
    says: 'no other node takes 2 pods of ReplicaSet default/cart, nor would its own node after the reboot: no other node has',
    fix: 'uncordon their node',
    exit: 3,
    explain: {
      of: 'replacement',
      evicted: ['cart-0'],
      code: 'PodPending',
      says: /^default\/cart-\S+ has no node: /,
    },
  },
  {
    title: 'a nodeSelector that only one node matches',
    nodes: [node('n1', { labels: { disk: 'ssd' } }), node('n2'), node('n3')],
    objects: replicas('cart', { on: ['n1', 'n1'], spec: { nodeSelector: { disk: 'ssd' } } }),
    code: 'BoundBySelector',
    says: 'no other node takes 2 pods of ReplicaSet default/cart: no other node has the labels',
    fix: 'label another node',
    exit: 0,
    explain: {
      of: 'replacement',
      evicted: ['cart-0'],
      code: 'PodPending',
      says: /2 node\(s\) didn't match Pod's node affinity\/selector/,
    },
  },
  {
    title: 'a required node affinity that only one node matches',
    objects: replicas('cart', { on: ['n2'], spec: { affinity: requiredAffinity(hostname, ['n2']) } }),
    code: 'BoundBySelector',
    says: 'no other node takes default/cart-0',
    fix: 'label another node',
    exit: 0,
    explain: {
      of: 'replacement',
      evicted: ['cart-0'],
      code: 'PodPending',
      says: /2 node\(s\) didn't match Pod's node affinity\/selector/,
    },
  },
  {
    title: 'a required anti-affinity with as many pods as nodes',
    objects: replicas('cart', {
      on: ALL,
      spec: {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: hostname, labelSelector: { matchLabels: { app: 'cart' } } },
            ],
          },
        },
      },
    }),
    code: 'BoundByAntiAffinity',
    says: 'no other node takes 3 pods of ReplicaSet default/cart',
    fix: 'one node more than replicas',
    exit: 0,
    explain: {
      of: 'replacement',
      evicted: ['cart-0'],
      code: 'PodPending',
      says: /2 node\(s\) didn't match pod anti-affinity rules/,
    },
  },
  {
    title: 'a topology spread that allows no other node',
    objects: replicas('cart', {
      on: ALL,
      spec: {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: hostname,
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: { app: 'cart' } },
          },
        ],
      },
    }),
    code: 'BoundBySpread',
    says: 'no other node takes 3 pods of ReplicaSet default/cart: topology spread',
    fix: 'raise maxSkew',
    exit: 0,
    explain: {
      of: 'replacement',
      evicted: ['cart-0'],
      code: 'PodPending',
      says: /2 node\(s\) didn't match pod topology spread constraints/,
      onRealAlone: true,
    },
  },
  {
    title: 'a hostPort that is taken everywhere',
    objects: replicas('edge', {
      on: ALL,
      container: { ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] },
    }),
    code: 'BoundByHostPort',
    says: 'every other node has a pod with the same hostPort',
    fix: 'one node more than replicas',
    exit: 0,
    explain: {
      of: 'replacement',
      evicted: ['edge-0'],
      code: 'PodPending',
      says: /2 node\(s\) didn't have free ports for the requested pod ports/,
      onRealAlone: true,
    },
  },
]

/** What moves has no room. */
export const ROOM_SITUATIONS: readonly BadSituation[] = [
  {
    title: 'pods that ask for more cpu than any other node has left',
    nodes: nodes(3, { cpu: '4' }),
    objects: replicas('cart', { on: ALL, requests: { cpu: '2500m' } }),
    code: 'NoRoom',
    says: 'no other node takes 3 pods of ReplicaSet default/cart, for lack of room: the largest asks for cpu 2.5 and memory 0, and another node has at most cpu 1.5',
    fix: 'add a node, or lower what pods ask for',
    exit: 3,
    explain: {
      of: 'replacement',
      evicted: ['cart-0'],
      code: 'PodPending',
      says: /2 Insufficient cpu/,
      onRealAlone: true,
    },
  },
  {
    title: 'pods that ask for more memory than any other node has left',
    nodes: nodes(3, { memory: '8Gi' }),
    objects: replicas('cart', { on: ALL, requests: { memory: '5Gi' } }),
    code: 'NoRoom',
    says: 'asks for cpu 0m and memory 5Gi, and another node has at most cpu 4 and memory 3Gi free',
    fix: 'add a node',
    exit: 3,
    explain: {
      of: 'replacement',
      evicted: ['cart-0'],
      code: 'PodPending',
      says: /2 Insufficient memory/,
      onRealAlone: true,
    },
  },
  {
    title: 'nodes with as many pods as they may have',
    nodes: nodes(3, { pods: '2' }),
    objects: replicas('cart', { on: [...ALL, ...ALL] }),
    code: 'NoRoom',
    says: 'no other node takes 6 pods of ReplicaSet default/cart, for lack of room: each has as many pods as it may have',
    fix: 'add a node',
    exit: 3,
    explain: { of: 'replacement', evicted: ['cart-0'], code: 'PodPending', says: /2 Too many pods/, onRealAlone: true },
  },
  {
    title: 'sixty nodes with room for none of their pods',
    nodes: nodes(60, { cpu: '4' }),
    objects: replicas('cart', { on: nodes(60).map(({ metadata }) => metadata.name), requests: { cpu: '3' } }),
    code: 'NoRoom',
    says: 'no other node takes 60 pods of ReplicaSet default/cart, for lack of room',
    fix: 'add a node',
    exit: 3,
    explain: {
      of: 'replacement',
      evicted: ['cart-0'],
      code: 'PodPending',
      says: /^default\/cart-\S+ has no node: 0\/60 nodes are available: .*59 Insufficient cpu/,
      onRealAlone: true,
    },
  },
  {
    title: 'pods that have room one by one and not together',
    nodes: nodes(2, { cpu: '4' }),
    objects: replicas('cart', { on: ['n1', 'n1', 'n2'], requests: { cpu: '1900m' } }),
    spec: { nodes: { names: ['n1'] } },
    code: 'RoomTight',
    says: 'may not have it for default/cart-1 beside the others that leave the node',
    fix: 'add a node',
    exit: 0,
    explain: {
      of: 'replacement',
      evicted: ['cart-0', 'cart-1'],
      code: 'PodPending',
      says: /1 Insufficient cpu/,
      onRealAlone: true,
    },
  },
  {
    title: 'other nodes that are all cordoned',
    nodes: [node('n1'), ...['n2', 'n3'].map((name) => node(name, { spec: { unschedulable: true } }))],
    objects: replicas('cart', { on: ['n1', 'n1'] }),
    spec: { nodes: { names: ['n1'] } },
    code: 'NoOtherNode',
    says: 'no other node takes 2 pods of ReplicaSet default/cart: the others are cordoned',
    fix: 'uncordon or repair another node',
    exit: 3,
    explain: { of: 'replacement', evicted: ['cart-0'], code: 'PodPending', says: /3 node\(s\) were unschedulable/ },
  },
]
