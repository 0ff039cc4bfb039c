import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { ACKNOWLEDGEMENT, aNodeOf, anOp, aScene, NODE_MARK, NOW, OURS } from '../../support/ingress-world.ts'

const r1 = { revisions: { desired: 'r1', current: 'r1' } } as const
const OTHER = aNodeOf('n2')
const out = anOp({ revision: 'r1' }, { t1: 90 })
const longOut = anOp({ revision: 'r1' }, { t0: 700, t1: 699 })
const cordoned = { unschedulable: true }

const byDetacher = {
  ...r1,
  spec: { detach: { node: NODE_MARK, acknowledgement: ACKNOWLEDGEMENT, attachGraceMs: 10_000 } },
}
const askedBack = (seconds: number) => ({ ...anOp({ revision: 'r1' }), unmarkedAt: wallMs(NOW - seconds * 1_000) })

const ROWS: readonly (readonly [title: string, world: IngressSnapshot, decision: string])[] = [
  [
    'its machine is dead, and its agent says nothing: the drain waits',
    aScene(
      [
        aNodeOf('n1', { node: { ...cordoned, ready: 'False' }, slot: OURS, op: out, asks: 'dc', is: { agent: {} } }),
        OTHER,
      ],
      r1,
    ),
    'hold n1 AgentNotHeard',
  ],
  [
    'its machine is dead, and its agent has said nothing for the limit of a detach: the drain goes on',
    aScene(
      [
        aNodeOf('n1', {
          node: { ...cordoned, ready: 'False' },
          slot: OURS,
          op: longOut,
          asks: 'dc',
          is: { agent: {} },
        }),
        OTHER,
      ],
      r1,
    ),
    'n1 setGate open',
  ],
  [
    'it is Ready, and its agent has said nothing for the limit of a detach',
    aScene([aNodeOf('n1', { node: cordoned, slot: OURS, op: longOut, asks: 'dc', is: { agent: {} } }), OTHER], r1),
    'hold n1 DetachTimedOut n1 AgentNotHeard',
  ],
  [
    'it is cordoned again, and its detacher was asked back a moment ago: that one has time to act on it',
    aScene([aNodeOf('n1', { node: cordoned, slot: OURS, op: askedBack(9), asks: 'dc' }), OTHER], byDetacher),
    'hold n1 AttachGrace',
  ],
  [
    'it is cordoned again, and its detacher has had that time',
    aScene([aNodeOf('n1', { node: cordoned, slot: OURS, op: askedBack(10), asks: 'dc' }), OTHER], byDetacher),
    'n1 markNode set',
  ],
]

for (const [title, world, decision] of ROWS) {
  test(`a node that others work on, and whose agent or detacher is waited for: ${title}`, () => {
    assert.equal(short(decideIngress(world)), decision)
  })
}
