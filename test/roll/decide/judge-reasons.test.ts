import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow, ProbeStatus } from '../../../src/ground/model/probe.ts'
import type { Reason } from '../../../src/ground/model/reason.ts'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import { stuckLimitLeftMs } from '../../../src/roll/decide/blocked.ts'
import type { Evidence } from '../../../src/roll/decide/evidence.ts'
import { judge } from '../../../src/roll/decide/judge.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import { plain } from '../../support/plain.ts'
import { announced, back, out, settled, withPort } from '../../support/roll-stages.ts'
import { aSnapshot, aSpec } from '../../support/roll-world.ts'

const X: Reason = { code: 'OtherNodeBad', text: 'x' }
const WALL = 1_700_000_000_000
const probeSpec = { targets: [], baselineMs: 10_000, baselineLimitMs: 120_000 }
const probeFacts = (windows: readonly FailureWindow[]): ProbeStatus => ({
  startedAt: wallMs(WALL - 60_000),
  lastVerdictAt: wallMs(WALL),
  lanes: [],
  windows,
  notMeasured: [],
  greenStreak: 0,
})
const failedAt = (at: number): FailureWindow => ({
  target: 'shop',
  control: false,
  lane: 'new',
  sent: 10,
  failed: 4,
  failures: { connect: 4 },
  firstError: 'ECONNREFUSED',
  firstBadAt: wallMs(at),
  lastBadAt: wallMs(at),
  firstOkAt: wallMs(at + 10),
})

test('where no node is under way, no limit of a node is over', () => {
  const { current: _, ...none } = aSnapshot({ evidence: { stuckSince: monoMs(1), stuckReasons: [X] } })
  assert.equal(judge(none), undefined)
})

test('a node is kept out for a request that failed since it was put back, the very moment among them', () => {
  const keepOut = (backSince: number | undefined, ...windows: readonly FailureWindow[]) => {
    const evidence: Partial<Evidence> = backSince === undefined ? {} : { attachingSinceWall: wallMs(backSince) }
    const s = aSnapshot({ ...out, evidence })
    return judge({ ...s, run: { ...s.run, measuredSince: wallMs(1000) }, probe: probeFacts(windows) })?.keepOut
  }
  assert.equal(keepOut(undefined, failedAt(5000)), false)
  assert.equal(keepOut(5000, failedAt(5000)), true)
  assert.equal(keepOut(5001, failedAt(5000)), false)
  assert.equal(keepOut(6000, failedAt(5000), failedAt(7000)), true)
})

const stuck = (evidence: Partial<Evidence>, probe = true): RollSnapshot => ({
  ...aSnapshot({ ...out, evidence }),
  spec: aSpec(probe ? { probe: probeSpec } : {}),
})

test('nothing is given up that holds for no reason, or not since any time', () => {
  assert.equal(judge(stuck({ stuckSince: monoMs(1), stuckReasons: [] })), undefined)
  assert.equal(judge(stuck({ stuckReasons: [X] })), undefined)
})

const LEFT: readonly (readonly [title: string, s: RollSnapshot, leftMs: number | undefined])[] = [
  ['nothing holds', stuck({}), undefined],
  ['it holds for no reason', stuck({ stuckSince: monoMs(1), stuckReasons: [] }), undefined],
  ['it holds not since any time', stuck({ stuckReasons: [X] }), undefined],
  ['it holds since now', stuck({ stuckSince: monoMs(1_000_000), stuckReasons: [X] }), 600_000],
  ['it holds for a minute', stuck({ stuckSince: monoMs(940_000), stuckReasons: [X] }), 540_000],
  ['it holds for longer than it may', stuck({ stuckSince: monoMs(1), stuckReasons: [X] }), 0],
  [
    'the API server was away, which passes',
    stuck({ stuckSince: monoMs(1_000_000), stuckReasons: [{ code: 'ApiWasAway', text: 'x' }] }),
    1_800_000,
  ],
  [
    'the baseline is red, and something else holds',
    stuck({ stuckSince: monoMs(1_000_000), stuckReasons: [{ code: 'BaselineNotGreen', text: 'x' }, X] }),
    120_000,
  ],
  [
    'the baseline is red and the file measures nothing any more',
    stuck({ stuckSince: monoMs(1_000_000), stuckReasons: [{ code: 'BaselineNotGreen', text: 'x' }] }, false),
    0,
  ],
]

for (const [title, s, leftMs] of LEFT) {
  test(`of the wait is left ${leftMs === undefined ? 'no time that counts' : `${leftMs} ms`} where ${title}`, () =>
    assert.equal(stuckLimitLeftMs(s), leftMs))
}

test('a machine that is away for too long stays out, and the reason is what became of its reboot', () => {
  const reasons = (evidence: Partial<Evidence>) => {
    const s = aSnapshot({ ...announced, evidence: { ...out.evidence, awaySince: monoMs(1), ...evidence } })
    const verdict = judge(s)
    return verdict?.kind === 'stopped' && verdict.keepOut && plain(verdict.reasons)
  }
  const at = monoMs(1)
  const notBack = {
    code: 'NodeDidNotReturn',
    object: 'n1',
    text: 'n1 did not come back with another boot id within the limit (15 min)',
    next: 'start n1 again, then: evenkeel roll resume',
  }
  assert.deepEqual(reasons({ reboot: { at, answer: { kind: 'sent' } } }), [notBack])
  assert.deepEqual(reasons({ intentByUs: true, reboot: { at, answer: { kind: 'sent' } }, stuckReasons: [X] }), [
    notBack,
    X,
  ])
  assert.deepEqual(reasons({ reboot: { at, answer: { kind: 'refused', text: 'sudo: no' } }, stuckReasons: [X] }), [
    {
      ...notBack,
      next: 'allow the reboot of n1, or correct "reboot" in the file: evenkeel roll resume run-1 -f roll.yaml',
    },
    X,
  ])
  assert.deepEqual(reasons({ intentByUs: true, stuckReasons: [X] }), [
    {
      code: 'RebootHeldUp',
      object: 'n1',
      text: 'the reboot of n1 is announced, and could not be sent within the limit (15 min)',
      next: 'remove what held it up, then: evenkeel roll resume (n1 got no command and still runs)',
    },
    X,
  ])
})

const firstReason = (s: RollSnapshot) => {
  const verdict = judge(s)
  return verdict?.kind === 'stopped' && verdict.keepOut ? verdict.reasons[0] : verdict
}

test('a node that came back and is not proven, settled, up or soaked in time stays out, and says which', () => {
  const returned = { bootId: back.node.bootId, at: monoMs(1), heartbeat: '2026-01-01T00:00:00Z' }
  assert.deepEqual(firstReason(aSnapshot({ ...back, evidence: { returned } })), {
    code: 'NotProven',
    object: 'n1',
    text: 'n1 came back, but without proof',
  })
  assert.deepEqual(firstReason(aSnapshot({ ...back, evidence: { settlingSince: monoMs(1) } })), {
    code: 'NotSettled',
    object: 'n1',
    text: 'n1 did not settle within the limit (10 min)',
  })
  assert.deepEqual(firstReason(aSnapshot({ ...back, evidence: { attachingSince: monoMs(1) } })), {
    code: 'NotUp',
    object: 'n1',
    text: 'n1 was not in service again on every instance of its balancers within the limit (5 min)',
  })
})

test('a soak that cannot begin is given up where traffic is red, and not where it was measured too shortly', () => {
  const evidence = { ...settled.evidence, attachingSince: monoMs(870_000), attachedAt: monoMs(880_000) }
  const soaking = (probe: ProbeStatus): RollSnapshot => ({
    ...withPort(aSnapshot({ ...settled, evidence })),
    spec: aSpec({ probe: probeSpec }),
    probe,
  })
  assert.deepEqual(judge(soaking(probeFacts([failedAt(WALL - 1000)]))), {
    kind: 'stopped',
    keepOut: true,
    reasons: [
      {
        code: 'NotSoaked',
        object: 'n1',
        text: 'n1 is in service again, and traffic was not green within the limit (2 min)',
      },
      {
        code: 'BaselineNotGreen',
        object: 'shop',
        text: '4 requests to shop failed before the roll began: ECONNREFUSED',
      },
    ],
  })
  assert.equal(judge(soaking(probeFacts([]))), undefined)
})
