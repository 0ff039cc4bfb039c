import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WantedStatus } from '../../../src/ground/model/object-status.ts'
import { listedNodes } from '../../../src/ground/model/owned/listed-nodes.ts'
import { plainText } from '../../../src/ground/model/sentence.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { IngressOp } from '../../../src/ingress/decide/op.ts'
import { rejectedRevision } from '../../../src/ingress/decide/rejected-revision.ts'
import type { IngressNode, IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { ingressStatus } from '../../../src/ingress/decide/status.ts'
import { aNodeOf, anOp, aScene, OURS, outFor } from '../../support/ingress-world.ts'

const NEW = { revision: 'r2' }
const done = (name: string) => aNodeOf(name, { deployment: NEW })
const late = anOp({ phase: 'Updating' }, { t1: 900, t2: 700 })
const stuck = aNodeOf('n1', { slot: OURS, op: late, asks: 'dc', deployment: { ...NEW, ready: 0, available: 0 } })

function statusOf(s: IngressSnapshot): WantedStatus {
  const status = ingressStatus(s, decideIngress(s).reasons)
  assert.ok(status !== undefined)
  return status
}

/** `Available Progressing=RollingOut …`: those that are True, with their reasons, and all others by their reasons. */
const words = (s: IngressSnapshot): string =>
  statusOf(s)
    .conditions.map(({ type, status, reason }) => `${status === 'True' ? '+' : '-'}${type}:${reason}`)
    .join(' ')

const AT = '2026-01-01T00:00:00Z'
const rejected = (isLifted: boolean) =>
  ({ desired: 'r2', current: 'r1', rejected: { revision: 'r2', at: AT, isLifted } }) as const

const CONDITIONS: readonly (readonly [title: string, world: IngressSnapshot, conditions: string])[] = [
  [
    'all nodes are updated and in service',
    aScene([done('n1'), done('n2')]),
    '+Available:EnoughInService -Progressing:Complete -Stalled:NotStalled -Degraded:AsWanted +Ready:AllInService',
  ],
  [
    'a rollout is under way',
    aScene([done('n1'), aNodeOf('n2')]),
    '+Available:EnoughInService +Progressing:RollingOut -Stalled:NotStalled -Degraded:AsWanted -Ready:RollingOut',
  ],
  [
    'it is paused',
    aScene([done('n1'), aNodeOf('n2')], { spec: { rollout: { paused: true } } }),
    '+Available:EnoughInService -Progressing:RolloutPaused -Stalled:NotStalled -Degraded:AsWanted -Ready:RollingOut',
  ],
  [
    'it waits for a person after its canary nodes',
    aScene([aNodeOf('n1', { deployment: NEW, node: { labels: { canary: 'yes' } } }), aNodeOf('n2')], {
      spec: { rollout: { canary: { canary: 'yes' } } },
    }),
    '+Available:EnoughInService -Progressing:CanaryAwaited -Stalled:NotStalled -Degraded:AsWanted -Ready:RollingOut',
  ],
  [
    'a node is stuck',
    aScene([stuck, done('n2')]),
    '+Available:EnoughInService -Progressing:RolloutStalled +Stalled:NodesStuck -Degraded:AsWanted -Ready:RolloutStalled',
  ],
  [
    'a rollback is asked for that cannot be done',
    aScene([done('n1'), aNodeOf('n2')], {
      rollbackRefused: { code: 'RollbackRefused', object: 'web', text: 'web has no revision 9', next: 'x' },
    }),
    '+Available:EnoughInService -Progressing:RollbackRefused +Stalled:RollbackRefused -Degraded:AsWanted -Ready:RollbackRefused',
  ],
  [
    'the template failed, and every node has the revision before again',
    aScene([aNodeOf('n1'), aNodeOf('n2')], { revisions: rejected(false) }),
    '+Available:EnoughInService -Progressing:RolledBack +Stalled:RolledBack -Degraded:AsWanted -Ready:RolledBack',
  ],
  [
    'the template failed, and a node goes back yet',
    aScene([done('n1'), aNodeOf('n2')], { revisions: rejected(false) }),
    '+Available:EnoughInService +Progressing:RollingOut +Stalled:RolledBack -Degraded:AsWanted -Ready:RolledBack',
  ],
  [
    'the template failed, and is tried once more',
    aScene([done('n1'), aNodeOf('n2')], { revisions: rejected(true) }),
    '+Available:EnoughInService +Progressing:RollingOut -Stalled:NotStalled -Degraded:AsWanted -Ready:RollingOut',
  ],
  [
    'pods are missing',
    aScene([aNodeOf('n1', { deployment: { ...NEW, ready: 1, available: 1 } }), done('n2')]),
    '+Available:EnoughInService -Progressing:Complete -Stalled:NotStalled +Degraded:NodesDegraded -Ready:NodesOut',
  ],
  [
    'most nodes are cordoned',
    aScene(['n1', 'n2'].map((name) => aNodeOf(name, { deployment: NEW, node: { unschedulable: true } }))),
    '+Available:EnoughInService -Progressing:Complete -Stalled:NotStalled +Degraded:MassDisruption +Ready:AllInService',
  ],
  [
    'others have every node out',
    aScene([done('n1')], {
      budget: { limit: { kind: 'count', count: 1 }, fleet: 3, out: [outFor('n1', 'claimed')], slots: [] },
    }),
    '-Available:TooFewInService -Progressing:Complete -Stalled:NotStalled -Degraded:AsWanted -Ready:NodesOut',
  ],
  [
    'there is no node for it',
    aScene([]),
    '-Available:NoNodes -Progressing:Complete -Stalled:NotStalled -Degraded:AsWanted +Ready:AllInService',
  ],
]

for (const [title, world, conditions] of CONDITIONS) {
  test(`the conditions of an IngressDaemonSet: ${title}`, () => assert.equal(words(world), conditions))
}

test('nodes are counted, and those that are not in service are listed with what they wait for', () => {
  const { fields } = statusOf(aScene([stuck, done('n2'), aNodeOf('n3'), aNodeOf('n4', { deployment: 'none' })]))
  assert.deepEqual(fields, {
    updateRevision: 'r2',
    currentRevision: 'r1',
    desiredNodes: 4,
    currentNodes: 3,
    readyNodes: 2,
    updatedNodes: 2,
    unavailableNodes: 2,
    detachedNodes: 1,
    stuckNodes: 1,
    rollout: { startedAt: '2026-01-01T00:00:00Z', admitted: ['n1'] },
    nodes: [
      {
        name: 'n1',
        state: 'Stuck',
        reason: 'ProgressDeadlineExceeded',
        message:
          'pods on n1: 2 wanted, 2 new, 0 ready, 0 available; kubectl -n edge describe pods -l evenkeel.dev/node=n1 says what its pods wait for; then retry or skip the node',
        since: AT,
      },
      { name: 'n4', state: 'Creating', reason: 'NodeNew', message: 'n4 needs pods', since: AT },
      { name: 'n3', state: 'Queued', since: AT },
    ],
  })
})

test('a node that is stuck says which image cannot be pulled', () => {
  const waiting = 'web-n1-x: ImagePullBackOff: Back-off pulling image "none:1"'
  const pulls = aNodeOf('n1', {
    ...{ slot: OURS, op: late, asks: 'dc' },
    deployment: { ...NEW, ready: 0, available: 0, waiting },
  })
  const { fields } = statusOf(aScene([pulls, done('n2')]))
  const [first] = fields.nodes as readonly { readonly message?: string }[]
  assert.match(first?.message ?? '', /mend what keeps a pod from its start \(web-n1-x: ImagePullBackOff: .*none:1/)
})

test('a cordoned node that waits for its turn, and serves meanwhile, is queued and not in maintenance', () => {
  const cordoned = aNodeOf('n1', { node: { unschedulable: true }, deployment: NEW })
  const full = { limit: { kind: 'count', count: 1 }, fleet: 2, out: [outFor('n2', 'claimed')], slots: [] } as const
  const { fields } = statusOf(aScene([cordoned, done('n2'), done('n3')], { budget: full }))
  assert.equal(fields.readyNodes, 2)
  assert.deepEqual(
    (fields.nodes as readonly { name: string; state: string; reason?: string }[]).map(
      ({ name, state, reason }) => `${name} ${state} ${reason}`,
    ),
    ['n1 Queued BudgetUsedUp'],
  )
})

test('the revision counts as the current one once all nodes have it', () => {
  assert.equal(statusOf(aScene([done('n1')])).fields.currentRevision, 'r2')
})

test('of many nodes that are not in service a hundred are listed', () => {
  const nodes: readonly IngressNode[] = Array.from({ length: 150 }, (_, i) => aNodeOf(`n${1_000 + i}`))
  const { fields } = statusOf(aScene(nodes))
  assert.equal((fields.nodes as readonly unknown[]).length, 100)
  assert.equal(fields.truncated, true)
})

test('nothing is said while caches are behind', () => {
  assert.equal(ingressStatus(aScene([done('n1')], { isFresh: false }), []), undefined)
})

for (const [title, cordoned, all, says] of [
  ['3 of 4', ['n1', 'n2', 'n3'], ['n1', 'n2', 'n3', 'n4'], 'uncordon 1 of them'],
  ['5 of 5', ['n1', 'n2', 'n3', 'n4', 'n5'], ['n1', 'n2', 'n3', 'n4', 'n5'], 'uncordon 3 of them'],
  ['2 of 2', ['n1', 'n2'], ['n1', 'n2'], 'uncordon 1 of them'],
] as const)
  test(`many cordons at once: the reason and the condition say how many to uncordon, ${title}`, () => {
    const isOut = new Set<string>(cordoned)
    const s = aScene(all.map((name) => aNodeOf(name, { deployment: NEW, node: { unschedulable: isOut.has(name) } })))
    const mass = decideIngress(s).reasons.find(({ code }) => code === 'MassDisruption')
    assert.ok(plainText(mass?.next ?? '').startsWith(says))
    const degraded = statusOf(s).conditions.find(({ type }) => type === 'Degraded')
    assert.ok(degraded?.message.includes(says), degraded?.message)
  })

test('a revision that was rejected is known as that until every node has it, and so is that it may be tried once more', () => {
  const rejectionOf = (nodes: readonly IngressNode[], isLifted: boolean) => {
    const { rejectedRevision, rejectedAt, rejectionLifted } = statusOf(
      aScene(nodes, { revisions: rejected(isLifted) }),
    ).fields
    return [rejectedRevision, rejectedAt, rejectionLifted]
  }
  assert.deepEqual(rejectionOf([aNodeOf('n1')], false), ['r2', AT, undefined])
  assert.deepEqual(rejectionOf([aNodeOf('n1')], true), ['r2', AT, true])
  assert.deepEqual(rejectionOf([done('n1')], true), [undefined, undefined, undefined])
})

test('what stops a revision from being tried again is over once the template is another one, or for the request of a person', () => {
  const status = { rejectedRevision: 'r2', rejectedAt: AT }
  const lifted = (more: object, retried?: string, desired = 'r2') =>
    rejectedRevision({ ...status, ...more }, { desired, retried })?.isLifted
  assert.equal(lifted({}), false)
  assert.equal(lifted({}, undefined, 'r3'), true)
  assert.equal(lifted({ rejectionLifted: true }), true)
  assert.equal(lifted({}, AT), true)
  assert.equal(lifted({}, 'r2'), false)
  assert.equal(lifted({}, '2025-12-31T00:00:00Z'), false)
  assert.equal(lifted({ rejectedAt: undefined }, 'r2'), true)
  assert.equal(rejectedRevision({}, { desired: 'r2' }), undefined)
})

test('that an update was given up is forgotten once another revision is wanted, so that it can be wanted anew', () => {
  const node = aNodeOf('n1', { deployment: { annotations: { 'evenkeel.dev/ingress-gave-up': 'r2' } } })
  const decided = (revisions: IngressSnapshot['revisions']) =>
    decideIngress(aScene([node, aNodeOf('n2')], { revisions }))
  const back = decided(rejected(false))
  assert.ok(back.kind === 'act')
  assert.deepEqual(back.actions, [{ kind: 'clearOp', node: 'n1' }])
  assert.equal(decided({ desired: 'r2', current: 'r1' }).kind, 'hold')
})

test('a node whose update was given up is stuck until a person helps, and a skip of it counts for no operation', () => {
  const annotations = { 'evenkeel.dev/ingress-gave-up': 'r2' }
  const told = (request: IngressNode['request'], op?: IngressOp) => {
    const node = aNodeOf('n1', {
      ...(op === undefined
        ? { deployment: { annotations } }
        : { op, slot: OURS, asks: 'dc', deployment: { ...NEW, ready: 0 } }),
      is: request === undefined ? {} : { request },
    })
    const { fields, conditions } = statusOf(aScene([node, done('n2')], { spec: { rollout: { failureThreshold: 1 } } }))
    return [fields.stuckNodes, conditions.find(({ type }) => type === 'Stalled')?.status]
  }
  assert.deepEqual(told(undefined), [1, 'True'])
  assert.deepEqual(told({ kind: 'skip', of: 'r2' }), [1, 'False'])
  assert.deepEqual(told({ kind: 'retry', of: 'r2' }), [0, 'False'])
  const late = anOp({ phase: 'Updating' }, { t0: 900, t1: 890, t2: 800 })
  assert.deepEqual(told({ kind: 'skip', of: 'r2' }, late), [1, 'True'])
  assert.deepEqual(told({ kind: 'skip', of: 'op-1' }, late), [1, 'False'])
})

const BEFORE = '2025-12-31T22:13:00Z'

for (const [title, listed, since] of [
  ['it was not listed', { nodes: [] }, AT],
  ['it was in another state', { nodes: [{ name: 'n1', state: 'Degraded', since: BEFORE }] }, AT],
  ['it was in this state', { nodes: [{ name: 'n1', state: 'Queued', since: BEFORE }] }, BEFORE],
  ['it was, and since when was not said', { nodes: [{ name: 'n1', state: 'Queued' }] }, undefined],
  ['more were out of service than were listed', { nodes: [], truncated: true }, undefined],
  [
    'what is listed makes no sense',
    { nodes: [7, null, { name: 1 }, { name: 'n1', state: 'Queued', since: 5 }] },
    undefined,
  ],
  ['there is no list', { nodes: 'n1' }, AT],
] as const)
  test(`the status says since when a node has not been in service: ${title}`, () => {
    const s = aScene([aNodeOf('n1'), done('n2')], {
      spec: { rollout: { paused: true } },
      listedNodes: listedNodes(listed),
    })
    const [first] = statusOf(s).fields.nodes as readonly { readonly since?: string }[]
    assert.equal(first?.since, since)
  })
