import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import { formatRejection, nextTryAt, parseRejection, type Rejection } from '../../../src/ingress/decide/rejection.ts'
import { type IngressDeployment, REJECTED_ANNOTATION } from '../../../src/ingress/decide/snapshot.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aNodeOf, anOp, aScene, NOW, OURS, outFor } from '../../support/ingress-world.ts'

const MINUTES = 60_000

/** Five pods of n1 failed within ten minutes. */
const FAILED: readonly (readonly [title: string, deployment: Partial<IngressDeployment>, decision: string])[] = [
  [
    'one runs, and is ready for less than minReadySeconds',
    { ready: 1, available: 0, runningPods: 1 },
    'n1 scale 1 rejected 1',
  ],
  ['one runs, and is not ready yet', { ready: 0, available: 0, runningPods: 1 }, 'n1 scale 1 rejected 1'],
  ['one is ready, and no watch has shown it', { ready: 1, available: 0, runningPods: 0 }, 'n1 scale 1 rejected 1'],
  ['all run by now', { ready: 1, available: 0, runningPods: 2 }, 'settled web IngressAsWanted'],
]

for (const [title, deployment, decision] of FAILED)
  test(`a node whose pods are rejected keeps those that run: ${title}`, () => {
    const n1 = aNodeOf('n1', { deployment: { revision: 'r2', failedPods: 5, ...deployment } })
    assert.equal(short(decideIngress(aScene([n1, aNodeOf('n2', { deployment: { revision: 'r2' } })]))), decision)
  })

/** Of the wanted revision, minutes before now. */
interface Rejected {
  readonly count?: number
  readonly ago: number
  readonly triedAgo?: number
  /** What stands there instead. */
  readonly text?: string
  readonly deployment?: Partial<IngressDeployment>
  /** Its pods are being replaced. */
  readonly isUpdating?: true
  readonly retry?: true
}

const noteOf = ({ count = 1, ago, triedAgo }: Rejected): Rejection => ({
  revision: 'r2',
  count,
  at: wallMs(NOW - ago * MINUTES),
  ...(triedAgo === undefined ? {} : { triedAt: wallMs(NOW - triedAgo * MINUTES) }),
})

function scene(is: Rejected) {
  const { text = formatRejection(noteOf(is)), isUpdating, retry } = is
  const pods = { revision: 'r2', replicas: 0, updated: 0, ready: 0, available: 0, ...is.deployment }
  const n1 = aNodeOf('n1', {
    deployment: { ...pods, annotations: { [REJECTED_ANNOTATION]: text } },
    ...(isUpdating
      ? { slot: OURS, op: anOp({ phase: 'Updating' }, { t0: 1_300, t1: 1_290, t2: 1_260 }), asks: 'dc' }
      : {}),
    ...(retry ? { is: { request: { kind: 'retry', of: 'op-1' } } } : {}),
  })
  return aScene([n1, aNodeOf('n2', { deployment: { revision: 'r2' } })])
}

const WAITS = 'hold n1 PodsRejected'
const TRIED = { replicas: 2, updated: 2 }

const ROWS: readonly (readonly [title: string, rejected: Rejected, decision: string])[] = [
  ['ten minutes are not over', { ago: 9.99 }, WAITS],
  ['ten minutes are over', { ago: 10 }, 'n1 scale 2 tried 1'],
  ['the second time, twenty minutes are not over', { count: 2, ago: 19.99 }, WAITS],
  ['the second time, twenty minutes are over', { count: 2, ago: 20 }, 'n1 scale 2 tried 2'],
  ['the third time, forty minutes are over', { count: 3, ago: 40 }, 'n1 scale 2 tried 3'],
  ['the fourth time, an hour is not over', { count: 4, ago: 59.99 }, WAITS],
  ['the fourth time, an hour is over', { count: 4, ago: 60 }, 'n1 scale 2 tried 4'],
  ['after many times it is an hour as well', { count: 1_000, ago: 60 }, 'n1 scale 2 tried 1000'],
  ['it was rejected in the future, by a clock that was ahead', { ago: -600 }, 'n1 scale 2 tried 1'],
  ['the revision alone, as earlier releases wrote it', { ago: 0, text: 'r2' }, 'n1 scale 2 tried 1'],
  ['of another revision', { ago: 0, text: 'r0' }, 'n1 scale 2'],
  ['no such note at all', { ago: 0, text: '{"version":1}' }, 'n1 scale 2'],
  [
    'they are tried, and come up',
    { ago: 11, triedAgo: 1, deployment: { ...TRIED, ready: 1 } },
    'settled web IngressAsWanted',
  ],
  [
    'they are tried, and are available: the note goes',
    { ago: 11, triedAgo: 1, deployment: { ...TRIED, ready: 2, available: 2 } },
    'n1 scale 2',
  ],
  [
    'they are tried, and rejected again',
    { count: 2, ago: 21, triedAgo: 1, deployment: { ...TRIED, failedPods: 5, runningPods: 0 } },
    'n1 scale 0 rejected 3',
  ],
  [
    'four of them failed since',
    { ago: 11, triedAgo: 1, deployment: { ...TRIED, failedPods: 4 } },
    'settled web IngressAsWanted',
  ],
  ['in an update', { ago: 9.99, isUpdating: true }, WAITS],
  ['in an update, after ten minutes', { ago: 10, isUpdating: true }, 'n1 scale 2 tried 1'],
  [
    'in an update, they are tried and come up',
    { ago: 11, triedAgo: 1, isUpdating: true, deployment: TRIED },
    'hold n1 PodsNotReady',
  ],
  [
    'in an update, a person wants it tried again: at once',
    { ago: 1, isUpdating: true, retry: true },
    'n1 scale 2 tried 1',
  ],
  [
    'in an update, it is tried for a person: the deadline begins anew',
    { ago: 1, triedAgo: 0, isUpdating: true, retry: true, deployment: TRIED },
    'n1 writeOp Updating r2',
  ],
]

for (const [title, rejected, decision] of ROWS)
  test(`pods that were rejected are made once more, later each time; ${title}`, () =>
    assert.equal(short(decideIngress(scene(rejected))), decision))

const REBOOTED = { shutDownPods: 5, ready: 0, available: 0, runningPods: 0 }
const FULL = { failedPods: 5, ready: 1, available: 1, runningPods: 1 }
const OUT = { slot: OURS, op: anOp({ revision: 'r2' }, { t1: 90 }), asks: 'dc' } as const
const UPDATES = { slot: OURS, op: anOp({ phase: 'Updating' }, { t1: 90, t2: 60 }), asks: 'dc' } as const
const CORDONED = { unschedulable: true }
const DOWN = { ready: 'Unknown' } as const
/** What failed before the last minute does not count. */
const MADE = { [REJECTED_ANNOTATION]: formatRejection(noteOf({ count: 0, ago: 1, triedAgo: 1 })) }
const NOTED = { [REJECTED_ANNOTATION]: formatRejection(noteOf({ ago: 60 })) }

/** Of a node of the wanted revision, whose gate is open where others work on it. */
const AWAY: readonly (readonly [title: string, node: Parameters<typeof aNodeOf>[1], decision: string])[] = [
  [
    'its machine goes down, in a drain',
    { ...OUT, node: CORDONED, deployment: { ...REBOOTED, gate: 'open' } },
    'n1 scale 0',
  ],
  ['its disk is full, in a drain', { ...OUT, node: CORDONED, deployment: { ...FULL, gate: 'open' } }, 'n1 scale 1'],
  [
    'in a drain, and no pod is made any more',
    { ...OUT, node: CORDONED, deployment: { ...REBOOTED, replicas: 0, gate: 'open' } },
    'hold n1 OthersAtWork',
  ],
  ['the drain is over: its pods are made', { ...OUT, deployment: { ...FULL, replicas: 1 } }, 'n1 writeOp Updating r2'],
  ['its machine goes down, and others do not work on it', { node: DOWN, deployment: REBOOTED }, 'n1 scale 0'],
  ['it is not Ready, and some of its pods run', { node: DOWN, deployment: { ...FULL, available: 0 } }, 'n1 scale 1'],
  [
    'and no pod is made any more',
    { node: DOWN, deployment: { ...REBOOTED, replicas: 0 } },
    'settled web IngressAsWanted',
  ],
  [
    'in an update, and no pod is made any more',
    { ...UPDATES, node: DOWN, deployment: { ...REBOOTED, replicas: 0 } },
    'hold n1 PodsNotReady',
  ],
  ['it is Ready again: its pods are made', { deployment: { ...REBOOTED, replicas: 0 } }, 'n1 scale 2'],
  [
    'it is Ready again, and pods failed there: what failed before is noted not to count',
    { deployment: { ...FULL, replicas: 1 } },
    'n1 scale 2 tried 0',
  ],
  [
    'in an update, it is Ready again, and pods failed there',
    { ...UPDATES, deployment: { ...FULL, replicas: 1 } },
    'n1 scale 2 tried 0',
  ],
  [
    'it is Ready again, its pods are made, and the node is not stuck meanwhile',
    { deployment: { ...TRIED, ready: 0, available: 0, annotations: MADE } },
    'settled web IngressAsWanted',
  ],
  [
    'it is Ready again, and its new pods fail as well: that counts as the first time',
    { deployment: { ...TRIED, ready: 0, available: 0, failedPods: 5, runningPods: 0, annotations: MADE } },
    'n1 scale 0 rejected 1',
  ],
  [
    'it is Ready again, and its new pods are available: the note goes',
    { deployment: { annotations: MADE } },
    'n1 scale 2',
  ],
  ['it is back, and all of its pods came up', { deployment: { failedPods: 5 } }, 'settled web IngressAsWanted'],
  ['it is Ready, and its pods ended with its machine', { deployment: REBOOTED }, 'settled web IngressAsWanted'],
  ['a note of before stays', { node: DOWN, deployment: { ...REBOOTED, annotations: NOTED } }, 'n1 scale 0 rejected 1'],
  [
    'a note of before, and the next try is due: not on a node that is not Ready',
    { node: DOWN, deployment: { ...REBOOTED, replicas: 0, annotations: NOTED } },
    'hold n1 PodsRejected',
  ],
]

for (const [title, node, decision] of AWAY)
  test(`pods that fail on a node that is away count for nothing, and are not made anew: ${title}`, () => {
    const n1 = aNodeOf('n1', { ...node, deployment: { revision: 'r2', ...(node?.deployment as object) } })
    const others = ['n2', 'n3', 'n4'].map((name) => aNodeOf(name, { deployment: { revision: 'r2' } }))
    assert.equal(short(decideIngress(aScene([n1, ...others]))), decision)
  })

test('pods that fail on a node that is cordoned, and may not leave yet, are not made anew either', () => {
  const n1 = aNodeOf('n1', { node: CORDONED, deployment: { ...FULL, revision: 'r2', replicas: 1 } })
  const out = [outFor('n9', 'recorded')]
  const budget = { limit: { kind: 'count', count: 1 }, fleet: 12, out, slots: [] } as const
  const nodes = [n1, aNodeOf('n2', { deployment: { revision: 'r2' } })]
  assert.equal(short(decideIngress(aScene(nodes, { budget }))), 'hold n1 BudgetUsedUp')
})

for (const [title, note, decision] of [
  ['after ten minutes', { ago: 10 }, 'n1 scale 2 tried 1'],
  ['not before', { ago: 9 }, 'n1 unmarkDeployment'],
  ['at once where nothing is noted', undefined, 'n1 scale 2'],
] as const)
  test(`pods that were rejected on the way back are made once more there, or its agent would never answer: ${title}`, () => {
    const annotations: Readonly<Record<string, string>> =
      note === undefined ? {} : { [REJECTED_ANNOTATION]: formatRejection(noteOf(note)) }
    const op = anOp({ phase: 'Attaching' }, { t0: 900, t1: 890, t2: 880 })
    const n1 = aNodeOf('n1', { slot: OURS, op, asks: 'dc', deployment: { revision: 'r2', replicas: 0, annotations } })
    assert.equal(short(decideIngress(aScene([n1, aNodeOf('n2', { deployment: { revision: 'r2' } })]))), decision)
  })

test('a note of before is due at once when others are done with the node', () => {
  const back = { slot: OURS, op: anOp({ phase: 'Updating' }, { t0: 300, t1: 290, t2: 1 }), asks: 'dc' } as const
  const annotations = { [REJECTED_ANNOTATION]: formatRejection(noteOf({ count: 4, ago: 1 })) }
  const n1 = aNodeOf('n1', { ...back, deployment: { revision: 'r2', replicas: 0, updated: 0, ready: 0, annotations } })
  assert.equal(
    short(decideIngress(aScene([n1, aNodeOf('n2', { deployment: { revision: 'r2' } })]))),
    'n1 scale 2 tried 4',
  )
})

test('the hold of rejected pods ends with the next try', () => {
  const decision = decideIngress(scene({ ago: 9.95 }))
  assert.ok(decision.kind === 'hold')
  assert.equal(decision.recheckAfterMs, 3_000)
  assert.match(decision.reasons[0]?.text ?? '', /no pod is created before 2026-01-01T00:00:03Z$/)
})

test('a node whose pods are tried again is stuck until they are ready, so that the rollout does not go on meanwhile', () => {
  const trying = scene({ ago: 11, triedAgo: 1, deployment: { ...TRIED, ready: 1 } })
  const old = aNodeOf('n3', { deployment: { revision: 'r1' } })
  assert.match(short(decideIngress({ ...trying, nodes: [...trying.nodes, old] })), /^hold web RolloutStalled/)
})

test('a note is read as it was written, and what is wrong in it is of a revision that there is not, or due', () => {
  const note = { revision: 'r2', count: 3, at: wallMs(NOW), triedAt: wallMs(NOW + 1) }
  assert.deepEqual(parseRejection(formatRejection(note)), note)
  assert.deepEqual(parseRejection('r2'), { revision: 'r2', count: 1, at: 0 })
  assert.deepEqual(parseRejection('{"revision":7}').revision, '')
  for (const odd of ['{"revision":"r2","count":-4,"at":"yesterday"}', '{"revision":"r2","count":0.5,"triedAt":[]}'])
    assert.deepEqual(parseRejection(odd), { revision: 'r2', count: 1, at: 0 })
  const many = parseRejection('{"revision":"r2","count":1e300,"at":"2026-01-01T00:00:00Z"}')
  assert.equal(nextTryAt(many, wallMs(NOW)), NOW + 60 * MINUTES)
})

test('a node whose pods are made again is in service, and a rollout goes on beside it', () => {
  const made = aNodeOf('n1', { deployment: { revision: 'r2', ready: 1, available: 1, annotations: MADE } })
  const nodes = [made, aNodeOf('n2'), aNodeOf('n3')]
  const strategy = { kind: 'detach', maxUnavailableNodes: { kind: 'count', count: 2 } } as const
  assert.equal(short(decideIngress(aScene(nodes, { spec: { strategy } }))), 'n3 takeSlot 0')
})

test('a note that nothing was rejected is read as it was written', () => {
  const note = noteOf({ count: 0, ago: 1, triedAgo: 1 })
  assert.deepEqual(parseRejection(formatRejection(note)), note)
})
