import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DataPortStreak, dataPortAsked, UNASKED } from '../../../src/agent/decide/data-port.ts'
import { decide } from '../../../src/agent/decide/decide.ts'
import { DIALECTS, isDialectName } from '../../../src/agent/decide/dialect.ts'
import { noEvidence } from '../../../src/agent/decide/evidence.ts'
import { observe } from '../../../src/agent/decide/observe.ts'
import { parseOverride } from '../../../src/agent/decide/parse-override.ts'
import type { AgentSnapshot } from '../../../src/agent/decide/snapshot.ts'
import { UNREADABLE_CLAIMS } from '../../../src/agent/model/kept-claims.ts'
import type { Reason } from '../../../src/ground/model/reason.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { anAgent, DISK_ALONE, KEPT, NOW, REQUEST } from '../../support/agent-world.ts'

test('each dialect says the answer in what its balancers read', () => {
  const [ok, down] = [
    { status: 200, body: 'OK' },
    { status: 503, body: 'Down' },
  ]
  const downInBody = { status: 200, reason: 'Down', body: 'Down' }
  assert.deepEqual(DIALECTS, {
    plain: { up: ok, drain: down, down },
    'disable-on-404': { up: ok, drain: { status: 404, body: 'Drain' }, down },
    body: { up: ok, drain: downInBody, down: downInBody },
    f5: { up: ok, drain: { status: 200, reason: 'Drain', body: 'Drain' }, down },
  })
  assert.deepEqual(['plain', 'f5', 'toString', ''].map(isDialectName), [true, true, false, false])
})

const OVERRIDES: readonly (readonly [text: string, read: ReturnType<typeof parseOverride>])[] = [
  ['up', { answer: 'up', why: 'no reason is given' }],
  ['  \n drain   until the  disk is changed \nup', { answer: 'drain', why: 'until the disk is changed' }],
  ['down\tby hand', { answer: 'down', why: 'by hand' }],
  ['Up', undefined],
  ['update', undefined],
  ['', undefined],
  ['maybe up', undefined],
]

for (const [text, read] of OVERRIDES) {
  test(`an override file with ${JSON.stringify(text)} says ${read?.answer ?? 'nothing'}`, () => {
    assert.deepEqual(parseOverride(text), read)
  })
}

test('a data port is closed after as many silent asks in a row as its fall, and open after as many as its rise', () => {
  const found = (asked: string): readonly string[] => {
    let streak: DataPortStreak = UNASKED
    return [...asked].map((mark) => {
      streak = dataPortAsked(streak, mark === 'o' ? 'open' : 'closed', { fall: 3, rise: 2 })
      return streak.found ?? '-'
    })
  }
  assert.deepEqual(found('oo'), ['-', 'open'])
  assert.deepEqual(found('ccc'), ['-', '-', 'closed'])
  assert.deepEqual(found('ooccocccoo').slice(1), [...Array(6).fill('open'), 'closed', 'closed', 'open'])
  assert.deepEqual(dataPortAsked(UNASKED, 'open', { fall: 3, rise: 2 }), { last: 'open', inARow: 1 })
  const open = { found: 'open', last: 'open', inARow: 2 } as const
  assert.deepEqual(dataPortAsked(open, 'closed', { fall: 3, rise: 2 }), { found: 'open', last: 'closed', inARow: 1 })
})

const agoMs = (ms: number) => monoMs(NOW - ms)
const cordoned = (evidence: Partial<AgentSnapshot['evidence']>, spec: Partial<AgentSnapshot['spec']> = {}) =>
  anAgent({ facts: { unschedulable: true }, evidence, spec })
const staleFor = (answer: 'up' | 'down') =>
  anAgent({ spec: { stale: { afterMs: 9_000, answer } }, change: { unheardSince: agoMs(9_000) } })
const cold = (change: Partial<AgentSnapshot> = {}) =>
  anAgent({ change: { evidence: noEvidence(agoMs(60_000)), heard: false, ...change } })

/** Each reason in full, as people read it: of the last one of each snapshot. */
const REASONS: readonly (readonly [snapshot: AgentSnapshot, reason: Reason])[] = [
  [anAgent(), { code: 'InService', text: 'nothing keeps the node out' }],
  [
    anAgent({ change: { override: { answer: 'up', why: 'a test' } } }),
    { code: 'Overridden', text: 'the override file says up: a test' },
  ],
  [
    cordoned({ leavingSince: agoMs(600_000) }, { drainLimitMs: 600_000 }),
    { code: 'DrainLimit', text: 'the node has been draining for longer than the drain limit (10 min)' },
  ],
  [
    anAgent({ evidence: { answer: 'drain', clearSince: agoMs(1_000) } }),
    { code: 'Returning', text: 'the node has been ready to serve for less than the delay (5 s)' },
  ],
  [
    staleFor('up'),
    { code: 'ApiLongAway', text: 'the API server has not been reached for longer than the limit (9 s)' },
  ],
  [
    staleFor('down'),
    { code: 'ApiLongAway', text: 'the API server has not been reached for longer than the limit (9 s)' },
  ],
  [
    cordoned({ brake: 'withheld' }),
    {
      code: 'CordonNotGranted',
      text: 'the node is cordoned, and its cordon is not granted',
      next: 'uncordon other nodes, or wait until they are back',
    },
  ],
  [
    cordoned({ brake: 'unknown' }),
    {
      code: 'BrakeUnknown',
      text: 'the node is cordoned, and it is not known whether its cordon is granted',
      next: 'see trouble in /healthz: the ConfigMap evenkeel-cordon-grants cannot be read, or is malformed',
    },
  ],
  [
    cordoned({}, { cordonGraceMs: 9_000 }),
    { code: 'CordonYoung', text: 'the node has been cordoned for less than the grace (9 s)' },
  ],
  [cordoned({}), { code: 'Cordoned', text: 'the node is cordoned' }],
  [
    anAgent({ facts: { maintenance: REQUEST } }),
    {
      code: 'Maintenance',
      object: 'roll/20260101T000000Z-0001',
      text: 'roll 20260101T000000Z-0001 takes the node out',
    },
  ],
  [
    anAgent({ facts: { maintenance: DISK_ALONE } }),
    { code: 'Maintenance', object: 'person/alice', text: 'person/alice keeps the node out: a new disk' },
  ],
  [
    anAgent({ facts: { maintenance: '{"version":2,"claims":[{"owner":"guard/storage","id":"1"}]}' } }),
    { code: 'Maintenance', object: 'guard/storage', text: 'guard/storage keeps the node out' },
  ],
  [
    anAgent({ facts: { maintenance: 'yes' } }),
    {
      code: 'MaintenanceUnreadable',
      text: 'the claims on the node cannot be read: it is not a JSON object',
      next: 'remove the annotation evenkeel.dev/maintenance from the node if no work on the node is in progress',
    },
  ],
  [
    cold({ kept: KEPT }),
    {
      code: 'MaintenanceKept',
      object: 'roll/20260101T000000Z-0001',
      text: 'roll 20260101T000000Z-0001 took the node out, and the API server has not shown the end of its claim',
      next: 'annotate the node with evenkeel.dev/maintenance=withdrawn if roll 20260101T000000Z-0001 has ended and there is no other claim',
    },
  ],
  [
    cold({ kept: UNREADABLE_CLAIMS }),
    {
      code: 'MaintenanceKept',
      text: 'a claim on the disk of the node cannot be read, and the API server has not shown that it is over',
      next: 'annotate the node with evenkeel.dev/maintenance=withdrawn if no work on the node is in progress',
    },
  ],
  [anAgent({ evidence: { node: 'gone' } }), { code: 'NodeGone', text: 'the API server has no Node of that name' }],
  [
    anAgent({ facts: { lifecycle: ['DrainInProgress', 'Terminating'] } }),
    { code: 'NodeLeaves', text: 'the condition DrainInProgress, Terminating of the node is True' },
  ],
  [anAgent({ facts: { deleting: true } }), { code: 'NodeDeleted', text: 'the Node object is being deleted' }],
  [anAgent({ facts: { removal: ['a', 'b'] } }), { code: 'NodeToBeRemoved', text: 'the node is tainted with a, b' }],
  [
    anAgent({ facts: { excluded: true } }),
    { code: 'NodeExcluded', text: 'a label keeps the node out of external load balancers' },
  ],
  [cold(), { code: 'ColdStart', text: 'the API server has not shown the node since the machine booted' }],
  [
    anAgent({ spec: { hasDataPort: true }, evidence: { dataPort: 'closed' } }),
    { code: 'DataPortClosed', text: 'nothing answers at the data port of the node' },
  ],
  [
    anAgent({ spec: { hasDataPort: true } }),
    { code: 'DataPortUnknown', text: 'the data port of the node has not been checked often enough yet' },
  ],
]

for (const [snapshot, reason] of REASONS) {
  test(`the reason ${reason.code} says: ${reason.text}`, () => {
    assert.deepEqual(decide({ ...snapshot, evidence: observe(snapshot) }).reasons.at(-1), reason)
  })
}

test('a node that says drain while nothing is known against it is down no sooner than it was told to leave', () => {
  const { answer, changesInMs } = decide(cordoned({ cordonedSince: NOW }, { drainLimitMs: 600_000 }))
  assert.deepEqual([answer, changesInMs], ['drain', 600_000])
})

test('before anything was seen the answer is down', () => {
  assert.deepEqual(noEvidence(NOW), { answer: 'down', since: NOW })
})

test('what was observed keeps the word of the brake, and forgets the cordon of a node that is gone', () => {
  const seen = observe(anAgent({ evidence: { node: 'gone', cordonedSince: agoMs(5), cordonCounts: true } }))
  assert.deepEqual([seen.cordonedSince, seen.cordonCounts, seen.leavingSince], [undefined, undefined, NOW])
  assert.equal('cordonCounts' in observe(cordoned({ brake: 'withheld' })), false)
  assert.equal(
    'clearSince' in observe(anAgent({ spec: { hasDataPort: true }, evidence: { dataPort: 'closed' } })),
    false,
  )
})
