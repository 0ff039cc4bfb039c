import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import { GAVE_UP_ANNOTATION, type IngressNode, type IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aNodeOf, anOp, aScene, NOW } from '../../support/ingress-world.ts'

/** By the hash of their names n3 comes first of these three, then n2. */
const withFirst = (n3: Parameters<typeof aNodeOf>[1]) => aScene([aNodeOf('n1'), aNodeOf('n2'), aNodeOf('n3', n3)])

const ABSENT = { deployment: { gate: 'absent' } } as const
const CORDONED = { node: { unschedulable: true } } as const

/** Two of five, so that it is no mass disruption. */
function bothCordoned() {
  const others = ['n1', 'n4', 'n5'].map((name) => aNodeOf(name, { deployment: { revision: 'r2' } }))
  return aScene([...others, aNodeOf('n2', CORDONED), aNodeOf('n3', { ...ABSENT, ...CORDONED })])
}

const heldFor = (seconds: number, more: object = {}): IngressNode['slot'] => ({
  kind: 'ours',
  index: 0,
  takenAt: wallMs(NOW - seconds * 1_000),
  ...more,
})
const lost = { op: anOp({ phase: 'Attaching' }, { t1: 90, t2: 60, t3: 5 }), since: wallMs(NOW - 1_000) }

const ROWS: readonly (readonly [title: string, world: IngressSnapshot, decision: string])[] = [
  ['its gate is missing', withFirst(ABSENT), 'n2 takeSlot 0; n3 setGate closed'],
  ['it has too few pods', withFirst({ deployment: { replicas: 1 } }), 'n2 takeSlot 0; n3 scale 2'],
  [
    'a revision that is not wanted any more was given up there',
    withFirst({ deployment: { annotations: { [GAVE_UP_ANNOTATION]: 'r0' } } }),
    'n2 takeSlot 0; n3 clearOp',
  ],
  ['others work on it, and on another one', bothCordoned(), 'n2 takeSlot 0; n3 setGate closed'],
  [
    'it is to have no pods any more, and needs nothing first',
    withFirst({ ...ABSENT, is: { eligibility: 'Leave' } }),
    'n3 takeSlot 0',
  ],
  ['it holds a slot since a second', withFirst({ ...ABSENT, slot: heldFor(1) }), 'n3 setGate closed'],
  [
    'it holds a slot for as long as a slot is held idle',
    withFirst({ ...ABSENT, slot: heldFor(30) }),
    'n3 releaseSlot 0',
  ],
  [
    'it holds a slot for load balancers that may not send to it yet',
    withFirst({ ...ABSENT, slot: heldFor(30, { lost }) }),
    'n3 setGate closed',
  ],
]

for (const [title, world, decision] of ROWS)
  test(`a node that needs something before it may leave takes no place of another one: ${title}`, () =>
    assert.equal(short(decideIngress(world)), decision))
