import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { IngressNode, IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aNodeOf, anOp, aScene, NODE_MARK, NOW, OURS } from '../../support/ingress-world.ts'

/** n2 waits for its turn, and one node may be out. */
const NEXT = aNodeOf('n2')
const LAST = aNodeOf('n3', { deployment: { revision: 'r2' } })

const withNext = (n1: IngressNode): IngressSnapshot =>
  aScene([n1, NEXT, LAST], { spec: { detach: { node: NODE_MARK } } })

const OLD_SLOT: IngressNode['slot'] = { kind: 'ours', index: 0, takenAt: wallMs(NOW - 40_000) }
/** As it is made once more. */
const again = anOp({ phase: 'Updating' }, { t0: 95, t2: 5 })

const ROWS: readonly (readonly [title: string, n1: IngressNode, decision: string])[] = [
  [
    'it was claimed: it is made again, and no other node leaves',
    aNodeOf('n1', { slot: OURS, asks: 'c', deployment: 'none' }),
    'n1 createDeployment r2',
  ],
  [
    'its mark stands on the Node: the same',
    aNodeOf('n1', { slot: OURS, asks: 'n', deployment: 'none' }),
    'n1 createDeployment r2',
  ],
  ['its slot was lost as well: the same', aNodeOf('n1', { asks: 'c', deployment: 'none' }), 'n1 createDeployment r2'],
  [
    'nothing keeps it out: its slot is given back first',
    aNodeOf('n1', { slot: OLD_SLOT, deployment: 'none' }),
    'n1 releaseSlot 0',
  ],
  [
    'it was made again, and its pods come up: no other node leaves',
    aNodeOf('n1', {
      slot: OURS,
      op: { ...again, t1: wallMs(NOW) },
      asks: 'dcn',
      deployment: { revision: 'r2', ready: 0 },
    }),
    'hold n1 PodsNotReady web IngressLimitReached',
  ],
  [
    'it was made again, and the mark of the Node is missing: it is asked to leave by all',
    aNodeOf('n1', { slot: OURS, op: again, asks: 'dc', deployment: { revision: 'r2', ready: 0 } }),
    'n1 markNode set',
  ],
  [
    'its pods are there again, and all is withdrawn: its agent has to answer',
    aNodeOf('n1', {
      slot: OURS,
      op: { ...again, phase: 'Attaching', t3: wallMs(NOW - 60_000) },
      deployment: { revision: 'r2' },
      is: { agent: {} },
    }),
    'hold n1 AgentNotHeard web IngressLimitReached',
  ],
]

for (const [title, n1, decision] of ROWS)
  test(`the Deployment of a node is deleted by others: ${title}`, () => {
    assert.equal(short(decideIngress(withNext(n1))), decision)
  })

test('a node that is out and has lost its Deployment goes on by its claim, which its agent knows', () => {
  const decision = decideIngress(withNext(aNodeOf('n1', { slot: OURS, asks: 'c', deployment: 'none' })))
  assert.ok(decision.kind === 'act')
  const [action] = decision.actions
  assert.ok(action?.kind === 'createDeployment')
  const { id, phase, t0, t2, isNew } = action.op
  assert.deepEqual([id, phase, t0, t2, isNew], ['op-1', 'Updating', NOW - 95_000, NOW, undefined])
})
