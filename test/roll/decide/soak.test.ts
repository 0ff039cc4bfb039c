import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow } from '../../../src/ground/model/probe.ts'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import { judge } from '../../../src/roll/decide/judge.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import { aRecord, aSnapshot, aSpec, NEW_BOOT } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const WALL = 1_700_000_000_000
const LANE = {
  target: 'shop',
  control: false,
  lane: 'new',
  scheduled: 100,
  sent: 100,
  skipped: 0,
  failed: 33,
  slow: 0,
  p50Ms: 1,
  p90Ms: 1,
  p99Ms: 1,
  maxMs: 1,
  startErrorP99Ms: 0,
} as const

const failing: FailureWindow = {
  target: 'shop',
  control: false,
  lane: 'new',
  sent: 100,
  failed: 33,
  failures: { status: 33 },
  firstError: 'HTTP 500',
  firstBadAt: wallMs(WALL - 100_000),
  lastBadAt: wallMs(WALL),
}

interface Soaking {
  readonly attachedMs: number
  readonly windows?: readonly FailureWindow[]
  readonly measuredMs?: number
}

/** n1 as a process that resumes finds it: rebooted and in service everywhere, for so long. */
function soaking({ attachedMs, windows = [], measuredMs }: Soaking) {
  const s = aSnapshot({
    node: { bootId: NEW_BOOT },
    record: aRecord(),
    announced: true,
    evidence: {
      attachingSince: monoMs(1_000_000 - attachedMs),
      attachingSinceWall: wallMs(WALL - attachedMs),
      attachedAt: monoMs(1_000_000 - attachedMs),
      attachedAtWall: wallMs(WALL - attachedMs),
    },
  })
  const probe = {
    startedAt: wallMs(WALL - 200_000),
    lastVerdictAt: wallMs(WALL),
    lanes: [LANE],
    windows,
    notMeasured: [],
    greenStreak: 0,
  }
  const spec = aSpec({ probe: { targets: [], baselineMs: 10_000, baselineLimitMs: 120_000 } })
  const run = measuredMs === undefined ? s.run : { ...s.run, measuredSince: wallMs(WALL - measuredMs) }
  return { ...s, probe, spec, run }
}

test('a soak is not over while no failure would count, however long the node is in service', () => {
  assert.equal(
    shortDecision(decide(soaking({ attachedMs: 60_000, windows: [failing] }))),
    'hold soak: BaselineNotGreen',
  )
})

test('a soak lasts its time from the end of the baseline on', () => {
  assert.equal(shortDecision(decide(soaking({ attachedMs: 60_000, measuredMs: 9_999 }))), 'hold soak: Soaking')
  assert.equal(shortDecision(decide(soaking({ attachedMs: 60_000, measuredMs: 10_000 }))), 'act soak: removeRecord')
})

test('a soak is over once requests sent at its end have their verdict', () => {
  const soaked = soaking({ attachedMs: 10_500, measuredMs: 60_000 })
  const decided = (verdictMs: number): string =>
    shortDecision(decide({ ...soaked, probe: { ...soaked.probe, lastVerdictAt: wallMs(WALL - verdictMs) } }))
  assert.deepEqual([decided(501), decided(500)], ['hold soak: Soaking', 'act soak: removeRecord'])
})

test('a soak that failures count in from its middle on needs a verdict on requests a soak time later', () => {
  const late = soaking({ attachedMs: 60_000, measuredMs: 10_500 })
  const decided = (verdictMs: number): string =>
    shortDecision(decide({ ...late, probe: { ...late.probe, lastVerdictAt: wallMs(WALL - verdictMs) } }))
  assert.deepEqual([decided(501), decided(500)], ['hold soak: Soaking', 'act soak: removeRecord'])
})

test('a node in service with traffic red for the limit of the baseline has failed in its soak', () => {
  assert.equal(judge(soaking({ attachedMs: 119_999, windows: [failing] })), undefined)
  const s = soaking({ attachedMs: 120_000, windows: [failing] })
  const verdict = judge(s)
  assert.deepEqual(
    [verdict?.kind, verdict?.keepOut, verdict?.reasons.map(({ code }) => code)],
    ['stopped', true, ['NotSoaked', 'BaselineNotGreen']],
  )
  assert.ok(verdict)
  const stopped = { ...s, run: { ...s.run, verdict } }
  assert.equal(shortDecision(decide({ ...stopped, evidence: observe(stopped) })), 'act detach: setServer drain')
})

test('a node that soaks without a probe is watched for the soak time alone', () => {
  const { probe: _, ...unprobed } = soaking({ attachedMs: 10_000 })
  assert.equal(shortDecision(decide(unprobed)), 'act soak: removeRecord')
})
