import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node, Taint } from '../../../src/ground/model/node.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import { inspectionFindings } from '../../../src/roll/decide/plan/inspection-findings.ts'
import { serviceOf } from '../../../src/roll/decide/service-of.ts'
import { actuatorAt, wordsOf } from '../../../src/service/actuators/actuator-of.ts'
import type { Noticing } from '../../../src/service/decide/evidence.ts'
import { mayBeTaken } from '../../../src/service/decide/may-be-taken.ts'
import type { CheckReading, HealthCheckSpec } from '../../../src/service/model/health-check.ts'
import { markedStates } from '../../../src/service/model/marked-states.ts'
import { settled, withPort } from '../../support/roll-stages.ts'
import { aNode, anInstance, aRecord, aServer, aSnapshot, aSpec } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const KEY = 'ToBeDeletedByClusterAutoscaler'
const SPEC: HealthCheckSpec = {
  mark: { kind: 'taint', key: KEY, value: 'evenkeel' },
  check: { url: 'http://{address}:10256/healthz', expectStatus: [200, 399], timeoutMs: 1_000 },
  markDelayMs: 10_000,
  checks: { intervalMs: 2_000, fall: 3, rise: 2, drainsAtOnce: false, slackMs: 2_000 },
  dataPort: 30080,
}
const { check: _, ...unasked } = SPEC
/** The same without a way to ask. */
const UNASKED: HealthCheckSpec = unasked
const EDGE = { name: 'edge', instances: ['lb-1'], backends: ['web'], allowLastServer: false }
const NOW = 1_000_000
const OURS: Taint = { key: KEY, value: 'evenkeel', effect: 'PreferNoSchedule' }
const THEIRS: Taint = { key: KEY, value: '1700000000', effect: 'PreferNoSchedule' }

/** An answer to a question that was asked just now. */
const says = (answer: 'good' | 'refused' | 'unheard', change: object = {}): CheckReading => ({
  asked: true,
  at: monoMs(NOW),
  answer,
  text: answer === 'refused' ? 'HTTP 503' : answer,
  ...(answer === 'good' ? { goodSince: monoMs(-60_000) } : {}),
  ...change,
})

interface Given {
  readonly taints?: readonly Taint[]
  readonly check: CheckReading
  readonly others?: CheckReading
  /** Whether it was out by a mark when it was recorded. */
  readonly before?: 'ready' | 'drain'
  readonly seen?: Noticing
  readonly out?: number
  readonly spec?: HealthCheckSpec
  readonly world?: NonNullable<Parameters<typeof aSnapshot>[0]>
}

const reading = (name: string, nodeCheck: CheckReading) =>
  aServer(name, { ...markedStates(false, nodeCheck), nodeCheck, checkText: 'as it answers' })

/** n1 as its marks and its check tell, at 1,000,000 ms. */
function given({
  taints = [],
  check,
  others = says('good'),
  before = 'ready',
  seen,
  out,
  spec = SPEC,
  world = {},
}: Given) {
  const [own] = aRecord().servers
  assert.ok(own)
  const balancers = [{ ...EDGE, via: { kind: 'mark' as const, ...spec } }]
  const node: Partial<Node> = { ...world.node, taints }
  const read = anInstance([reading('n1', check), reading('n2', others), reading('n3', others)])
  const facts = actuatorAt(balancers, 'edge').asAsked(read, (name) => aNode(name, name === 'n1' ? node : {}))
  const detached = { process: '100', since: monoMs(out ?? 0), totalSessions: 100, strays: 0, cutSessions: 0 }
  const s: NodeSnapshot = aSnapshot({
    ...world,
    node,
    record: { ...(world.record ?? aRecord()), servers: [{ ...own, state: before, operational: 'up' }] },
    evidence: {
      ...world.evidence,
      ...(seen === undefined ? {} : { noticing: { 'web/n1 on lb-1': seen } }),
      ...(out === undefined ? {} : { detached: { 'web/n1 on lb-1': detached } }),
    },
    change: { ...world.change, spec: aSpec({ balancers }), instances: [facts] },
  })
  return { ...s, evidence: observe(s) }
}

const outSince = (since: number, heardSince?: number): Noticing => ({
  way: 'out',
  since: monoMs(since),
  ...(heardSince === undefined ? {} : { heardSince: monoMs(heardSince) }),
})
const inSince = (since: number, heardSince?: number): Noticing => ({ ...outSince(since, heardSince), way: 'in' })
const gone = (at: number): Noticing => ({
  ...outSince(0, 1),
  noticed: { by: 'time', at: monoMs(at), from: monoMs(1), words: 'from the first refusal' },
})

const CORDONED = { node: { unschedulable: true } }
const REFUSED = says('refused')
/** 2 s + 2 × 2 s, and the slack of 2 s. */
const LEFT = NOW - 8_000
const IDLE = NOW - 180_000

const OUT: readonly (readonly [title: string, given: Given, decided: string])[] = [
  ['is marked', { check: says('good') }, 'act detach: setNodeMark drain'],
  ['is waited for while its check is good', { taints: [OURS], check: says('good') }, 'hold detach: CheckFollows'],
  [
    'holds once its check stays good for too long',
    { taints: [OURS], check: says('good'), seen: outSince(NOW - 10_000) },
    'hold detach: CheckStaysGood',
  ],
  [
    'holds while its check cannot be asked',
    { taints: [OURS], check: says('unheard'), seen: outSince(NOW - 60_000, NOW - 50_000) },
    'hold detach: CheckUnknown',
  ],
  ['that refuses is waited for', { taints: [OURS], check: REFUSED }, 'hold detach: DetectionTime'],
  [
    'is not out a millisecond before the time of detection',
    { taints: [OURS], check: REFUSED, seen: outSince(0, LEFT + 1), out: 1 },
    'hold detach: DetectionTime',
  ],
  [
    'is out after the time of detection, and its connections are waited for',
    { taints: [OURS], check: REFUSED, seen: outSince(0, LEFT), out: 1 },
    'hold detach: SessionsLeft',
  ],
  [
    'is not out by a refusal that is older than the time of detection',
    { taints: [OURS], check: says('refused', { at: monoMs(NOW - 1) }), seen: outSince(0, LEFT), out: 1 },
    'hold detach: DetectionTime',
  ],
  [
    'begins to be waited for with an answer to a question after the mark',
    { taints: [OURS], check: says('refused', { at: monoMs(10) }), seen: outSince(11), out: 1 },
    'hold detach: DetectionTime',
  ],
  [
    'that was good again in between is waited for anew',
    { taints: [OURS], check: says('good'), seen: gone(IDLE), out: 1 },
    'hold detach: CheckFollows',
  ],
  [
    'whose pods were the ones that answered stays out without an answer',
    { taints: [OURS], check: says('unheard'), seen: gone(IDLE), out: 1 },
    'act reboot: writeIntent',
  ],
  [
    'goes on after the idle limit',
    { taints: [OURS], check: REFUSED, seen: gone(IDLE), out: 1 },
    'act reboot: writeIntent',
  ],
  [
    'waits for the idle limit',
    { taints: [OURS], check: REFUSED, seen: gone(IDLE + 1), out: 1 },
    'hold detach: SessionsLeft',
  ],
  [
    'is marked again where its mark is gone',
    { check: REFUSED, seen: gone(1), out: 1 },
    'act detach: setNodeMark drain',
  ],
  [
    'whose check is not to be asked waits for the mark to be followed, too',
    { taints: [OURS], check: { asked: false }, spec: UNASKED, seen: outSince(NOW - 18_000 + 1), out: 1 },
    'hold detach: DetectionTime',
  ],
  [
    'whose check is not to be asked is out after that',
    { taints: [OURS], check: { asked: false }, spec: UNASKED, seen: outSince(NOW - 18_000), out: 1 },
    'hold detach: SessionsLeft',
  ],
  [
    'that was marked before must refuse all the same',
    { taints: [THEIRS], check: says('good'), before: 'drain' },
    'hold detach: CheckFollows',
  ],
  [
    'that was marked before is not marked again',
    { taints: [THEIRS], check: REFUSED, before: 'drain' },
    'hold detach: DetectionTime',
  ],
  ['whose check cannot be asked is not marked', { check: says('unheard') }, 'hold detach: CheckUnknown'],
  [
    'stays in while no other node passes',
    { check: says('good'), others: REFUSED },
    'hold slot: OtherNodeBad OtherNodeBad',
  ],
  [
    'stays in while the others cannot be asked',
    { check: says('good'), others: says('unheard') },
    'hold detach: LastUsableServer',
  ],
  [
    'stays in while the others have passed for too short a time',
    { check: says('good'), others: says('good', { goodSince: monoMs(0) }) },
    'hold detach: LastUsableServer',
  ],
]
for (const [title, it, decided] of OUT) {
  test(`a node behind a health check ${title}`, () =>
    assert.equal(shortDecision(decide(given({ ...it, world: CORDONED }))), decided))
}

const IN: readonly (readonly [title: string, given: Given, decided: string])[] = [
  ['loses its mark', { taints: [OURS], check: REFUSED }, 'act attach: setNodeMark ready'],
  ['that refuses yet is waited for', { check: REFUSED }, 'hold attach: NotUpYet'],
  ['that does not answer yet is waited for', { check: says('unheard') }, 'hold attach: NotUpYet'],
  ['that passes again is waited for', { check: says('good') }, 'hold attach: DetectionTime'],
  // 2 s + 1 × 2 s, and the slack of 2 s.
  [
    'is not back a millisecond before the time of its return',
    { check: says('good'), seen: inSince(0, NOW - 6_000 + 1) },
    'hold attach: DetectionTime',
  ],
  ['is back after that time', { check: says('good'), seen: inSince(0, NOW - 6_000) }, 'hold soak: Soaking'],
  [
    'whose check is not to be asked is back after the mark was followed, too',
    { check: { asked: false }, spec: UNASKED, seen: inSince(NOW - 16_000) },
    'hold soak: Soaking',
  ],
  [
    'whose check is not to be asked waits until then',
    { check: { asked: false }, spec: UNASKED, seen: inSince(NOW - 16_000 + 1) },
    'hold attach: DetectionTime',
  ],
  ['whose mark has another value now stays out', { taints: [THEIRS], check: REFUSED }, 'hold attach: MarkOfOthers'],
  ['that others have marked beside stays out', { taints: [OURS, THEIRS], check: REFUSED }, 'hold attach: MarkOfOthers'],
  [
    'that was marked before keeps its mark',
    { taints: [THEIRS], check: REFUSED, before: 'drain' },
    'hold soak: Soaking',
  ],
  [
    'that was marked before, and is not any more, is not marked by this roll',
    { check: says('good'), before: 'drain' },
    'hold soak: Soaking',
  ],
]
for (const [title, it, decided] of IN) {
  test(`on the way back a node behind a health check ${title}`, () =>
    assert.equal(shortDecision(decide(withPort(given({ ...it, world: settled })))), decided))
}

test('law: no time of detection is over before the health check of the node was seen to answer so for all of it; another answer and silence begin it anew', () => {
  const heardSince = (check: CheckReading): number | undefined =>
    given({ taints: [OURS], check, seen: outSince(0, LEFT + 1), world: CORDONED }).evidence.noticing['web/n1 on lb-1']
      ?.heardSince
  assert.deepEqual(
    [heardSince(REFUSED), heardSince(says('good')), heardSince(says('unheard'))],
    [LEFT + 1, undefined, undefined],
  )
  const anew = given({ taints: [OURS], check: says('good'), seen: gone(1), world: CORDONED })
  assert.deepEqual(anew.evidence.noticing['web/n1 on lb-1'], { way: 'out', since: NOW })
})

test('once its reboot is announced, a node that does not answer is still out, and one whose check is good is not', () => {
  const at = (check: CheckReading) =>
    shortDecision(decide(given({ taints: [OURS], check, out: 1, world: { ...CORDONED, announced: true } })))
  assert.deepEqual([at(says('unheard')), at(says('good'))], ['hold reboot: RebootUnknown', 'hold detach: CheckFollows'])
})

test('a label and an annotation are marks as a taint is', () => {
  for (const kind of ['label', 'annotation'] as const) {
    const mark = { kind, key: 'example.com/out', value: 'evenkeel' }
    const spec = { ...SPEC, mark }
    const bears = (value: string): Partial<Node> => ({ ...CORDONED.node, [`${kind}s`]: { 'example.com/out': value } })
    const at = (node: Partial<Node>, check: CheckReading): string =>
      shortDecision(decide(given({ check, spec, world: { node } })))
    assert.deepEqual(
      [at(CORDONED.node, says('good')), at(bears('evenkeel'), REFUSED), at(bears('other'), REFUSED)],
      ['act detach: setNodeMark drain', 'hold detach: DetectionTime', 'hold detach: DetectionTime'],
    )
    const [held] = given({
      check: REFUSED,
      spec,
      world: { ...settled, node: { ...settled.node, ...bears('x') } },
    }).instances.map(({ reading: read }) => read?.servers[0]?.ownState)
    assert.equal(held, 'drain')
  }
})

test('what was waited for is said with the numbers that it was computed from', () => {
  const { evidence } = given({ taints: [OURS], check: REFUSED, seen: outSince(0, LEFT), world: CORDONED })
  const { noticed } = evidence.noticing['web/n1 on lb-1'] ?? {}
  assert.deepEqual(noticed, {
    by: 'time',
    at: NOW,
    from: LEFT,
    words:
      'from its first failed health check; a load balancer that checks every 2 s and needs 3 failures has noticed by then (6 s, plus 2 s of slack)',
  })
})

test('a node whose check cannot be asked is no node to begin with, and an error of the plan', () => {
  const s = given({ check: says('unheard', { text: 'connect ECONNREFUSED 10.0.0.1:10256' }) })
  const text = 'what the health check of n1 at edge answers is not known: connect ECONNREFUSED 10.0.0.1:10256'
  assert.deepEqual(mayBeTaken(serviceOf(s)), [{ code: 'CheckUnknown', object: 'n1', text }])
  const [instance] = s.instances
  const [server] = instance?.reading?.servers ?? []
  assert.ok(instance !== undefined && server !== undefined)
  const found = wordsOf(server).findings(s.current.node, { instance, reading: server })
  assert.deepEqual(
    found.map(({ severity, code }) => `${severity} ${code}`),
    ['error CheckUnknown'],
  )
})

test('a plan warns of a check that refuses already, and of one that is not asked; that none answers is an error', () => {
  const findings = (...checks: readonly CheckReading[]): readonly string[] => {
    const servers = checks.map((check, i) => reading(`n${i + 1}`, check))
    const backends = [{ name: 'web', mode: 'other', servers, stickTable: false, redispatch: 'unknown' }] as const
    const inspection = { instance: 'lb-1', process: '1', version: '', level: 'admin', processes: 1 } as const
    const all = inspectionFindings(
      { ...inspection, missingBackends: [], disabledBackends: [], backends, outside: [] },
      [],
    )
    return all.map(({ severity, code }) => `${severity} ${code}`)
  }
  assert.deepEqual(
    [
      findings(says('good'), says('good')),
      findings(says('good'), says('unheard')),
      findings(says('unheard'), says('unheard')),
      findings({ asked: false }, { asked: false }),
    ],
    [[], ['warning CheckUnknown'], ['error CheckUnknown'], ['warning RefusalNotSeen']],
  )
  const s = given({ check: REFUSED })
  const [instance] = s.instances
  const server = instance?.reading?.servers[0]
  assert.ok(instance !== undefined && server !== undefined)
  const [found] = wordsOf(server).findings(s.current.node, { instance, reading: server })
  assert.deepEqual([found?.severity, found?.code], ['warning', 'CheckRefused'])
})
