import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reason, ReasonCode } from '../../../src/ground/model/reason.ts'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import { rememberDecision } from '../../../src/roll/decide/remember-decision.ts'
import type { Decision } from '../../../src/roll/model/decision.ts'
import type { Step } from '../../../src/roll/model/step.ts'
import type { Action } from '../../../src/service/model/action.ts'
import { OUT_TAINT } from '../../../src/service/model/node-record.ts'
import { announced, out } from '../../support/roll-stages.ts'
import { aPod, aSnapshot } from '../../support/roll-world.ts'

const NOW = monoMs(1_000_000)
const WALL = wallMs(1_700_000_000_000)
const EVICT = { kind: 'evict', node: 'n1', namespace: 'shop', name: 'cart-a', uid: 'uid-cart-a', stage: 2 } as const
const CORDON = { kind: 'cordon', node: 'n1' } as const
const SHUT = { kind: 'addTaint', node: 'n1', taint: OUT_TAINT } as const
const TAKE = { kind: 'takeSlot', node: 'n1', takeStale: false, restores: false } as const

const reasonsOf = (codes: readonly ReasonCode[]): readonly Reason[] => codes.map((code) => ({ code, text: 'x' }))
const held = (step: Step, ...codes: readonly ReasonCode[]): Decision => ({
  kind: 'hold',
  step,
  reasons: reasonsOf(codes),
  recheckAfterMs: 500,
})
const acted = (step: Step, actions: readonly Action[], ...codes: readonly ReasonCode[]): Decision => ({
  kind: 'act',
  step,
  actions,
  reasons: reasonsOf(codes),
})

const SETTLED: Decision = { kind: 'settled', reasons: reasonsOf(['NodeDone']) }
const ATTACHING = { attachingSince: NOW, attachingSinceWall: WALL }
const begun = (step: Step): Partial<Evidence> => ({
  stuckReasons: [],
  stuckStep: step,
  stuckSince: NOW,
  stuckFor: undefined,
  waitedMs: {},
})

const FIRST: readonly (readonly [title: string, decision: Decision, change: Partial<Evidence>])[] = [
  ['the end of the roll', SETTLED, {}],
  ['a proof that is awaited', held('proof', 'OtherNodeBad'), {}],
  ['an uncordon', acted('uncordon', [{ kind: 'uncordon', node: 'n1' }]), {}],
  ['a slot that is awaited', held('slot', 'OtherNodeBad'), begun('slot')],
  ['a record that is awaited', held('record', 'OtherNodeBad'), begun('record')],
  ['a cordon that is awaited', held('cordon', 'OtherNodeBad'), begun('cordon')],
  ['a detach that is awaited', held('detach', 'OtherNodeBad'), begun('detach')],
  ['a reboot that is not announced yet', held('reboot', 'OtherNodeBad'), begun('reboot')],
  ['a node that is settled', held('settle', 'SettledOnce'), { settlingSince: NOW, settledInARow: 1, settledAt: NOW }],
  ['an attach that waits for a silent balancer', held('attach', 'InstanceSilent'), { attachingSince: NOW }],
  [
    'a node that is settled but for one thing',
    held('settle', 'SettledOnce', 'DataPortSilent'),
    { settlingSince: NOW, settledInARow: 0, settledAt: undefined },
  ],
  [
    'something done to settle it',
    acted('settle', [CORDON], 'SettledOnce'),
    { settlingSince: NOW, settledInARow: 0, settledAt: undefined },
  ],
  ['a server that is put back', held('attach', 'OtherNodeBad'), ATTACHING],
  [
    'a soak',
    held('soak', 'OtherNodeBad'),
    { ...ATTACHING, attachedAt: NOW, attachedAtWall: WALL, attachDueSince: NOW },
  ],
]

for (const [title, decision, change] of FIRST) {
  test(`what is remembered when it is seen first: ${title}`, () => {
    const s = aSnapshot(out)
    const passedAt = decision.kind === 'settled' ? {} : { passedAt: NOW }
    assert.deepEqual(rememberDecision(s, decision), { ...s.evidence, ...change, ...passedAt })
  })
}

test('a look that finds a node settled counts once in a quarter of a second', () => {
  const after = (ms: number) => {
    const evidence = { settlingSince: monoMs(7), settledInARow: 2, settledAt: monoMs(NOW - ms) }
    const { settlingSince, settledInARow, settledAt } = rememberDecision(
      aSnapshot({ ...out, evidence }),
      held('settle', 'SettledOnce'),
    )
    return [settlingSince, settledInARow, settledAt]
  }
  assert.deepEqual(after(249), [7, 2, 999_751])
  assert.deepEqual(after(250), [7, 3, 1_000_000])
})

const BUSY = { failures: 1, notBefore: monoMs(1), error: 'busy' }
const CORDON_BUSY = { retries: { 'cordon n1': BUSY } }
const BEFORE = reasonsOf(['BudgetExhausted'])
const RETRYING: readonly Reason[] = [{ code: 'Retrying', text: 'busy' }]

/** What it is stuck for after that, where it was in the drain with one pod left; undefined: it goes on. */
function stuckFor(decision: Decision, change: Partial<Evidence> = {}): readonly Reason[] | undefined {
  const evidence = { stuckSince: monoMs(7), stuckStep: 'drain' as const, podsLeft: 1, passedAt: monoMs(7), ...change }
  const s = aSnapshot({ ...out, pods: [aPod('cart-a', 'n1')], evidence })
  const { stuckReasons, ...seen } = rememberDecision(s, decision)
  assert.deepEqual([seen.podsLeft, seen.stuckStep], [1, 'drain'])
  if (seen.stuckSince === 7) return stuckReasons
  assert.deepEqual([seen.stuckSince, stuckReasons], [NOW, []])
  return undefined
}

const STUCK: readonly (readonly [title: string, found: unknown, expected: readonly Reason[] | undefined])[] = [
  [
    'a hold is stuck for its reasons',
    stuckFor(held('drain', 'OtherNodeBad', 'SlotTaken')),
    reasonsOf(['OtherNodeBad', 'SlotTaken']),
  ],
  [
    'sessions that end by themselves are waited for without counting',
    stuckFor(held('drain', 'OtherNodeBad', 'SessionsLeft')),
    undefined,
  ],
  [
    'something that is done, and may be undone again, is stuck for why',
    stuckFor(acted('cordon', [CORDON], 'OtherNodeBad')),
    reasonsOf(['OtherNodeBad']),
  ],
  [
    'something tried again is stuck for what it was held by before',
    stuckFor(acted('drain', [CORDON], 'OtherNodeBad'), { ...CORDON_BUSY, stuckReasons: BEFORE }),
    BEFORE,
  ],
  [
    'something tried again is stuck for what it was refused with',
    stuckFor(acted('drain', [CORDON, TAKE], 'OtherNodeBad'), CORDON_BUSY),
    RETRYING,
  ],
  [
    'something tried again is stuck, whatever it waits for',
    stuckFor(acted('drain', [CORDON], 'SessionsLeft'), CORDON_BUSY),
    RETRYING,
  ],
  [
    'something new beside something tried again is stuck for what that was refused with',
    stuckFor(acted('drain', [CORDON, SHUT], 'OtherNodeBad'), CORDON_BUSY),
    RETRYING,
  ],
  [
    'an eviction that nothing refused is stuck for the pods that are here',
    stuckFor(acted('drain', [EVICT], 'OtherNodeBad', 'PodsHere')),
    reasonsOf(['OtherNodeBad', 'PodsHere']),
  ],
  [
    'a slot that is asked for is stuck for why',
    stuckFor(acted('drain', [TAKE], 'SlotTaken')),
    reasonsOf(['SlotTaken']),
  ],
]

for (const [title, found, expected] of STUCK) test(title, () => assert.deepEqual(found, expected))

test('what begins to be stuck is stuck since now', () => {
  const evidence = { stuckStep: 'drain' as const, podsLeft: 0 }
  const { stuckSince } = rememberDecision(aSnapshot({ ...out, evidence }), held('drain', 'OtherNodeBad'))
  assert.equal(stuckSince, NOW)
})

test('where no node is under way, nothing is known of its pods', () => {
  const { current: _, ...none } = aSnapshot()
  const seen = rememberDecision(none, held('slot', 'OtherNodeBad'))
  assert.deepEqual(seen, { ...none.evidence, ...begun('slot'), passedAt: NOW })
})

const UNSENT = { intentByUs: true }
const SENT = { intentByUs: true, reboot: { at: monoMs(7), answer: { kind: 'sent' } } } as const

/** Since when the machine is awaited after that decision, and what its reboot is held up by. */
function awaited(decision: Decision, evidence: Partial<Evidence>, world = announced) {
  const seen = rememberDecision(aSnapshot({ ...world, evidence: { ...world.evidence, ...evidence } }), decision)
  return [seen.awaySince, seen.stuckReasons]
}

test('a reboot that is announced and not sent is awaited, but not while it waits for what ends by itself', () => {
  assert.deepEqual(awaited(held('reboot', 'OtherNodeBad'), UNSENT), [NOW, reasonsOf(['OtherNodeBad'])])
  assert.deepEqual(awaited(acted('reboot', [CORDON], 'ApiUnreachable'), UNSENT), [NOW, []])
  const since = { ...UNSENT, awaySince: monoMs(7) }
  const passed = { ...since, passedAt: monoMs(NOW - 1000) }
  assert.deepEqual(awaited(held('reboot', 'OtherNodeBad', 'ApiUnreachable'), passed), [
    1007,
    reasonsOf(['OtherNodeBad', 'ApiUnreachable']),
  ])
})

test('a reboot that was sent is awaited whatever it waits for, and is held up by nothing', () => {
  assert.deepEqual(awaited(held('reboot', 'ApiUnreachable'), SENT), [NOW, []])
  assert.deepEqual(awaited(held('reboot', 'OtherNodeBad'), { ...SENT, awaySince: monoMs(7) }), [7, []])
})

test('a step that holds up an announced reboot counts as waiting for the machine', () => {
  for (const step of ['cordon', 'detach', 'drain', 'slot'] as const) {
    assert.equal(awaited(held(step, 'OtherNodeBad'), SENT)[0], NOW, step)
    assert.equal(awaited(held(step, 'ApiUnreachable'), SENT)[0], undefined, step)
    assert.equal(awaited(acted(step, [CORDON], 'OtherNodeBad'), SENT)[0], undefined, step)
    assert.equal(awaited(held(step, 'OtherNodeBad'), SENT, { ...announced, announced: false })[0], undefined, step)
  }
  assert.equal(awaited(held('slot', 'OtherNodeBad'), {})[0], undefined, 'another process announced it')
})
