import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RebootAnswer } from '../../../src/ground/model/host.ts'
import type { Reason, ReasonCode } from '../../../src/ground/model/reason.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import { judge } from '../../../src/roll/decide/judge.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import { rememberDecision } from '../../../src/roll/decide/remember-decision.ts'
import type { Step } from '../../../src/roll/model/step.ts'
import { announced, back, out } from '../../support/roll-stages.ts'
import { aNode, aSnapshot, aSpec, detachedEvidence, drained, NEW_BOOT } from '../../support/roll-world.ts'

const ofRun = (holderRun: string) => ({ state: 'other', mayAct: false, holderRun }) as const
const unheard = { ...aSnapshot().cluster, staleForMs: 1 }
const stopped = { ...aSnapshot().run, verdict: { kind: 'held', keepOut: false, reasons: [] } } as const

test('nothing is given up while the API is lost, nor while sessions end within their own limit', () => {
  const elsewhere = aSnapshot().cluster
  const unready = elsewhere.nodes.map((node) => ({ ...node, ready: 'Unknown' as const }))
  const waits: readonly (readonly [step: Step, code: string, snapshot: NodeSnapshot])[] = [
    ['slot', 'ApiUnreachable', aSnapshot({ ...out, change: { cluster: { ...elsewhere, staleForMs: 900_000 } } })],
    ['slot', 'MostNodesNotReady', aSnapshot({ ...out, change: { cluster: { ...elsewhere, nodes: unready } } })],
    [
      'slot',
      'NotListedYet',
      aSnapshot({ ...out, change: { cluster: { ...elsewhere, unlisted: { kinds: ['pods'] } } } }),
    ],
    ['detach', 'SessionsLeft', aSnapshot({ ...out, servers: drained({ currentSessions: 2 }) })],
  ]
  for (const [step, code, waiting] of waits) {
    const s = { ...waiting, evidence: { ...waiting.evidence, stuckSince: monoMs(1), stuckStep: step, podsLeft: 0 } }
    const decision = decide(s)
    assert.ok(decision.kind === 'hold' && decision.step === step && decision.reasons[0]?.code === code, code)
    assert.equal(judge({ ...s, evidence: rememberDecision(s, decision) }), undefined, code)
  }
})

test('sessions whose own limit is over are waited for no longer than whatever forbids to cut them', () => {
  const overdue = aSnapshot({ ...out, servers: drained({ currentSessions: 2 }), change: { journalWritable: false } })
  const { idleLimitMs } = overdue.spec.detach
  const at = (ms: number, change: Partial<NodeSnapshot> = {}): NodeSnapshot => ({
    ...overdue,
    now: monoMs(ms),
    ...change,
  })
  const begun = at(overdue.now + idleLimitMs)
  const decision = decide(begun)
  assert.deepEqual(decision.kind === 'hold' && [decision.step, decision.reasons.map(({ code }) => code)], [
    'detach',
    ['JournalNotWritable'],
  ])
  const first = rememberDecision(begun, decision)
  const evidence = rememberDecision({ ...begun, evidence: first }, decision)
  const later = at(begun.now + overdue.spec.drain.blockedLimitMs, { evidence })
  const verdict = judge(later)
  assert.deepEqual([verdict?.kind, verdict?.reasons[0]?.code], ['held', 'JournalNotWritable'])
})

test('a drain that is blocked beyond its limit is held, with the reasons it was blocked by', () => {
  const reason: Reason = { code: 'BudgetExhausted', text: 'shop/cart-0, budget shop/cart needs 2 healthy, has 2 of 3' }
  const stuck = { ...detachedEvidence(), stuckSince: monoMs(399_000), stuckReasons: [reason] }
  const verdict = judge(aSnapshot({ ...out, evidence: stuck }))
  assert.deepEqual(verdict, { kind: 'held', keepOut: false, reasons: [reason] })
})

test('a slot is not given up before its owner can be known as gone, and the slot be taken', () => {
  const { spec } = aSnapshot()
  const short = { ...spec, drain: { ...spec.drain, blockedLimitMs: 1000, stageLimitMs: 1000 } }
  const kindAfter = (ms: number, code: ReasonCode): unknown => {
    const s = aSnapshot({ change: { spec: short } })
    const stuckSince = monoMs(s.now - spec.slots.leaseDurationMs - ms)
    return judge({ ...s, evidence: { ...s.evidence, stuckSince, stuckReasons: [{ code, text: 'x' }] } })?.kind
  }
  for (const code of ['SlotTaken', 'SlotAbandoned'] as const)
    assert.deepEqual([kindAfter(29_999, code), kindAfter(30_000, code)], [undefined, 'held'], code)
  assert.equal(kindAfter(0, 'SlotStale'), 'held')
})

test('a slot whose own Lease lasts longer than the file says is not given up before that, and no Lease asks for more than an hour', () => {
  const kindAfter = (stuckMs: number, durationMs: number): unknown => {
    const owner = { holder: 'run-2/a', run: 'run-2', node: 'n2' }
    const slots = [{ index: 0, owner, isStale: false, renewTime: '', durationMs }]
    const s = aSnapshot({ change: { budget: { limit: { kind: 'count', count: 1 }, cordons: 'unknown', slots } } })
    const stuckReasons = [{ code: 'SlotTaken', text: 'x' }] as const
    return judge({ ...s, evidence: { ...s.evidence, stuckSince: monoMs(s.now - stuckMs), stuckReasons } })?.kind
  }
  assert.deepEqual([kindAfter(929_999, 900_000), kindAfter(930_000, 900_000)], [undefined, 'held'])
  assert.deepEqual([kindAfter(3_629_999, 1e12), kindAfter(3_630_000, 1e12)], [undefined, 'held'])
})

test('most nodes are not Ready also where the node under way is one of them, and two of four are not most', () => {
  const notReady = (...names: readonly string[]) => {
    const s = aSnapshot(out)
    const nodes = ['n1', 'n2', 'n3', 'n4'].map((name) =>
      aNode(name, { unschedulable: name === 'n1', ready: names.includes(name) ? 'Unknown' : 'True' }),
    )
    const [node = s.current.node] = nodes
    const decision = decide({ ...s, current: { ...s.current, node }, cluster: { ...s.cluster, nodes } })
    return decision.reasons[0]?.code
  }
  assert.equal(notReady('n1', 'n2', 'n3'), 'MostNodesNotReady')
  assert.equal(notReady('n2', 'n3'), 'OtherNodeBad')
  assert.equal(notReady('n1', 'n2'), 'OtherNodeBad')
})

test('a drain that was blocked for less goes on', () => {
  const stuck = { ...detachedEvidence(), stuckSince: monoMs(401_000), stuckReasons: [] }
  assert.equal(judge(aSnapshot({ ...out, evidence: stuck })), undefined)
})

test('what does not change by itself is waited for as long, since an operator may change it', () => {
  const reason: Reason = { code: 'BudgetExhausted', text: 'budget shop/cart allows no eviction at all', never: true }
  const stuckFor = (ms: number) => ({
    ...detachedEvidence(),
    stuckSince: monoMs(1_000_000 - ms),
    stuckReasons: [reason],
  })
  assert.equal(judge(aSnapshot({ ...out, evidence: stuckFor(599_999) })), undefined)
  assert.equal(judge(aSnapshot({ ...out, evidence: stuckFor(600_000) }))?.kind, 'held')
})

test('a machine that does not come back within the limit stays out', () => {
  const since = (awaySince: number) =>
    judge(aSnapshot({ ...out, announced: true, evidence: { ...detachedEvidence(), awaySince: monoMs(awaySince) } }))
  assert.deepEqual([since(100_000)?.keepOut, since(100_000)?.reasons[0]?.code], [true, 'NodeDidNotReturn'])
  assert.equal(since(100_001), undefined)
})

test('what is known of a reboot that did not happen is reported with the stop', () => {
  const reported = (answer: RebootAnswer | undefined) => {
    const sent = answer === undefined ? {} : { reboot: { at: monoMs(900_000), answer } }
    const evidence = { ...detachedEvidence(), awaySince: monoMs(100_000), ...sent }
    return judge(aSnapshot({ ...out, announced: true, evidence }))?.reasons.slice(1)
  }
  assert.deepEqual(reported({ kind: 'sent' }), [])
  const [unknown] = reported({ kind: 'unknown', text: 'ssh n1: Connection timed out' }) ?? []
  assert.deepEqual(
    [unknown?.code, unknown?.text],
    ['RebootUnknown', 'it is unknown whether n1 got the reboot command: ssh n1: Connection timed out'],
  )
  assert.equal(reported({ kind: 'refused', text: 'sudo: no' })?.[0]?.text, 'n1 refused the reboot: sudo: no')
  assert.equal(reported(undefined)?.[0]?.text, 'it is unknown whether n1 got an earlier reboot command')
})

test('sending the reboot again does not begin the limit anew', () => {
  const evidence = {
    ...detachedEvidence(),
    awaySince: monoMs(100_000),
    reboot: { at: monoMs(950_000), answer: { kind: 'sent' } as const },
  }
  assert.equal(judge(aSnapshot({ ...out, announced: true, evidence }))?.reasons[0]?.code, 'NodeDidNotReturn')
})

test('a node that came back without proof stays out', () => {
  const since = (at: number, heartbeat = '2026-01-01T00:00:00Z') => {
    const evidence = { ...detachedEvidence(), returned: { bootId: NEW_BOOT, at: monoMs(at), heartbeat } }
    return judge(aSnapshot({ ...out, node: { bootId: NEW_BOOT, unschedulable: true }, evidence }))
  }
  assert.deepEqual([since(100_000)?.keepOut, since(100_000)?.reasons[0]?.code], [true, 'NotProven'])
  assert.equal(since(100_001), undefined)
  assert.equal(since(100_000, 'another'), undefined, 'it is proven')
})

test('a machine that boots again and again has one limit for all its boots', () => {
  let s = aSnapshot({ ...out, announced: true, node: { bootId: NEW_BOOT, unschedulable: true, ready: 'False' } })
  for (let minute = 0; minute <= 20; minute += 1) {
    const node = { ...s.current.node, bootId: `boot ${Math.floor(minute / 5)}` }
    s = { ...s, now: monoMs(1_000_000 + minute * 60_000), current: { ...s.current, node } }
    s = { ...s, evidence: observe(s) }
    const verdict = judge(s)
    assert.equal(verdict?.reasons[0]?.code, minute < 15 ? undefined : 'NotProven', `minute ${minute}`)
    s = { ...s, evidence: rememberDecision(s, decide(s)) }
  }
})

test('a node that is gone is waited for no longer for an outage of the API server, and no shorter', () => {
  const gone = (goneSince: number, staleForMs: number) => {
    const s = aSnapshot({
      ...out,
      evidence: { ...detachedEvidence(), goneSince: monoMs(goneSince), passedAt: monoMs(995_000) },
    })
    const seen = { ...s, current: { ...s.current, absent: true } as const, cluster: { ...s.cluster, staleForMs } }
    return observe(seen).goneSince
  }
  assert.deepEqual([gone(7, 0), gone(7, 1)], [7, 5007])
})

test('a node that does not get as far as settling on its way back stays out after the same limit', () => {
  const found = (ms: number, change: Partial<Evidence> = {}) => {
    const returning = { ms, reasons: [{ code: 'Retrying', text: 'denied the request' }] } as const
    const evidence = { ...detachedEvidence(), returning, ...change }
    const verdict = judge(aSnapshot({ ...out, node: { bootId: NEW_BOOT, unschedulable: true }, evidence }))
    return verdict && [verdict.keepOut, ...verdict.reasons.map(({ code }) => code)]
  }
  assert.equal(found(599_999), undefined)
  assert.deepEqual(found(600_000), [true, 'NotSettled', 'Retrying'])
  assert.deepEqual(found(600_000, { attachingSince: monoMs(999_000) }), [true, 'NotSettled', 'Retrying'])
})

const RETURNING: readonly (readonly [
  what: string,
  step: Step,
  code: ReasonCode,
  s: NodeSnapshot,
  countedMs: number,
])[] = [
  ['its slot', 'slot', 'SlotTaken', aSnapshot(back), 1000],
  ['released pods', 'drain', 'EndpointStays', aSnapshot(back), 1000],
  ['its cordon', 'uncordon', 'UndoneByOthers', aSnapshot(back), 1000],
  ['a hook', 'uncordon', 'HookRuns', aSnapshot(back), 0],
  ['the API server', 'slot', 'SlotTaken', aSnapshot({ ...back, change: { cluster: unheard } }), 0],
  [
    'its slot, held by a process before',
    'slot',
    'SlotTaken',
    aSnapshot({ ...back, change: { slot: ofRun('run-1') } }),
    0,
  ],
  [
    'its slot, taken by another run',
    'slot',
    'SlotTaken',
    aSnapshot({ ...back, change: { slot: ofRun('run-2') } }),
    1000,
  ],
  ['its slot before the reboot', 'slot', 'SlotTaken', aSnapshot(out), 0],
  ['its slot, announced', 'slot', 'SlotTaken', aSnapshot({ ...announced, change: { run: stopped } }), 0],
  ['its slot, to be restored', 'slot', 'SlotTaken', aSnapshot({ ...out, change: { run: stopped } }), 1000],
]

for (const [what, step, code, s, countedMs] of RETURNING)
  test(`on the way back ${countedMs === 0 ? 'no time counts' : 'time counts'} for ${what}`, () => {
    const before = [{ code: 'Retrying', text: 'x' }] as const
    const evidence = { ...s.evidence, returning: { ms: 7, reasons: before }, passedAt: monoMs(s.now - 1000) }
    const reasons = [{ code, text: 'x' }]
    const decision = { kind: 'hold', step, reasons, recheckAfterMs: 500 } as const
    const expected = { ms: 7 + countedMs, reasons: countedMs === 0 ? before : reasons }
    assert.deepEqual(rememberDecision({ ...s, evidence }, decision).returning, expected)
  })

test('a node that does not settle stays out', () => {
  const since = (settlingSince: number) =>
    judge(
      aSnapshot({
        ...out,
        node: { bootId: NEW_BOOT },
        evidence: { ...detachedEvidence(), settlingSince: monoMs(settlingSince) },
      }),
    )
  assert.deepEqual([since(400_000)?.keepOut, since(400_000)?.reasons[0]?.code], [true, 'NotSettled'])
  assert.equal(since(400_001), undefined)
})

test('a node whose checks do not pass stays out', () => {
  const since = (attachingSince: number) =>
    judge(
      aSnapshot({
        ...out,
        node: { bootId: NEW_BOOT },
        evidence: { ...detachedEvidence(), attachingSince: monoMs(attachingSince) },
      }),
    )
  assert.deepEqual([since(700_000)?.keepOut, since(700_000)?.reasons[0]?.code], [true, 'NotUp'])
  assert.equal(since(700_001), undefined)
})

test('what keeps a node from being attached is reported with the stop: a silent instance, or the checks of one that answers', () => {
  const evidence = { ...detachedEvidence(), attachingSince: monoMs(700_000) }
  const attaching = aSnapshot({ ...out, node: { bootId: NEW_BOOT }, evidence })
  const silent = attaching.instances.map((instance) => ({ ...instance, silentForMs: 5000, error: 'nobody listens' }))
  const texts = (s: NodeSnapshot) => judge(s)?.reasons.map(({ text }) => text)
  const notUp = 'n1 was not in service again on every instance of its balancers within the limit (5 min)'
  assert.deepEqual(texts({ ...attaching, instances: silent }), [notUp, 'lb-1 of edge does not answer: nobody listens'])
  assert.deepEqual(texts(attaching), [notUp, 'web/n1 on lb-1 is drain, its check passing (L7OK/200)'])
})

test('each kind of hold is waited for as long as it may take', () => {
  const spec = aSpec({ probe: { targets: [], baselineMs: 10_000, baselineLimitMs: 120_000 } })
  const limitOf = (...codes: readonly ReasonCode[]): number => {
    const stuckReasons = codes.map((code) => ({ code, text: code }))
    const isHeld = (ms: number): boolean => {
      const evidence = { ...detachedEvidence(), stuckSince: monoMs(3_000_000 - ms), stuckReasons }
      return judge({ ...aSnapshot({ ...out, evidence }), now: monoMs(3_000_000), spec })?.kind === 'held'
    }
    return [120_000, 600_000, 1_800_000].find((ms) => isHeld(ms) && !isHeld(ms - 1)) ?? 0
  }
  assert.equal(limitOf('BaselineNotGreen'), 120_000)
  assert.equal(limitOf('BudgetExhausted'), 600_000)
  assert.equal(limitOf('LastUsableServer'), 600_000)
  assert.equal(limitOf('PodLeaving', 'ReplacementNotReady', 'VolumeAttached', 'OneAtATime'), 1_800_000)
  assert.equal(limitOf('PodLeaving', 'BudgetExhausted'), 600_000)
})
