import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { HOLDERS_ANNOTATION } from '../../../src/service/decide/detach-holders.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import {
  ACKNOWLEDGEMENT,
  aNodeOf,
  anOp,
  aScene,
  NODE_MARK,
  NOW,
  OURS,
  OWNER,
  type SpecChange,
} from '../../support/ingress-world.ts'

interface Detach {
  /** Seconds since. */
  readonly t0?: number
  readonly t1?: number
  /** What its detacher wrote, or how many seconds ago it says that it was done. */
  readonly stamp?: string | number
  /** When that was first seen, in seconds before now. */
  readonly seen?: number
  /** Of the agent: `silent`, or since when it acknowledges, in seconds. */
  readonly agent?: 'silent' | 'of another' | number
  readonly onTimeout?: 'Pause' | 'Proceed' | 'Abort'
  readonly asks?: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly byNode?: boolean
  /** Since when the mark asks the detacher, in seconds, and the answer that stood there by then, as many seconds old. */
  readonly asked?: { readonly since: number; readonly before?: number }
}

const ago = (seconds: number) => wallMs(NOW - seconds * 1_000)
const isoAgo = (seconds: number): string => new Date(NOW - seconds * 1_000).toISOString()

function heldSince({ since, before }: NonNullable<Detach['asked']>): Readonly<Record<string, string>> {
  const asked = { at: isoAgo(since), ...(before === undefined ? {} : { before: isoAgo(before) }) }
  const { key } = NODE_MARK
  return { [HOLDERS_ANNOTATION]: JSON.stringify({ version: 1, holders: { [key]: [OWNER] }, asked: { [key]: asked } }) }
}

function scene(detach: Detach): IngressSnapshot {
  const { t0 = 100, t1 = 99, stamp, agent, onTimeout = 'Pause', byNode = stamp !== undefined } = detach
  const { asks = byNode ? 'dcn' : 'dc' } = detach
  const text = typeof stamp === 'number' ? isoAgo(stamp) : stamp
  const ids = { silent: undefined, 'of another': 'op-0' } as const
  const id = typeof agent === 'number' ? 'op-1' : ids[agent ?? 'silent']
  const word = {
    ...(id === undefined
      ? {}
      : {
          acknowledged: {
            id,
            seen: ago(typeof agent === 'number' ? agent : 1),
          },
        }),
  }
  const spec: SpecChange = {
    detach: { onTimeout, ...(byNode ? { node: NODE_MARK, acknowledgement: ACKNOWLEDGEMENT } : {}) },
  }
  const n1 = aNodeOf('n1', {
    slot: OURS,
    op: anOp({}, { t0, t1 }),
    asks,
    node: {
      annotations: {
        ...detach.annotations,
        ...(detach.asked === undefined ? {} : heldSince(detach.asked)),
        ...(text === undefined ? {} : { [ACKNOWLEDGEMENT.key]: text }),
      },
    },
    is: {
      ...(agent === undefined ? {} : { agent: word }),
      ...(detach.seen === undefined ? {} : { acknowledgementSeen: ago(detach.seen) }),
    },
  })
  return aScene([n1, aNodeOf('n2', { deployment: { revision: 'r2' } })], { spec })
}

const GO = 'n1 writeOp Updating r2'
const GRACE = 'hold n1 DetachGrace'
const NOT_DONE = 'hold n1 DetacherNotDone'
const ROWS: readonly (readonly [title: string, detach: Detach, decision: string])[] = [
  ['the grace of the mark is over', { t0: 100 }, GO],
  ['it is over to the millisecond', { t0: 30, t1: 30, asks: 'd', byNode: false }, 'n1 claim'],
  ['the grace of the Node is not over', { byNode: true, t1: 19, stamp: 15 }, GRACE],
  ['all graces are over, and the acknowledgement is there', { stamp: 60 }, GO],
  ['the acknowledgement is missing', { byNode: true }, NOT_DONE],
  ['the acknowledgement is garbage', { stamp: 'yesterday' }, NOT_DONE],
  ['the acknowledgement is no text of a time at all', { stamp: 'x'.repeat(5_000) }, NOT_DONE],
  ['the acknowledgement is of an earlier cycle', { stamp: 221 }, NOT_DONE],
  ['the acknowledgement is of a clock that is two minutes behind', { stamp: 219 }, GO],
  [
    'the acknowledgement stood there before the detacher was asked, a moment ago',
    { stamp: 110, asked: { since: 99, before: 110 } },
    NOT_DONE,
  ],
  ['another one came in its place', { stamp: 60, asked: { since: 99, before: 110 } }, GO],
  ['one that is older than the request came in its place', { stamp: 220, asked: { since: 99, before: 300 } }, NOT_DONE],
  ['another object asked long before this one, and was answered', { stamp: 8_000, asked: { since: 8_060 } }, GO],
  ['the request is of the future', { stamp: 60, asked: { since: -600 } }, GO],
  ['the acknowledgement is young', { stamp: 9 }, GRACE],
  ['the acknowledgement is ten seconds old', { stamp: 10 }, GO],
  ['the acknowledgement is of the future, and seen now', { stamp: -600 }, GRACE],
  ['the acknowledgement is of the future, and seen long ago', { stamp: -600, seen: 11 }, GO],
  ['a late acknowledgement after the limit counts all the same', { t0: 700, t1: 699, stamp: 20 }, GO],
  [
    'none after the limit, policy Pause',
    { t0: 700, t1: 699, byNode: true },
    'hold n1 DetachTimedOut n1 DetacherNotDone',
  ],
  ['none after the limit, policy Proceed', { t0: 700, t1: 699, byNode: true, onTimeout: 'Proceed' }, GO],
  [
    'none after the limit, policy Abort',
    { t0: 700, t1: 699, byNode: true, onTimeout: 'Abort' },
    'n1 writeOp Attaching r2',
  ],
  ['garbage after the limit, policy Proceed', { t0: 700, t1: 699, stamp: '', onTimeout: 'Proceed' }, GO],
  ['an agent answers for the node and is silent', { agent: 'silent' }, 'hold n1 AgentNotHeard'],
  ['its agent acknowledged another operation', { agent: 'of another' }, 'hold n1 AgentNotHeard'],
  ['its agent acknowledged a moment ago, so its answer failed no earlier', { agent: 29 }, GRACE],
  ['its agent acknowledged long enough ago', { agent: 30 }, GO],
  [
    'the agent is silent after the limit, policy Proceed',
    { t0: 700, t1: 699, agent: 'silent', onTimeout: 'Proceed' },
    GO,
  ],
  [
    'the acknowledgement came while no process was there to note that all was asked',
    { t0: 900, t1: 9, stamp: 800 },
    'hold n1 DetachGrace n1 DetachGrace',
  ],
  [
    'others had marked the Node before: their acknowledgement counts, however old',
    { byNode: true, asks: 'dc', annotations: { [NODE_MARK.key]: 'kured' }, stamp: 9_000 },
    GO,
  ],
]

for (const [title, detach, decision] of ROWS) {
  test(`law: no pod of a node changes before every grace of its detach is over; ${title}`, () => {
    assert.equal(short(decideIngress(scene(detach))), decision)
  })
}

test('a hold ends when the first grace does', () => {
  const decision = decideIngress(scene({ t0: 27, t1: 26 }))
  assert.ok(decision.kind === 'hold')
  assert.equal(decision.recheckAfterMs, 3_000)
})

test('law: a mark for a detacher that others set on a Node is never taken away; nor is it held', () => {
  const asks = { byNode: true, asks: 'dc', annotations: { [NODE_MARK.key]: 'kured' } }
  const op = anOp({ phase: 'Attaching' }, { t1: 90, t2: 50 })
  const marked = aNodeOf('n1', {
    slot: OURS,
    op,
    asks: 'dc',
    deployment: { revision: 'r2' },
    node: { annotations: asks.annotations },
  })
  const back = aScene([marked], { spec: { detach: { node: NODE_MARK } } })
  assert.equal(short(decideIngress(back)), 'n1 unmarkDeployment')
})

test('law: an IngressDaemonSet withdraws its own claim and its own hold on a mark, and those of no other owner; it leaves a mark that another holds too', () => {
  const holders = { version: 1, holders: { [NODE_MARK.key]: ['ingress/edge.api', 'ingress/edge.web'] } }
  const n1 = aNodeOf('n1', {
    slot: OURS,
    op: anOp({ phase: 'Attaching' }, { t1: 90, t2: 50 }),
    asks: 'dc',
    deployment: { revision: 'r2' },
    node: {
      annotations: {
        [NODE_MARK.key]: NODE_MARK.value,
        'evenkeel.dev/detach-holders': JSON.stringify(holders),
      },
    },
  })
  const s = aScene([n1], { spec: { detach: { node: NODE_MARK } } })
  assert.equal(short(decideIngress(s)), 'n1 unmarkNode left')
})
