import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Condition } from '../../../src/ground/model/condition.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import { passOf } from '../../../src/ingress/decide/pass.ts'
import type { IngressNode, IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { ingressStatus } from '../../../src/ingress/decide/status.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aNodeOf, anOp, aScene, OURS, outFor, type SpecChange } from '../../support/ingress-world.ts'

const CANARY: SpecChange = { rollout: { canary: { canary: 'yes' } } }
const canary = (name: string, scene: Parameters<typeof aNodeOf>[1] = {}): IngressNode =>
  aNodeOf(name, { ...scene, node: { labels: { canary: 'yes' }, ...scene.node } })
const NEW = { revision: 'r2' }

const progressing = (s: IngressSnapshot): Pick<Condition, 'status' | 'reason' | 'message'> | undefined =>
  ingressStatus(s, decideIngress(s).reasons)?.conditions.find(({ type }) => type === 'Progressing')

test('where no node is a canary node, all wait until a person lets the rollout go on, and the status says so', () => {
  const s = aScene([aNodeOf('n1'), aNodeOf('n2')], { spec: CANARY })
  assert.equal(short(decideIngress(s)), 'hold n1 CanaryAwaited n2 CanaryAwaited')
  const { status, reason, message } = progressing(s) ?? {}
  assert.deepEqual([status, reason], ['False', 'CanaryAwaited'])
  assert.match(message ?? '', /no node has the labels of the canary nodes/)
})

test('a canary node that was updated and then lost its label holds the others as before', () => {
  const s = aScene([aNodeOf('n1', { deployment: NEW }), aNodeOf('n2')], { spec: CANARY })
  assert.equal(short(decideIngress(s)), 'hold n2 CanaryAwaited')
})

const DONE = canary('n1', { deployment: NEW })
const skipped = canary('n2', {
  op: anOp({ phase: 'Updating' }, { t1: 900, t2: 700 }),
  asks: 'dc',
  slot: OURS,
  deployment: { ...NEW, ready: 0, available: 0 },
  is: { request: { kind: 'skip', of: 'op-1' } },
})

/** Of two canary nodes one is done. */
const AWAY: readonly (readonly [title: string, other: IngressNode, progressing: string])[] = [
  ['is down', canary('n2', { node: { ready: 'Unknown' }, deployment: { ready: 0, available: 0 } }), 'CanaryAwaited'],
  ['is cordoned', canary('n2', { node: { unschedulable: true } }), 'CanaryAwaited'],
  ['takes no new pods', canary('n2', { is: { eligibility: 'Keep' } }), 'CanaryAwaited'],
  ['is stuck and skipped', skipped, 'CanaryAwaited'],
  ['waits for its turn', canary('n2'), 'RollingOut'],
]

for (const [title, other, reason] of AWAY)
  test(`a rollout waits for a person once the canary nodes that can be updated are done: the other one ${title}`, () => {
    const s = aScene([DONE, other, aNodeOf('n3'), aNodeOf('n4'), aNodeOf('n5')], { spec: CANARY })
    assert.equal(progressing(s)?.reason, reason)
    if (reason === 'CanaryAwaited') assert.match(progressing(s)?.message ?? '', /n2/)
  })

const conflicts = [{ code: 'IngressConflict', object: 'web', text: 'port 10080 is of another' }] as const
const rollbackRefused = { code: 'RollbackRefused', object: 'web', text: 'there is no revision 9' } as const
const stuck = aNodeOf('n1', {
  op: anOp({ phase: 'Updating' }, { t1: 900, t2: 700 }),
  asks: 'dc',
  slot: OURS,
  deployment: { ...NEW, ready: 0, available: 0 },
})

/** n9 has just come. */
const NEW_NODE: readonly (readonly [title: string, change: Partial<Parameters<typeof aScene>[1]>, revision: string])[] =
  [
    ['nothing holds it', {}, 'r2'],
    ['it is paused', { spec: { rollout: { paused: true } } }, 'r1'],
    ['the canary nodes come first', { spec: CANARY }, 'r1'],
    ['its object gives way to another one', { conflicts }, 'r1'],
    ['its rollback is refused', { rollbackRefused }, 'r1'],
    ['the partition keeps as many nodes as there are', { spec: { rollout: { partition: 3 } } }, 'r1'],
    ['no revision was on all nodes before', { conflicts, revisions: { desired: 'r2' } }, 'r2'],
  ]

const fresh = (node = {}) => aNodeOf('n9', { node, deployment: 'none', is: { pods: 0 } })
const created = (s: IngressSnapshot): string | undefined =>
  short(decideIngress(s))
    .split('; ')
    .find((one) => one.startsWith('n9'))

for (const [title, change, revision] of NEW_NODE)
  test(`a new node gets the wanted revision only if nothing holds the rollout: ${title}`, () => {
    assert.equal(created(aScene([aNodeOf('n1'), fresh()], change)), `n9 createDeployment ${revision}`)
  })

test('a new node gets the revision before while stuck nodes have stopped the rollout', () => {
  const out = { budget: { limit: { kind: 'count', count: 3 }, fleet: 12, out: [outFor('n1', 'claimed')], slots: [] } }
  const s = aScene([stuck, aNodeOf('n2'), fresh()], out as Partial<IngressSnapshot>)
  assert.equal(passOf(s).nodes[0]?.state, 'Stuck')
  assert.equal(created(s), 'n9 createDeployment r1')
})

test('a new node gets no pods of the last good revision where that one has none there', () => {
  const elsewhere = { ...fresh(), otherwise: { r1: 'Leave' } } as const
  const s = aScene([aNodeOf('n1'), elsewhere], { spec: { rollout: { paused: true } } })
  assert.equal(short(decideIngress(s)), 'hold web RolloutPaused web RolloutPaused')
})

test('a new node that is a canary node gets the wanted revision, and so does one that is not Ready yet', () => {
  assert.equal(
    created(aScene([aNodeOf('n1'), fresh({ labels: { canary: 'yes' } })], { spec: CANARY })),
    'n9 createDeployment r2',
  )
  assert.equal(created(aScene([aNodeOf('n1'), fresh({ ready: 'False' })])), 'n9 createDeployment r2')
})
