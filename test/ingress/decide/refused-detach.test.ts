import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { ingressStatus } from '../../../src/ingress/decide/status.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aNodeOf, anOp, aScene, NOW, OURS, outFor, type SpecChange } from '../../support/ingress-world.ts'

const NO = { words: 'no', since: wallMs(NOW - 600_000), until: wallMs(NOW) }

interface Row {
  /** How long ago the operation began. */
  readonly ago: number
  readonly refused?: string
  /** For how long; ten minutes where it is left out. */
  readonly refusedFor?: number
  readonly onTimeout?: 'Pause' | 'Proceed' | 'Abort'
  readonly more?: Partial<IngressSnapshot> & { readonly spec?: SpecChange }
}

function world({
  ago,
  refused,
  refusedFor = 600,
  onTimeout = 'Pause',
  more: { spec, ...more } = {},
}: Row): IngressSnapshot {
  const n1 = aNodeOf('n1', { slot: OURS, op: anOp({}, { t0: ago }), asks: 'd' })
  const nodes = [n1, aNodeOf('n2'), aNodeOf('n3')]
  const refusals =
    refused === undefined
      ? {}
      : { refusals: new Map([[`${refused} n1`, { ...NO, since: wallMs(NOW - refusedFor * 1_000) }]]) }
  return aScene(nodes, { spec: { ...spec, detach: { onTimeout } }, ...refusals, ...more })
}

const BACK = { rollout: { autoRollback: true } }

const ROWS: readonly (readonly [title: string, row: Row, state: string, decision: string])[] = [
  ['the limit is not over', { ago: 599, refused: 'claim' }, 'Detaching', 'n1 claim'],
  ['the limit is over', { ago: 600, refused: 'claim' }, 'Stuck', 'n1 claim'],
  [
    'the limit is over, and is to be passed over',
    { ago: 600, refused: 'claim', onTimeout: 'Proceed' },
    'Stuck',
    'n1 claim',
  ],
  ['the mark of the Node is refused', { ago: 600, refused: 'markNode' }, 'Stuck', 'n1 claim'],
  [
    'the limit is over, and it is not refused for as long: the controller or a webhook was away',
    { ago: 900, refused: 'claim', refusedFor: 599 },
    'Detaching',
    'n1 claim',
  ],
  [
    'the same where the detach is to be given up',
    { ago: 900, refused: 'claim', refusedFor: 599, onTimeout: 'Abort' },
    'Detaching',
    'n1 claim',
  ],
  ['nothing was refused: the controller was away', { ago: 900 }, 'Detaching', 'n1 claim'],
  ['a write for another node is refused', { ago: 900, refused: 'claim n2 or' }, 'Detaching', 'n1 claim'],
  [
    'the detach is to be given up',
    { ago: 600, refused: 'claim', onTimeout: 'Abort' },
    'Stuck',
    'n1 writeOp Attaching r2',
  ],
  [
    'it is to be given up, and the limit is not over',
    { ago: 599, refused: 'claim', onTimeout: 'Abort' },
    'Detaching',
    'n1 claim',
  ],
  ['it goes back by itself', { ago: 600, refused: 'claim', more: { spec: BACK } }, 'Stuck', 'rejectRevision r2'],
  [
    'the node budget is full by now',
    {
      ago: 600,
      refused: 'claim',
      more: { budget: { limit: { kind: 'count', count: 1 }, fleet: 12, out: [outFor('a', 'claimed')], slots: [] } },
    },
    'Stuck',
    'n1 writeOp Attaching r2',
  ],
]

for (const [title, row, state, decision] of ROWS)
  test(`a node whose detach is refused is stuck once its limit is over: ${title}`, () => {
    const s = world(row)
    const { nodes } = ingressStatus(s, [])?.fields ?? {}
    const [first] = (nodes ?? []) as readonly { readonly name: string; readonly state: string }[]
    assert.deepEqual([first?.name, first?.state, short(decideIngress(s))], ['n1', state, decision])
  })

for (const [seconds, refused, decision] of [
  [29, 'writeOp n1', 'n1 writeOp Detaching r2 marked'],
  [30, 'writeOp n1', 'n1 releaseSlot 0'],
  [30, 'writeOp n2', 'n1 writeOp Detaching r2 marked'],
] as const)
  test(`a slot whose operation is refused is given back once it was held idle: ${refused}, ${seconds} seconds`, () => {
    const slot = { kind: 'ours', index: 0, takenAt: wallMs(NOW - seconds * 1_000) } as const
    const nodes = [aNodeOf('n1', { slot }), aNodeOf('n2', { deployment: { revision: 'r2' } })]
    assert.equal(short(decideIngress(aScene(nodes, { refusals: new Map([[refused, NO]]) }))), decision)
  })

test('a slot is not given back for an operation that was not answered: it may stand', () => {
  const slot = { kind: 'ours', index: 0, takenAt: wallMs(NOW - 60_000) } as const
  const nodes = [aNodeOf('n1', { slot }), aNodeOf('n2', { deployment: { revision: 'r2' } })]
  const refusals = new Map([['writeOp n1', { ...NO, mayStand: true as const }]])
  assert.equal(short(decideIngress(aScene(nodes, { refusals }))), 'n1 writeOp Detaching r2 marked')
})

const CLAIM_REFUSED = new Map([['claim n1', NO]])

for (const [title, phase, deployment, refusals, decision] of [
  ['its pods are all there', 'Updating', {}, CLAIM_REFUSED, 'n1 writeOp Verifying r2'],
  ['and have been for long enough', 'Verifying', {}, CLAIM_REFUSED, 'n1 writeOp Attaching r2'],
  ['a pod is missing', 'Updating', { ready: 1 }, CLAIM_REFUSED, 'n1 claim'],
  ['nothing is refused: others removed the claim', 'Updating', {}, new Map(), 'n1 claim'],
] as const)
  test(`a node that went back to its own pods and whose claim is refused comes back: ${title}`, () => {
    const op = anOp({ phase }, { t1: 90, t2: 50 })
    const n1 = aNodeOf('n1', { slot: OURS, op, asks: 'd', deployment: { revision: 'r2', ...deployment } })
    const s = aScene([n1, aNodeOf('n2', { deployment: { revision: 'r2' } })], { refusals })
    assert.equal(short(decideIngress(s)), decision)
  })
