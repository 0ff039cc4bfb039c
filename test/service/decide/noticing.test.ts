import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { notice, unheard } from '../../../src/service/actuators/agent/noticing.ts'
import type { Noticing } from '../../../src/service/decide/evidence.ts'
import type { EndpointReading, HealthEndpointSpec } from '../../../src/service/model/health-endpoint.ts'

const LB = '10.0.0.5'
const OTHER = '10.0.0.6'

const spec = (checkers: Readonly<Record<string, number>>): HealthEndpointSpec => ({
  agentPort: 8081,
  dataPort: 443,
  checks: { intervalMs: 2_000, fall: 3, rise: 2, drainsAtOnce: false, slackMs: 4_000 },
  checkers,
})

const reading = (answers: Readonly<Record<string, number>>): EndpointReading => ({
  at: monoMs(Number.POSITIVE_INFINITY),
  heard: true,
  answer: 'drain',
  onlyClosed: false,
  acknowledged: ['a'],
  connections: 0,
  polls: answers,
})

type Poll = readonly [atMs: number, answers: Readonly<Record<string, number>>]

/** What is seen of a node that leaves, poll by poll. */
function seen(checkers: Readonly<Record<string, number>>, polls: readonly Poll[], way: 'out' | 'in' = 'out') {
  let found: Noticing | undefined
  for (const [at, answers] of polls)
    found = notice(found, { way, reading: reading(answers), spec: spec(checkers), now: monoMs(at) })
  return found?.noticed
}

test('whenever a node leaves, its checkers have the same time', () => {
  const late = 3_600_000
  const polls: readonly Poll[] = [
    [late, {}],
    [late + 600, { [LB]: 9 }],
    [late + 5_999, { [LB]: 40 }],
  ]
  assert.equal(seen({ [LB]: 1 }, polls), undefined)
  assert.deepEqual(seen({ [LB]: 1 }, [...polls, [late + 6_000, { [LB]: 40 }]]), { by: 'checks', at: late + 6_000 })
})

test('the checkers of an agent that was never heard have noticed nothing', () => {
  assert.equal(unheard(undefined, spec({}), monoMs(1_000)), undefined)
})

test('three checkers behind one address count as three: their ninth refusal and one interval more', () => {
  const polls: readonly Poll[] = [
    [0, {}],
    [1_700, { [LB]: 3 }],
    [3_700, { [LB]: 6 }],
    [5_700, { [LB]: 9 }],
    [7_600, { [LB]: 11 }],
  ]
  assert.equal(seen({ [LB]: 3 }, polls), undefined)
  assert.deepEqual(seen({ [LB]: 3 }, [...polls, [7_700, { [LB]: 12 }]]), { by: 'checks', at: 7_700 })
})

test('a fast checker’s refusals do not make up for those of a slow one behind the same address', () => {
  const mixed: readonly Poll[] = [
    [0, {}],
    [600, { [LB]: 5 }],
    [1_200, { [LB]: 9 }],
    [5_999, { [LB]: 40 }],
  ]
  assert.equal(seen({ [LB]: 2 }, mixed), undefined)
  assert.deepEqual(seen({ [LB]: 2 }, [...mixed, [6_000, { [LB]: 40 }]]), { by: 'checks', at: 6_000 })
})

test('what was heard on the way in counts for nothing on the way out', () => {
  const answers = { [LB]: 100 }
  const at = (before: Noticing | undefined, way: 'in' | 'out', now: number): Noticing =>
    notice(before, { way, reading: reading(answers), spec: spec({ [LB]: 1 }), now: monoMs(now) })
  const isIn = at(at(undefined, 'in', 0), 'in', 60_000)
  assert.equal(isIn.noticed?.at, 60_000)
  assert.deepEqual(at(isIn, 'out', 61_000), { way: 'out', since: 61_000, heardSince: 61_000 })
})

test('an answer counts as of when it was asked for', () => {
  const none = spec({})
  const at = (before: Noticing | undefined, askedAt: number, now: number): Noticing =>
    notice(before, { way: 'in', reading: { ...reading({}), at: monoMs(askedAt) }, spec: none, now: monoMs(now) })
  const begun = at(undefined, 0, 0)
  assert.equal(at(begun, 0, 60_000).noticed, undefined)
  assert.equal(at(begun, 7_999, 60_000).noticed, undefined)
  assert.deepEqual(at(begun, 8_000, 60_000).noticed, { by: 'time', at: 60_000 })
})

test('a node that is back and is not heard for as long as a balancer takes to leave it must be noticed anew', () => {
  const checked = spec({})
  const inSince = (noticed: Partial<Noticing> = {}): Noticing => ({ way: 'in', since: monoMs(0), ...noticed })
  const missed = unheard(inSince(), checked, monoMs(1_000))
  assert.deepEqual(missed, { way: 'in', since: 0, silentSince: 1_000 })
  assert.deepEqual(unheard(missed, checked, monoMs(4_999)), missed)
  assert.equal(unheard(missed, checked, monoMs(5_000)), undefined)
  const seenIn = inSince({ noticed: { by: 'time', at: monoMs(500) } })
  assert.equal(unheard({ ...seenIn, silentSince: monoMs(1_000) }, checked, monoMs(5_000)), undefined)
  const heard = notice(
    { ...seenIn, silentSince: monoMs(1_000) },
    { way: 'in', reading: reading({}), spec: checked, now: monoMs(2_000) },
  )
  assert.deepEqual(heard, seenIn)
  const gone: Noticing = { way: 'out', since: monoMs(0) }
  assert.equal(unheard(gone, checked, monoMs(900_000)), gone)
})

test('every declared source must have had the answer', () => {
  const polls: readonly Poll[] = [
    [0, {}],
    [5_000, { [LB]: 3, [OTHER]: 2 }],
    [7_500, { [LB]: 4, [OTHER]: 2 }],
  ]
  assert.equal(seen({ [LB]: 1, [OTHER]: 1 }, polls), undefined)
  assert.deepEqual(seen({ [LB]: 1 }, polls), { by: 'checks', at: 7_500 })
})

test('a checker that is not declared shortens nothing, however often it asks', () => {
  const curl: readonly Poll[] = [
    [0, { '10.9.9.9': 1_000 }],
    [9_900, { '10.9.9.9': 2_000 }],
  ]
  assert.equal(seen({ [LB]: 1 }, curl), undefined)
  assert.equal(seen({}, curl), undefined)
})

test('without evidence the time that no balancer takes longer than decides', () => {
  assert.deepEqual(
    seen({}, [
      [0, {}],
      [9_999, {}],
      [10_000, {}],
    ]),
    { by: 'time', at: 10_000 },
  )
})

test('counts that begin anew with the agent begin the wait for them anew', () => {
  const restarted: readonly Poll[] = [
    [0, {}],
    [5_000, { [LB]: 3 }],
    [6_000, { [LB]: 0 }],
    [7_500, { [LB]: 3 }],
    [9_400, { [LB]: 4 }],
  ]
  assert.equal(seen({ [LB]: 1 }, restarted), undefined)
  assert.deepEqual(seen({ [LB]: 1 }, [...restarted, [9_500, { [LB]: 4 }]]), { by: 'checks', at: 9_500 })
})

test('on the way back rise counts', () => {
  const polls: readonly Poll[] = [
    [0, {}],
    [2_000, { [LB]: 2 }],
    [4_000, { [LB]: 3 }],
  ]
  assert.deepEqual(seen({ [LB]: 1 }, polls, 'in'), { by: 'checks', at: 4_000 })
  assert.equal(seen({ [LB]: 2 }, polls, 'in'), undefined)
})
