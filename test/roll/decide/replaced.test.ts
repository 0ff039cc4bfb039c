import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unschedulable } from '../../../src/ground/kube/unschedulable.ts'
import type { Pod } from '../../../src/ground/model/pod.ts'
import { replaced } from '../../../src/roll/decide/drain/replaced.ts'
import type { RecordedSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { aPod, aRecord, aSnapshot, aWorkload } from '../../support/roll-world.ts'

const record = aRecord({ workloads: { 'ReplicaSet shop/cart': 2 } })

function world(pods: readonly Pod[]): RecordedSnapshot {
  return { ...aSnapshot({ record, pods, workloads: [aWorkload()] }), record } as RecordedSnapshot
}

function pending(message: string): Pod {
  const { nodeName: _, ...pod } = aPod('cart-b', 'n1', {
    ready: false,
    phase: 'Pending',
    unschedulable: unschedulable(message),
  })
  return pod
}

const TABLE: readonly (readonly [title: string, pods: readonly Pod[], kind: string])[] = [
  ['is back with as many ready pods as recorded', [aPod('cart-a', 'n2'), aPod('cart-b', 'n3')], 'back'],
  ['counts no pod that is leaving', [aPod('cart-a', 'n2'), aPod('cart-b', 'n1', { terminating: true })], 'waiting'],
  ['waits for a pod that starts elsewhere', [aPod('cart-a', 'n2'), aPod('cart-b', 'n3', { ready: false })], 'waiting'],
  [
    'waits no longer where every other node refuses for its own reason',
    [
      aPod('cart-a', 'n2'),
      pending("0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod anti-affinity rules."),
    ],
    'onlyHere',
  ],
  [
    'reads past what preemption would not help',
    [
      aPod('cart-a', 'n2'),
      pending(
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod anti-affinity rules. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
      ),
    ],
    'onlyHere',
  ],
  [
    'waits where a second node is shut, too',
    [aPod('cart-a', 'n2'), pending('0/3 nodes are available: 2 node(s) were unschedulable, 1 Insufficient cpu.')],
    'waiting',
  ],
  [
    'waits where a node is not accounted for',
    [aPod('cart-a', 'n2'), pending('0/3 nodes are available: 1 node(s) were unschedulable.')],
    'waiting',
  ],
  [
    'waits for a pod that starts elsewhere, though another one can only run here',
    [
      aPod('cart-a', 'n2', { ready: false }),
      pending("0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod anti-affinity rules."),
    ],
    'waiting',
  ],
  [
    'waits for a pod that has a node by now, whatever kept it from one before',
    [
      aPod('cart-a', 'n2'),
      aPod('cart-b', 'n3', {
        ready: false,
        terminating: true,
        unschedulable: unschedulable(
          "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod anti-affinity rules.",
        ),
      }),
    ],
    'waiting',
  ],
  [
    'waits where more nodes are shut than the one under way, whatever the others say',
    [aPod('cart-a', 'n2'), pending('0/3 nodes are available: 2 node(s) were unschedulable, 2 Insufficient cpu.')],
    'waiting',
  ],
  [
    'waits where one of the other nodes is not accounted for',
    [aPod('cart-a', 'n2'), pending('0/3 nodes are available: 1 node(s) were unschedulable, 1 Insufficient cpu.')],
    'waiting',
  ],
  [
    'believes no message of another form',
    [aPod('cart-a', 'n2'), pending('1 node(s) were unschedulable, 2 of you know who')],
    'waiting',
  ],
]

for (const [title, pods, kind] of TABLE) {
  test(title, () => assert.equal(replaced(world(pods), aWorkload()).kind, kind))
}

test('a workload that was scaled down meanwhile need not come back to more than it wants', () => {
  assert.equal(replaced(world([aPod('cart-a', 'n2')]), aWorkload({ desired: 1 })).kind, 'back')
})
