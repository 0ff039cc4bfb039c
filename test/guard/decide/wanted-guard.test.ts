import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WantedObject } from '../../../src/ground/model/owned/wanted-object.ts'
import { followedBy } from '../../../src/guard/decide/followed.ts'
import {
  guardOfAll,
  guardOfNode,
  type WantedGuard,
  wantedDeployment,
  wantedGate,
} from '../../../src/guard/decide/wanted-guard.ts'
import type { NodeGuard } from '../../../src/guard/model/node-guard.ts'
import { aDaemonSet } from '../../support/guard/guard-objects.ts'
import { readGuard } from './read-guard.ts'

interface PodSpec {
  readonly affinity: object
  readonly nodeSelector?: object
  readonly priorityClassName?: string
  readonly terminationGracePeriodSeconds?: number
  readonly containers: readonly { readonly image: string }[]
}

const podOf = ({ template }: WantedGuard): PodSpec => template.spec as PodSpec
const followed = (guard: NodeGuard, podSpec: object = {}) =>
  followedBy(guard, { daemonSet: aDaemonSet(podSpec), nodes: [] })
const onNode = (guard: NodeGuard, node = 'n1'): WantedGuard => guardOfNode(guard, followed(guard), node)
const onAll = (guard: NodeGuard, podSpec: object = {}): WantedGuard => guardOfAll(guard, followed(guard, podSpec))
const guard = readGuard({})

test('in mode PerNode a guard has its node by name and nothing else that chooses', () => {
  const { affinity, nodeSelector } = podOf(onNode(guard))
  const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }]
  assert.deepEqual(affinity, {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
  })
  assert.equal(nodeSelector, undefined)
})

test('in mode Budget guards go where the DaemonSet goes, and exclude each other on a node', () => {
  const { affinity, nodeSelector } = podOf(onAll(guard, { nodeSelector: { disk: 'ssd' } }))
  const matchLabels = { 'evenkeel.dev/guard-uid': 'u1', 'evenkeel.dev/guard-scope': 'all' }
  const apart = [{ topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels } }]
  assert.deepEqual(affinity, { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: apart } })
  assert.deepEqual(nodeSelector, { disk: 'ssd' })
})

const specOf = ({ spec }: WantedObject): Readonly<Record<string, unknown>> => spec as Readonly<Record<string, unknown>>

test('the new guard of a node starts first in mode PerNode, and the old one ends first in mode Budget', () => {
  const strategies = [onNode(guard), onAll(guard)].map(
    (wanted) => specOf(wantedDeployment(guard, wanted, { replicas: 1, isPaused: false })).strategy,
  )
  assert.deepEqual(strategies, [
    { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
  ])
})

for (const [title, wanted, isOpen, says] of [
  ['of a node, closed', onNode(guard), false, { minAvailable: 1, unhealthyPodEvictionPolicy: 'IfHealthyBudget' }],
  ['of a node, open', onNode(guard), true, { minAvailable: 0, unhealthyPodEvictionPolicy: 'AlwaysAllow' }],
  ['of all nodes', onAll(guard), false, { maxUnavailable: 0, unhealthyPodEvictionPolicy: 'IfHealthyBudget' }],
] as const) {
  test(`the budget ${title}`, () => {
    const { selector, ...rest } = specOf(wantedGate(guard, wanted, isOpen))
    assert.deepEqual([selector, rest], [{ matchLabels: wanted.selector }, says])
  })
}

test('two NodeGuards of the same name share no pod, and neither do two nodes', () => {
  const other = readGuard({ metadata: { uid: 'u2' } })
  const selectors = [onNode(guard), onNode(guard, 'n2'), onNode(other), onAll(guard)].map(({ selector }) =>
    JSON.stringify(selector),
  )
  assert.equal(new Set(selectors).size, 4)
})

test('the hash stays the same for the same guard, and is another one with each change of the pod', () => {
  assert.equal(onNode(guard).hash, onNode(readGuard({})).hash)
  const changes = [
    {},
    { image: 'registry.example/pause:1' },
    { priorityClassName: 'high' },
    { resistDeletion: true },
    { template: { spec: { containers: [] } } },
    { template: { spec: { containers: [{ name: 'guard', image: 'registry.example/busybox:1.37' }] } } },
  ]
  const hashes = changes.map((spec) => onNode(readGuard({ spec })).hash)
  assert.equal(new Set(hashes).size, changes.length)
  const others = [{ group: 'x' }, { grantTimeoutSeconds: 60 }, { minReadySeconds: 5 }]
  assert.deepEqual(
    others.map((spec) => onNode(readGuard({ spec })).hash),
    others.map(() => hashes[0]),
  )
})

test('the pod is the default one with the image, or that of the template, with what the guard sets', () => {
  const plain = podOf(onNode(readGuard({ spec: { image: 'registry.example/pause:1', priorityClassName: 'high' } })))
  assert.deepEqual(
    [plain.containers[0]?.image, plain.priorityClassName, plain.terminationGracePeriodSeconds],
    ['registry.example/pause:1', 'high', 5],
  )
  const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'a', image: 'b' }] } }
  const own = onNode(readGuard({ spec: { template, resistDeletion: true } }))
  assert.deepEqual(
    [podOf(own).containers, own.template.metadata],
    [
      template.spec.containers,
      {
        labels: {
          app: 'x',
          'evenkeel.dev/guard': 'storage',
          'evenkeel.dev/guard-uid': 'u1',
          'evenkeel.dev/node': 'n1',
        },
        finalizers: ['evenkeel.dev/guard'],
      },
    ],
  )
})
