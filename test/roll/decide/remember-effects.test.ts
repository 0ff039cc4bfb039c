import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import { rememberOutcome } from '../../../src/roll/decide/remember-outcome.ts'
import type { Action } from '../../../src/service/model/action.ts'
import type { Outcome } from '../../../src/service/model/outcome.ts'
import { out } from '../../support/roll-stages.ts'
import { aPod, aSnapshot, aWorkload } from '../../support/roll-world.ts'

const NOW = monoMs(1_000_000)
const KEY = 'web/n1 on lb-1'
const REF = { instance: 'lb-1', backend: 'web', server: 'n1' }
const BUSY = { failures: 2, notBefore: monoMs(1), error: 'the API server was busy' }
const FAILED = { ok: false, code: 'KUBE_SERVER', error: 'the API server is busy', retryInMs: 700 } as const

const EVICT = { kind: 'evict', node: 'n1', namespace: 'shop', name: 'cart-a', uid: 'uid-cart-a', stage: 2 } as const
const SET = { kind: 'setServer', node: 'n1', balancer: 'edge', ref: REF, restores: false } as const
const MAINT = { ...SET, state: 'maint' } as const
const CUT = { kind: 'cutSessions', node: 'n1', balancer: 'edge', ref: REF, sessions: 3 } as const
const TAKE = { kind: 'takeSlot', node: 'n1', takeStale: false, restores: false } as const
const INTENT = { kind: 'writeIntent', node: 'n1', bootId: 'b' } as const
const REBOOT = { kind: 'sendReboot', node: 'n1', bootId: 'b' } as const
const SENT = { kind: 'sent' } as const
const UNKNOWN = { kind: 'unknown', text: 'the connection broke' } as const

/** What was known before: each answer is added to it. */
const KNOWN = {
  retries: { 'uncordon n9': BUSY },
  purgedAt: { 'web/n9 on lb-1': monoMs(7) },
  evictions: { 'uid-x': { kind: 'gone' } },
  evicted: { 'uid-x': { name: 'shop/x', stage: 1 } },
  slotTakenAt: monoMs(7),
  detached: {
    [KEY]: { process: '100', since: monoMs(9), totalSessions: 100, strays: 1, cutSessions: 2 },
    'web/n9 on lb-1': { process: '100', since: monoMs(8), totalSessions: 5, strays: 0, cutSessions: 0 },
  },
} as const satisfies Partial<Evidence>

/** It may be sent again at once, and a third time after a pause, unless the server is seen to have that state in between. */
const sentOnce = (state: string) => ({
  written: { [`setServer lb-1 web/n1 ${state}`]: { times: 1, notBefore: monoMs(NOW) } },
})

const failedOnce = (key: string): Partial<Evidence> => ({
  retries: {
    ...KNOWN.retries,
    [key]: { failures: 1, notBefore: monoMs(1_000_700), error: 'the API server is busy' },
  },
})

const moved = (kind: 'accepted' | 'gone' | 'replaced'): Partial<Evidence> => ({
  evictions: { ...KNOWN.evictions, 'uid-cart-a': { kind } },
  evicted: {
    ...KNOWN.evicted,
    'uid-cart-a': { name: 'shop/cart-a', stage: 2, workload: 'ReplicaSet shop/cart', ready: 1 },
  },
})
const BUDGET = { kind: 'budget', refusal: { budget: 'cart' } } as const

const TABLE: readonly (readonly [title: string, action: Action, outcome: Outcome, change: Partial<Evidence>])[] = [
  [
    'a cordon that went well is not repeated at once',
    { kind: 'cordon', node: 'n1' },
    { ok: true },
    { written: { 'cordon n1': { times: 1, notBefore: monoMs(NOW + 1000) } } },
  ],
  ['a cordon that failed is tried again', { kind: 'cordon', node: 'n1' }, FAILED, failedOnce('cordon n1')],
  [
    'an eviction that was accepted moved its pod',
    EVICT,
    { ok: true, eviction: { kind: 'accepted' } },
    moved('accepted'),
  ],
  ['an eviction of a pod that is gone moved it', EVICT, { ok: true, eviction: { kind: 'gone' } }, moved('gone')],
  [
    'an eviction of a pod that was replaced moved it',
    EVICT,
    { ok: true, eviction: { kind: 'replaced' } },
    moved('replaced'),
  ],
  [
    'an eviction that a budget refused moved nothing',
    EVICT,
    { ...FAILED, eviction: BUDGET },
    { ...failedOnce('evict uid-cart-a'), evictions: { ...KNOWN.evictions, 'uid-cart-a': BUDGET } },
  ],
  [
    'an eviction without an answer may have moved its pod',
    EVICT,
    FAILED,
    { ...failedOnce('evict uid-cart-a'), evicted: moved('accepted').evicted ?? {} },
  ],
  [
    'maint drops the connections',
    MAINT,
    { ok: true },
    { purgedAt: { ...KNOWN.purgedAt, [KEY]: NOW }, setOut: { [KEY]: true }, ...sentOnce('maint') },
  ],
  [
    'a server that is set ready was put back',
    { ...SET, state: 'ready' },
    { ok: true },
    { putBackAt: { [KEY]: NOW }, ...sentOnce('ready') },
  ],
  ['maint that was refused drops none', MAINT, FAILED, failedOnce('setServer lb-1 web/n1 maint')],
  ['drain drops none', { ...SET, state: 'drain' }, { ok: true }, { setOut: { [KEY]: true }, ...sentOnce('drain') }],
  ['a slot that was taken is ours since then', TAKE, { ok: true }, { slotTakenAt: NOW }],
  ['a slot that was not taken is ours since before', TAKE, FAILED, failedOnce('takeSlot n1')],
  [
    'an announcement that was written is ours',
    INTENT,
    { ok: true },
    { intentByUs: true, written: { 'writeIntent n1': { times: 1, notBefore: monoMs(NOW + 1000) } } },
  ],
  ['an announcement that was refused is not ours', INTENT, FAILED, failedOnce('writeIntent n1')],
  [
    'a reboot that was sent is awaited from then on',
    REBOOT,
    { ok: true, reboot: SENT },
    { reboot: { at: NOW, answer: SENT }, awaySince: NOW },
  ],
  [
    'a reboot that may have been sent is awaited from then on',
    REBOOT,
    { ...FAILED, reboot: UNKNOWN },
    { ...failedOnce('sendReboot n1'), reboot: { at: NOW, answer: UNKNOWN }, awaySince: NOW },
  ],
  ['a reboot without an answer was not sent', REBOOT, FAILED, failedOnce('sendReboot n1')],
  [
    'sessions that were cut are added to those cut before',
    CUT,
    { ok: true },
    { detached: { ...KNOWN.detached, [KEY]: { ...KNOWN.detached[KEY], cutSessions: 5 } } },
  ],
  ['sessions that were not cut are not counted', CUT, FAILED, failedOnce('cutSessions lb-1 web/n1')],
  [
    'sessions of a server that never confirmed are not counted',
    { ...CUT, ref: { ...REF, server: 'n7' } },
    { ok: true },
    {},
  ],
]

for (const [title, action, outcome, change] of TABLE) {
  test(`an effect is remembered beside what was known: ${title}`, () => {
    const other = aPod('db-0', 'n1', { controller: { kind: 'StatefulSet', name: 'db', uid: 'uid-db' } })
    const workloads = [aWorkload({ kind: 'StatefulSet', name: 'db', uid: 'uid-db' }), aWorkload()]
    const s = aSnapshot({ ...out, evidence: KNOWN, pods: [other, aPod('cart-a', 'n1')], workloads })
    assert.deepEqual(rememberOutcome(s, action, outcome), { ...s.evidence, ...change })
  })
}

test('an effect that goes well is forgotten as a failure, and one that fails again counts one more', () => {
  const evidence = { retries: { ...KNOWN.retries, 'cordon n1': BUSY } }
  const retries = (outcome: Outcome) =>
    rememberOutcome(aSnapshot({ ...out, evidence }), { kind: 'cordon', node: 'n1' }, outcome).retries
  assert.deepEqual(retries({ ok: true }), KNOWN.retries)
  assert.deepEqual(retries(FAILED)['cordon n1'], {
    failures: 3,
    notBefore: 1_000_700,
    error: 'the API server is busy',
  })
})

test('a reboot that is sent again is awaited since the first one', () => {
  const evidence = { reboot: { at: monoMs(8), answer: UNKNOWN }, awaySince: monoMs(7) }
  const { awaySince, reboot } = rememberOutcome(aSnapshot({ ...out, evidence }), REBOOT, { ok: true, reboot: SENT })
  assert.deepEqual([awaySince, reboot], [7, { at: 1_000_000, answer: { kind: 'sent' } }])
})

test('a pod that moved names no workload where neither is listed any more, and then its controller', () => {
  const evicted = (s: ReturnType<typeof aSnapshot>) =>
    rememberOutcome(s, EVICT, { ok: true, eviction: { kind: 'gone' } }).evicted
  const pod = { name: 'shop/cart-a', stage: 2 }
  assert.deepEqual(evicted(aSnapshot({ ...out, workloads: [aWorkload()] })), { 'uid-cart-a': pod })
  const unlisted = aSnapshot({ ...out, pods: [aPod('cart-a', 'n1')] })
  assert.deepEqual(evicted(unlisted), { 'uid-cart-a': { ...pod, controller: 'uid-cart' } })
})
