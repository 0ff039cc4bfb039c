import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLUSTER_KINDS } from '../../../src/ground/kube/cluster-kinds.ts'
import { selectorMatches } from '../../../src/ground/model/label-selector.ts'
import { formatPoliteMark } from '../../../src/ground/model/polite-mark.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import type { Kind, KindMap } from '../../../src/ground/ports/cluster.ts'

type Fields = Readonly<Record<string, unknown>>

const meta = (more: Fields = {}) => ({ namespace: 'shop', name: 'web', uid: 'u1', resourceVersion: '7', ...more })

function parse<K extends Kind>(kind: K, object: Fields): KindMap[K] {
  return CLUSTER_KINDS[kind].parse(new Untrusted(object, 'object'))
}

test('a node is reduced to what is used of it', () => {
  const node = parse('nodes', {
    metadata: { ...meta(), name: 'n1', labels: { a: 'b' }, annotations: { c: 'd' }, managedFields: [{ x: 1 }] },
    spec: {
      unschedulable: true,
      taints: [
        { key: 'k', value: 'v', effect: 'NoSchedule' },
        { key: 'l', effect: 'NoExecute' },
      ],
    },
    status: {
      conditions: [
        { type: 'MemoryPressure', status: 'False' },
        { type: 'Ready', status: 'True', lastHeartbeatTime: '2026-11-21T08:00:00Z' },
      ],
      nodeInfo: { bootID: 'boot-1' },
      addresses: [
        { type: 'Hostname', address: 'n1' },
        { type: 'InternalIP', address: '10.0.0.1' },
        { type: 'InternalIP', address: 'fd00::1' },
      ],
      volumesAttached: [{ name: 'csi/x', devicePath: '' }],
    },
  })
  assert.deepEqual(node, {
    name: 'n1',
    uid: 'u1',
    resourceVersion: '7',
    labels: { a: 'b' },
    annotations: { c: 'd' },
    unschedulable: true,
    taints: [
      { key: 'k', value: 'v', effect: 'NoSchedule' },
      { key: 'l', effect: 'NoExecute' },
    ],
    ready: 'True',
    heartbeat: '2026-11-21T08:00:00Z',
    bootId: 'boot-1',
    internalAddresses: ['10.0.0.1', 'fd00::1'],
    volumesAttached: ['csi/x'],
  })
})

test('a node that its kubelet never reported is of unknown readiness', () => {
  assert.deepEqual(parse('nodes', { metadata: { name: 'n1', uid: 'u', resourceVersion: '1' } }), {
    name: 'n1',
    uid: 'u',
    resourceVersion: '1',
    labels: {},
    annotations: {},
    unschedulable: false,
    taints: [],
    ready: 'Unknown',
    heartbeat: '',
    bootId: '',
    internalAddresses: [],
    volumesAttached: [],
  })
})

test('a pod is reduced to what is used of it', () => {
  const owners = [
    { kind: 'X', name: 'x', uid: 'x' },
    { kind: 'StatefulSet', name: 'db', uid: 's', controller: true },
  ]
  const metadata = meta({ labels: { app: 'db' }, ownerReferences: owners, creationTimestamp: '2026-11-21T08:00:00Z' })
  const volumes = [
    { name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } },
    { name: 'scratch', ephemeral: { volumeClaimTemplate: {} } },
    { name: 'tmp', emptyDir: {} },
    { name: 'conf', configMap: { name: 'x' } },
  ]
  const status = {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ name: 'main', containerID: 'containerd://1' }, { name: 'side' }],
  }
  const spec = { nodeName: 'n1', volumes, nodeSelector: { disk: 'ssd' } }
  assert.deepEqual(parse('pods', { metadata, spec, status }), {
    namespace: 'shop',
    name: 'web',
    uid: 'u1',
    resourceVersion: '7',
    labels: { app: 'db' },
    phase: 'Running',
    ready: true,
    terminating: false,
    mirror: false,
    claims: ['data-db-0', 'web-scratch'],
    usesEmptyDir: true,
    containerIds: { main: 'containerd://1', side: '' },
    createdAt: '2026-11-21T08:00:00Z',
    nodeSelector: { disk: 'ssd' },
    nodeName: 'n1',
    controller: { kind: 'StatefulSet', name: 'db', uid: 's' },
  })
})

test('a pod says whether it runs to its end, and of which group its controller is where apps/v1 has the name too', () => {
  const of = (kind: string, apiVersion: string, restartPolicy?: string) => {
    const ownerReferences = [{ apiVersion, kind, name: 'x', uid: 'u', controller: true }]
    const { controller, runsToEnd } = parse('pods', {
      metadata: { ...meta(), ownerReferences },
      spec: restartPolicy === undefined ? {} : { restartPolicy },
    })
    return [controller?.kind, controller?.apiVersion, runsToEnd]
  }
  assert.deepEqual(of('StatefulSet', 'apps/v1'), ['StatefulSet', undefined, undefined])
  assert.deepEqual(of('CloneSet', 'apps.kruise.io/v1alpha1', 'Always'), ['CloneSet', undefined, undefined])
  assert.deepEqual(of('StatefulSet', 'apps.kruise.io/v1beta1'), ['StatefulSet', 'apps.kruise.io/v1beta1', undefined])
  assert.deepEqual(of('Job', 'batch/v1', 'OnFailure'), ['Job', undefined, true])
})

test('a pod that cannot be placed says why, in the words of the scheduler, and how many nodes are cordoned', () => {
  const message = '0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu.'
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }]
  const pod = parse('pods', { metadata: meta(), spec: {}, status: { phase: 'Pending', conditions } })
  assert.deepEqual(pod.unschedulable, { message, nodes: { all: 3, cordoned: 1, bound: 0, byPods: 0, others: 2 } })
  assert.equal(pod.nodeName, undefined)
})

test('a pod whose container does not start says why, in the words of its kubelet, once it is more than slow', () => {
  const waiting = (reason: string, message?: string) =>
    parse('pods', {
      metadata: meta(),
      status: { containerStatuses: [{ name: 'main', state: { waiting: { reason, message } } }] },
    }).waiting
  assert.equal(waiting('ContainerCreating'), undefined)
  assert.equal(waiting('ImagePullBackOff', 'no such image'), 'ImagePullBackOff: no such image')
  assert.equal(waiting('CrashLoopBackOff'), 'CrashLoopBackOff')
})

test('a pod whose init container does not get through says why, too', () => {
  const init = { name: 'prepare', state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 20s' } } }
  const main = { name: 'main', state: { waiting: { reason: 'PodInitializing' } } }
  const status = { initContainerStatuses: [init], containerStatuses: [main] }
  assert.equal(parse('pods', { metadata: meta(), status }).waiting, 'CrashLoopBackOff: back-off 20s')
  assert.equal(parse('pods', { metadata: meta(), status: { containerStatuses: [main] } }).waiting, undefined)
})

test('a mark of a polite drain is read as it was written; one that makes no sense is none', () => {
  const mark = { version: 1, run: 'r', node: 'n1', workload: 'Deployment shop/web', labels: { app: 'web' } } as const
  const polite = (text: string) =>
    parse('pods', { metadata: meta({ annotations: { 'evenkeel.dev/polite': text } }) }).polite
  assert.deepEqual(polite(formatPoliteMark(mark)), mark)
  for (const text of ['', '{', '[]', '{}', '{"version":2}', JSON.stringify({ ...mark, labels: { app: 1 } })])
    assert.equal(polite(text), undefined, text)
})

test('a workload that could not make a pod says why', () => {
  const conditions = [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' }]
  assert.equal(parse('deployments', { metadata: meta(), status: { conditions } }).failure, 'exceeded quota')
  assert.equal(parse('deployments', { metadata: meta() }).failure, undefined)
})

test('a Service is known as headless, and as one that sends to pods before they are Ready', () => {
  const service = (spec: Fields) => {
    const { headless, publishesNotReady } = parse('services', { metadata: meta(), spec })
    return [headless, publishesNotReady]
  }
  assert.deepEqual(service({ clusterIP: '10.96.0.1' }), [undefined, undefined])
  assert.deepEqual(service({ clusterIP: 'None', publishNotReadyAddresses: true }), [true, true])
})

test('a mirror pod on its way out is known as both', () => {
  const metadata = meta({
    annotations: { 'kubernetes.io/config.mirror': 'x' },
    deletionTimestamp: '2026-11-21T08:00:00Z',
  })
  const pod = parse('pods', { metadata })
  assert.deepEqual([pod.mirror, pod.terminating, pod.phase], [true, true, 'Unknown'])
})

test('an affinity that ties a pod to one value counts as a node selector, a choice does not', () => {
  const pod = (...matchExpressions: Fields[]) => {
    const required = { nodeSelectorTerms: [{ matchExpressions }] }
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } }
    return parse('pods', { metadata: meta(), spec: { affinity } }).nodeSelector
  }
  assert.deepEqual(pod({ key: 'host', operator: 'In', values: ['n1'] }), { host: 'n1' })
  assert.deepEqual(pod({ key: 'host', operator: 'In', values: ['n1', 'n2'] }), {})
  assert.deepEqual(pod({ key: 'host', operator: 'NotIn', values: ['n1'] }), {})
})

test('a pod whose node affinity names the same node in each of its terms is tied to that node', () => {
  const named = (...names: readonly string[]): Readonly<Record<string, string>> | undefined => {
    const nodeSelectorTerms = names.map((name) => ({
      matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }],
    }))
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } }
    return parse('pods', { metadata: meta(), spec: { affinity } }).nodeSelector
  }
  assert.deepEqual(
    [named('n1'), named('n1', 'n1'), named('n1', 'n2')],
    [{ 'metadata.name': 'n1' }, { 'metadata.name': 'n1' }, {}],
  )
})

test('a budget is read with numbers and percentages as written', () => {
  const conditions = [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed' }]
  const status = { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2, expectedPods: 3, conditions }
  const spec = { selector: { matchLabels: { app: 'web' } }, minAvailable: '50%', maxUnavailable: 1 }
  const owner = { kind: 'CephCluster', name: 'rook-ceph', uid: 'u2' }
  const ownerReferences = [{ ...owner, apiVersion: 'ceph.rook.io/v1', controller: true }]
  assert.deepEqual(parse('disruptionbudgets', { metadata: { ...meta(), ownerReferences }, spec, status }), {
    namespace: 'shop',
    name: 'web',
    uid: 'u1',
    selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
    minAvailable: '50%',
    maxUnavailable: '1',
    disruptionsAllowed: 0,
    currentHealthy: 2,
    desiredHealthy: 2,
    expectedPods: 3,
    syncFailed: true,
    controller: owner,
  })
})

test('an empty selector matches every pod, an absent one none', () => {
  const selector = (spec: Fields) => parse('disruptionbudgets', { metadata: meta(), spec }).selector
  assert.equal(selectorMatches(selector({ selector: {} }), { any: 'pod' }), true)
  assert.equal(selectorMatches(selector({}), { any: 'pod' }), false)
  assert.equal(selectorMatches(selector({}), {}), false)
})

test('workloads of each kind count what they want and what is ready', () => {
  const selector = { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] }
  const replicas = { metadata: meta(), spec: { replicas: 3, selector }, status: { readyReplicas: 2 } }
  const { kind, desired, ready } = parse('statefulsets', replicas)
  assert.deepEqual([kind, desired, ready], ['StatefulSet', 3, 2])
  const unset = parse('deployments', { metadata: meta(), spec: { selector } })
  assert.deepEqual([unset.desired, unset.ready], [1, 0])
  const daemons = parse('daemonsets', {
    metadata: meta(),
    spec: { selector },
    status: { desiredNumberScheduled: 5, numberReady: 4 },
  })
  assert.deepEqual([daemons.kind, daemons.desired, daemons.ready], ['DaemonSet', 5, 4])
  const ownerReferences = [{ kind: 'Deployment', name: 'web', uid: 'd', controller: true }]
  const owned = parse('replicasets', { metadata: meta({ ownerReferences }), spec: { selector } })
  assert.deepEqual(owned.controller, { kind: 'Deployment', name: 'web', uid: 'd' })
  assert.deepEqual(owned.selector.matchExpressions, [{ key: 'app', operator: 'In', values: ['web'] }])
})

test('the lock of kured is read from the annotation that its flag names', () => {
  const annotations = { 'weave.works/kured-node-lock': 'of before', 'ops.example/lock': 'now' }
  const lockOf = (args: readonly string[]) => {
    const spec = { selector: {}, template: { spec: { containers: [{ name: 'kured', args }] } } }
    const { rebootLock, rebootLockKey } = parse('daemonsets', { metadata: meta({ annotations }), spec })
    return [rebootLock, rebootLockKey]
  }
  assert.deepEqual(lockOf(['--period=1h']), ['of before', undefined])
  assert.deepEqual(lockOf(['--lock-annotation=ops.example/lock']), ['now', 'ops.example/lock'])
  assert.deepEqual(lockOf(['--lock-annotation=ops.example/other']), [undefined, 'ops.example/other'])
})

test('volumes, claims and services are read', () => {
  const spec = { nodeName: 'n1', attacher: 'csi.x', source: { persistentVolumeName: 'pv' } }
  const attachment = parse('volumeattachments', { metadata: meta(), spec, status: { attached: true } })
  assert.deepEqual(attachment, {
    name: 'web',
    nodeName: 'n1',
    attacher: 'csi.x',
    attached: true,
    persistentVolumeName: 'pv',
  })
  assert.deepEqual(parse('volumeclaims', { metadata: meta(), spec: { volumeName: 'pv' } }), {
    namespace: 'shop',
    name: 'web',
    volumeName: 'pv',
  })
  assert.deepEqual(parse('volumeclaims', { metadata: meta(), spec: { volumeName: '' } }), {
    namespace: 'shop',
    name: 'web',
  })
  const ports = [{ port: 80, nodePort: 30080 }, { port: 81 }]
  const service = parse('services', {
    metadata: meta(),
    spec: { type: 'NodePort', ports, externalTrafficPolicy: 'Local' },
  })
  assert.deepEqual(service, {
    namespace: 'shop',
    name: 'web',
    type: 'NodePort',
    selector: {},
    externalTrafficPolicy: 'Local',
    internalTrafficPolicy: 'Cluster',
    nodePorts: [30080],
  })
})

test('an endpoint that says nothing of itself is ready, serving and not terminating', () => {
  const endpoints = [
    { addresses: ['10.0.0.1'], nodeName: 'n1', targetRef: { kind: 'Pod', uid: 'p1' } },
    { conditions: { ready: false, serving: true, terminating: true }, targetRef: { kind: 'Node', uid: 'x' } },
    { conditions: { ready: false } },
  ]
  const labels = { 'kubernetes.io/service-name': 'web' }
  const ports = [{ name: 'https', port: 6443, protocol: 'TCP' }, { name: 'any' }]
  assert.deepEqual(parse('endpointslices', { metadata: meta({ labels }), endpoints, ports }), {
    namespace: 'shop',
    name: 'web',
    serviceName: 'web',
    ports: [6443],
    endpoints: [
      { addresses: ['10.0.0.1'], ready: true, serving: true, terminating: false, nodeName: 'n1', podUid: 'p1' },
      { addresses: [], ready: false, serving: true, terminating: true },
      { addresses: [], ready: false, serving: false, terminating: false },
    ],
  })
})

for (const [title, object, words] of [
  ['no name', { metadata: meta({ name: '' }) }, /object\.metadata\.name is missing/],
  ['no namespace', { metadata: meta({ namespace: null }) }, /object\.metadata\.namespace is missing/],
  ['labels that are a list', { metadata: meta({ labels: ['x'] }) }, /object\.metadata\.labels is not an object/],
  ['a label that is a number', { metadata: meta({ labels: { a: 1 } }) }, /labels\.a is not text/],
  ['volumes that are text', { metadata: meta(), spec: { volumes: 'x' } }, /spec\.volumes is not a list/],
  ['a status that is a number', { metadata: meta(), status: 1 }, /object\.status is not an object/],
] as const) {
  test(`a pod with ${title} is malformed, and the field is named`, () => {
    assert.throws(() => parse('pods', object), { name: 'MalformedReply', message: words })
  })
}

test('labels named like parts of the language are labels like others', () => {
  const labels = JSON.parse('{"__proto__":"x","constructor":"y"}')
  const pod = parse('pods', { metadata: meta({ labels }) })
  assert.deepEqual(Object.entries(pod.labels), [
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ])
  assert.throws(() => parse('pods', { metadata: {} }), /metadata\.namespace is missing/)
})
