import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureWindow } from '../../../src/ground/model/probe.ts'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import { judge } from '../../../src/roll/decide/judge.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import { rememberDecision } from '../../../src/roll/decide/remember-decision.ts'
import type { RunSnapshot } from '../../../src/roll/decide/snapshot.ts'
import type { Verdict } from '../../../src/roll/model/verdict.ts'
import type { InstanceSnapshot } from '../../../src/service/decide/instance-snapshot.ts'
import type { ServerReading } from '../../../src/service/model/balancer.ts'
import type { NodeRecord } from '../../../src/service/model/node-record.ts'
import { anInstance, aRecord, aServer, aSnapshot, aSpec, NEW_BOOT } from '../../support/roll-world.ts'
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

test('a soak is over once all requests that were sent in it have their verdict, of whatever target', () => {
  const soaked = soaking({ attachedMs: 10_500, measuredMs: 60_000 })
  const decided = (verdictMs: number): string =>
    shortDecision(decide({ ...soaked, probe: { ...soaked.probe, settledBefore: wallMs(WALL - verdictMs) } }))
  assert.deepEqual([decided(501), decided(500)], ['hold soak: Soaking', 'act soak: removeRecord'])
})

test('a soak that failures count in from its middle on needs a verdict on requests a soak time later', () => {
  const late = soaking({ attachedMs: 60_000, measuredMs: 10_500 })
  const decided = (verdictMs: number): string =>
    shortDecision(decide({ ...late, probe: { ...late.probe, settledBefore: wallMs(WALL - verdictMs) } }))
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

test('law: time that was not measured counts for no baseline and for no soak; a soak lasts as much longer', () => {
  const decided = (attachedMs: number, from: number, to: number): string => {
    const s = soaking({ attachedMs, measuredMs: 200_000 })
    const notMeasured = [{ from: wallMs(WALL - from), to: wallMs(WALL - to) }]
    return shortDecision(decide({ ...s, probe: { ...s.probe, notMeasured } }))
  }
  assert.equal(decided(10_000, 9_000, 1_000), 'hold soak: Soaking')
  assert.equal(decided(17_999, 9_000, 1_000), 'hold soak: Soaking')
  assert.equal(decided(18_000, 9_000, 1_000), 'act soak: removeRecord')
  assert.equal(decided(10_000, 90_000, 10_000), 'act soak: removeRecord', 'before the soak')
})

test('a probe that falls silent in a soak is named, and given up as before a reboot: the node serves on', () => {
  const silent = (forMs: number) => {
    const s = soaking({ attachedMs: forMs + 5_000, measuredMs: 2_000_000 })
    const probe = { ...s.probe, startedAt: wallMs(0), lastVerdictAt: wallMs(WALL - forMs) }
    return { ...s, probe }
  }
  assert.equal(shortDecision(decide(silent(4_000))), 'hold soak: ProbeSilent')
  assert.equal(judge(silent(599_999)), undefined)
  const verdict = judge(silent(600_000))
  assert.deepEqual([verdict?.kind, verdict?.keepOut, verdict?.reasons[0]?.code], ['held', false, 'ProbeSilent'])
  assert.ok(verdict)
  const s = silent(600_000)
  assert.equal(shortDecision(decide({ ...s, run: { ...s.run, verdict } })), 'act soak: removeRecord')
  const beside = [{ node: 'n2', goesFirst: true, isLeaving: false }]
  const stopped = { kind: 'stopped', keepOut: false, reasons: [{ code: 'RequestsFailed', text: 'x' }] } as const
  assert.equal(shortDecision(decide({ ...s, run: { ...s.run, beside, verdict: stopped } })), 'act soak: removeRecord')
})

const DOWN = { operational: 'down', check: 'failing' } as const

/** How its soak ends for a node that is so, or down, in its balancer for so long of each period, which begins with its soak. */
const soakEnds = (downS: number, periodS: number, n1: Partial<ServerReading> = DOWN): string =>
  endOfSoak((second) => [anInstance(serversOf('lb-1', second % periodS < downS ? n1 : {}))])

const serversOf = (instance: string, n1: Partial<ServerReading> = {}): readonly ServerReading[] =>
  [aServer('n1', n1), aServer('n2'), aServer('n3')].map((it) => ({ ...it, ref: { ...it.ref, instance } }))

/** What is decided in the end, once other than to wait, where its instances are so in each second of its soak. */
function endOfSoak(
  instancesAt: (second: number) => readonly InstanceSnapshot[],
  { record = aRecord(), run = {} }: { readonly record?: NodeRecord; readonly run?: Partial<RunSnapshot> } = {},
): string {
  const { probe: _, ...begun } = soaking({ attachedMs: 20_000 })
  const current = { ...begun.current, record: { ok: true, value: record } as const }
  let s: NodeSnapshot = {
    ...begun,
    current,
    run: { ...begun.run, ...run },
    evidence: { ...begun.evidence, attachedAt: begun.now, attachedAtWall: begun.wall },
  }
  for (let second = 0; second < 3600; second += 1) {
    s = { ...s, now: monoMs(begun.now + second * 1000), instances: instancesAt(second) }
    s = { ...s, evidence: observe(s) }
    const verdict = judge(s)
    if (verdict !== undefined && verdict !== run.verdict)
      return `${verdict.kind} ${verdict.keepOut} ${verdict.reasons[0]?.code} after ${second} s, ${shortDecision(decide({ ...s, run: { ...s.run, verdict } }))}`
    const decision = decide(s)
    if (decision.kind === 'act') return `${shortDecision(decision)} after ${second} s`
    s = { ...s, evidence: rememberDecision(s, decision) }
  }
  return 'never'
}

test('a soak begins anew where the node did not serve in between', () => {
  assert.equal(soakEnds(0, 3600), 'act soak: removeRecord after 10 s')
  assert.equal(soakEnds(9, 3600), 'act soak: removeRecord after 18 s')
})

test('a balancer that is reloaded in a soak and has not checked the node yet neither ends the soak nor begins it anew', () => {
  const unchecked = { check: 'failing', uncheckedYet: true } as const
  assert.equal(soakEnds(2, 8, unchecked), 'act soak: removeRecord after 10 s')
  assert.equal(soakEnds(2, 10, unchecked), 'act soak: removeRecord after 12 s')
  assert.equal(
    soakEnds(2, 10, { ...unchecked, ...DOWN }),
    'stopped true NotUp after 1400 s, act detach: setServer drain',
  )
})

test('a node that goes down in its soak has what is left of the limit of the attach', () => {
  assert.equal(soakEnds(3600, 3600), 'stopped true NotUp after 280 s, act detach: setServer drain')
  assert.equal(soakEnds(5, 10), 'stopped true NotUp after 560 s, act detach: setServer drain')
})

test('a node that soaks without a probe is watched for the soak time alone', () => {
  const { probe: _, ...unprobed } = soaking({ attachedMs: 10_000 })
  assert.equal(shortDecision(decide(unprobed)), 'act soak: removeRecord')
})

const BOTH = aRecord({
  servers: ['lb-1', 'lb-2'].flatMap((instance) => aRecord().servers.map((server) => ({ ...server, instance }))),
})
const ABORTED: Verdict = { kind: 'aborted', keepOut: false, reasons: [{ code: 'Aborted', text: 'x' }] }

test('a node that served since its attach serves on where one of its balancers falls silent in its soak: the roll is held', () => {
  const ends = (n1: Partial<ServerReading>, run: Partial<RunSnapshot> = {}): string =>
    endOfSoak(
      (second) => [
        anInstance(serversOf('lb-1'), { silentForMs: second + 1, error: 'nobody listens' }),
        anInstance(serversOf('lb-2', n1), { instance: 'lb-2' }),
      ],
      { record: BOTH, run },
    )
  assert.equal(ends({}), 'held false InstanceSilent after 280 s, act soak: removeRecord')
  assert.equal(ends({}, { verdict: ABORTED }), 'act soak: removeRecord after 280 s')
  assert.equal(ends(DOWN), 'stopped true NotUp after 280 s, act detach: setServer drain')
})
