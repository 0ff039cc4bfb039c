import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReasonCode } from '../../../src/ground/model/reason.ts'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import { rememberDecision } from '../../../src/roll/decide/remember-decision.ts'
import { rememberOutcome } from '../../../src/roll/decide/remember-outcome.ts'
import type { Decision } from '../../../src/roll/model/decision.ts'
import type { Step } from '../../../src/roll/model/step.ts'
import type { Action } from '../../../src/service/model/action.ts'
import type { Outcome } from '../../../src/service/model/outcome.ts'
import { announced, out } from '../../support/roll-stages.ts'
import { aPod, aRecord, aSnapshot, aWorkload, detachedEvidence } from '../../support/roll-world.ts'

const NOW = 1_000_000
const REF = { instance: 'lb-1', backend: 'web', server: 'n1' }
const EVICT = { kind: 'evict', node: 'n1', namespace: 'shop', name: 'cart-a', uid: 'uid-cart-a', stage: 2 } as const
const SET = { kind: 'setServer', node: 'n1', balancer: 'edge', ref: REF, restores: false } as const
const FAILED = { ok: false, code: 'KUBE_SERVER', error: 'the API server is busy', retryInMs: 700 } as const

const held = (step: Step, code: ReasonCode = 'OtherNodeBad'): Decision => ({
  kind: 'hold',
  step,
  reasons: [{ code, text: 'x' }],
  recheckAfterMs: 500,
})
const acted = (step: Step, actions: readonly Action[], code: ReasonCode = 'OtherNodeBad'): Decision => ({
  kind: 'act',
  step,
  actions,
  reasons: [{ code, text: 'x' }],
})

test('each kind of waiting is counted from when it began, however often it is decided again', () => {
  const began = monoMs(7)
  const rows: readonly (readonly [Step, Partial<Evidence>])[] = [
    ['reboot', { awaySince: began }],
    ['settle', { settlingSince: began }],
    ['attach', { attachingSince: began, attachingSinceWall: wallMs(8) }],
    ['soak', { attachingSince: began, attachingSinceWall: wallMs(8), attachedAt: began, attachedAtWall: wallMs(8) }],
  ]
  for (const [step, evidence] of rows) {
    const known = { ...evidence, intentByUs: true, reboot: { at: began, answer: { kind: 'sent' } } } as const
    const seen = rememberDecision(aSnapshot({ ...announced, evidence: known }), held(step))
    for (const [key, value] of Object.entries(evidence)) assert.equal(seen[key as keyof Evidence], value, key)
  }
})

/** Since when it counts as stuck after that, which it was in the drain since 7 with one pod left. */
function stuckSince(decision: Decision, change: Partial<Evidence> = {}, pods = 1): number | undefined {
  const here = Array.from({ length: pods }, (_, i) => aPod(`cart-${i}`, 'n1'))
  const evidence = { ...detachedEvidence(), stuckSince: monoMs(7), stuckStep: 'drain' as const, podsLeft: 1, ...change }
  return rememberDecision(aSnapshot({ ...out, pods: here, evidence }), decision).stuckSince
}
const retries = { 'cordon n1': { failures: 1, notBefore: monoMs(1), error: 'busy' } }

const PROGRESS: readonly (readonly [title: string, since: number | undefined, isProgress: boolean])[] = [
  ['a hold for the same reason', stuckSince(held('drain')), false],
  ['a pod that left', stuckSince(held('drain'), { podsLeft: 2 }), true],
  ['a pod that came', stuckSince(held('drain'), {}, 2), false],
  ['a pod that left while it waits elsewhere', stuckSince(held('cordon'), { podsLeft: 2 }), false],
  ['a later step', stuckSince(held('reboot')), true],
  ['an earlier step', stuckSince(held('detach')), false],
  ['something done', stuckSince(acted('drain', [{ kind: 'cordon', node: 'n1' }])), false],
  [
    'something tried again that failed',
    stuckSince(acted('drain', [{ kind: 'cordon', node: 'n1' }]), { retries }),
    false,
  ],
  ['an eviction that is asked for', stuckSince(acted('drain', [EVICT], 'PodsHere')), false],
  [
    'a slot that is asked for',
    stuckSince(acted('drain', [{ kind: 'takeSlot', node: 'n1', takeStale: false, restores: false }])),
    false,
  ],
]

for (const [title, since, isProgress] of PROGRESS) {
  test(`${title} is ${isProgress ? '' : 'no '}progress`, () => assert.equal(since, isProgress ? NOW : 7))
}

const after = (action: Action, outcome: Outcome, evidence: Partial<Evidence> = {}): Evidence =>
  rememberOutcome(aSnapshot({ ...out, evidence }), action, outcome)

test('what failed is tried again after its pause, and what went well is forgotten', () => {
  const cordon = { kind: 'cordon', node: 'n1' } as const
  const once = after(cordon, FAILED)
  assert.deepEqual(once.retries, {
    'cordon n1': { failures: 1, notBefore: 1_000_700, error: 'the API server is busy' },
  })
  assert.equal(after(cordon, FAILED, once).retries['cordon n1']?.failures, 2)
  assert.deepEqual(after(cordon, { ok: true }, once).retries, {})
})

test('law: if somebody undoes a write on a Node, the roll repeats it after a growing pause', () => {
  const cordon = { kind: 'cordon', node: 'n1' } as const
  const uncordoned = { record: aRecord(), evidence: {} }
  let evidence: Evidence = aSnapshot(uncordoned).evidence
  const pauses = Array.from({ length: 8 }, () => {
    evidence = rememberOutcome(aSnapshot({ ...uncordoned, evidence }), cordon, { ok: true })
    const decision = decide(aSnapshot({ ...uncordoned, evidence }))
    return decision.kind === 'hold' && decision.reasons[0]?.code === 'UndoneByOthers' ? decision.recheckAfterMs : 0
  })
  assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
})

test('an announcement is ours only where it was written', () => {
  const write = { kind: 'writeIntent', node: 'n1', bootId: 'b' } as const
  assert.deepEqual([after(write, FAILED).intentByUs, after(write, { ok: true }).intentByUs], [false, true])
})

test('connections were dropped when a server was set to maint, and by nothing else', () => {
  const purgedAt = (state: 'maint' | 'drain', outcome: Outcome) => after({ ...SET, state }, outcome).purgedAt
  assert.deepEqual(purgedAt('maint', { ok: true }), { 'web/n1 on lb-1': NOW })
  assert.deepEqual([purgedAt('maint', FAILED), purgedAt('drain', { ok: true })], [{}, {}])
})

test('sessions were cut where the balancer took the word', () => {
  const cut = { kind: 'cutSessions', node: 'n1', balancer: 'edge', ref: REF, sessions: 3 } as const
  const sessions = (outcome: Outcome) => after(cut, outcome, detachedEvidence()).detached['web/n1 on lb-1']?.cutSessions
  assert.deepEqual([sessions(FAILED), sessions({ ok: true })], [0, 3])
})

test('a pod has moved once its eviction was accepted, and its workload is to be replaced', () => {
  const s = aSnapshot({ ...out, pods: [aPod('cart-a', 'n1')], workloads: [aWorkload()] })
  const budget = { kind: 'budget', refusal: { budget: 'cart' } } as const
  const refused = rememberOutcome(s, EVICT, { ...FAILED, eviction: budget })
  assert.deepEqual([refused.evicted, refused.evictions], [{}, { 'uid-cart-a': budget }])
  const accepted = rememberOutcome(s, EVICT, { ok: true, eviction: { kind: 'accepted' } })
  assert.deepEqual(accepted.evicted, {
    'uid-cart-a': { name: 'shop/cart-a', stage: 2, workload: 'ReplicaSet shop/cart', ready: 1 },
  })
})

test('an eviction whose answer is lost may have been carried out: its workload is to be back before the drain goes on', () => {
  const s = aSnapshot({ ...out, pods: [aPod('cart-a', 'n1')], workloads: [aWorkload()] })
  const moved = { 'uid-cart-a': { name: 'shop/cart-a', stage: 2, workload: 'ReplicaSet shop/cart', ready: 1 } }
  assert.deepEqual(rememberOutcome(s, EVICT, FAILED).evicted, moved)
  const passing = { kind: 'passing', text: 'the connection was reset' } as const
  const lost = rememberOutcome(s, EVICT, { ...FAILED, eviction: passing })
  assert.deepEqual([lost.evicted, lost.evictions], [moved, { 'uid-cart-a': passing }])
  const gone = rememberOutcome(aSnapshot({ ...out, evidence: lost }), EVICT, { ok: true, eviction: { kind: 'gone' } })
  assert.deepEqual(gone.evicted, moved, 'the workload of a pod that is gone is still known')
})

test('an eviction that is accepted after one without an answer names the workload, though a drain given up meanwhile had left it out', () => {
  const s = aSnapshot({ ...out, pods: [aPod('cart-a', 'n1')], workloads: [aWorkload()] })
  const evidence = { ...s.evidence, evicted: { 'uid-cart-a': { name: 'shop/cart-a', stage: 2 } } }
  const accepted = rememberOutcome({ ...s, evidence }, EVICT, { ok: true, eviction: { kind: 'accepted' } })
  assert.equal(accepted.evicted['uid-cart-a']?.workload, 'ReplicaSet shop/cart')
})
