import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  agentCheckLine,
  type CheckerSpec,
  type OwedReady,
  owedAnew,
  stillOwed,
} from '../../../src/agent/decide/agent-check-line.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import type { Answer } from '../../../src/service/model/answer.ts'

const SPEC: CheckerSpec = { checkers: { lb: 3 }, intervalMs: 1_000 }

/** What each poll is told: `ADDRESS ANSWER AT`. */
function lines(polls: readonly (readonly [address: string, answer: Answer, atMs: number])[]): readonly string[] {
  let owed: OwedReady = {}
  return polls.map(([address, answer, atMs]) => {
    const reply = agentCheckLine(owed, { address, answer, now: monoMs(atMs) }, SPEC)
    owed = reply.owed
    return reply.line
  })
}

test('a node that never left answers up alone, which undoes no drain of an operator', () => {
  assert.deepEqual(
    lines([
      ['lb', 'up', 0],
      ['lb', 'down', 1_000],
      ['lb', 'up', 2_000],
    ]),
    ['up', 'down', 'up'],
  )
})

test('a drain of ours is undone for as many checkers as there are, and one further interval', () => {
  const polls = [0, 300, 600, 900, 1_200, 1_500, 1_800].map((atMs) => ['lb', 'up', atMs] as const)
  assert.deepEqual(lines([['lb', 'drain', -500], ...polls]), [
    'up drain',
    'up ready',
    'up ready',
    'up ready',
    'up ready',
    'up ready',
    'up ready',
    'up',
  ])
})

test('an undeclared address hears the end of a drain for three intervals', () => {
  const heard = lines([
    ['other', 'drain', 0],
    ['other', 'up', 1_000],
    ['other', 'up', 4_000],
    ['other', 'up', 4_001],
  ])
  assert.deepEqual(heard, ['up drain', 'up ready', 'up ready', 'up'])
})

test('each address hears it for itself, and one that heard no drain is told none of it', () => {
  const heard = lines([
    ['lb', 'drain', 0],
    ['other', 'up', 1_000],
    ['lb', 'up', 1_001],
    ['other', 'up', 1_002],
  ])
  assert.deepEqual(heard, ['up drain', 'up', 'up ready', 'up'])
})

test('a second drain begins anew', () => {
  const heard = lines([
    ['lb', 'drain', 0],
    ['lb', 'up', 1],
    ['lb', 'drain', 2],
    ['lb', 'up', 9_000],
    ['lb', 'up', 9_001],
  ])
  assert.deepEqual(heard, ['up drain', 'up ready', 'up drain', 'up ready', 'up ready'])
})

test('a declared address is owed the end of a drain for ever, and an undeclared one for ten minutes of up', () => {
  const owed = owedAnew(['lb', 'other'])
  assert.deepEqual(stillOwed(owed, 600_000, SPEC), { lb: { told: 0 }, other: { told: 0 } })
  assert.deepEqual(stillOwed(owed, 600_001, SPEC), { lb: { told: 0 } })
  const slow = { ...SPEC, intervalMs: 300_000 }
  assert.deepEqual(stillOwed(owed, 900_000, slow), { lb: { told: 0 }, other: { told: 0 } })
  assert.deepEqual(stillOwed(owed, 900_001, slow), { lb: { told: 0 } })
})

test('a down between the end of a drain and the last checker that hears of it repeats the end to all', () => {
  const heard = lines([
    ['lb', 'drain', -500],
    ['lb', 'up', 0],
    ['lb', 'up', 500],
    ['lb', 'up', 1_000],
    ['lb', 'down', 1_050],
    ['lb', 'up', 6_050],
    ['lb', 'up', 6_100],
    ['lb', 'up', 6_500],
    ['lb', 'up', 7_500],
    ['lb', 'up', 7_501],
  ])
  assert.deepEqual(heard.slice(4), ['down', 'up ready', 'up ready', 'up ready', 'up ready', 'up'])
})

test('a down repeats the end of a drain to an undeclared address, too', () => {
  const heard = lines([
    ['other', 'drain', 0],
    ['other', 'up', 1_000],
    ['other', 'down', 2_000],
    ['other', 'up', 9_000],
  ])
  assert.deepEqual(heard, ['up drain', 'up ready', 'down', 'up ready'])
})

test('a drain that was not undone yet owes nothing new, and one that was begun to be undone owes all of it', () => {
  const asked = (owed: OwedReady, answer: Answer) =>
    agentCheckLine(owed, { address: 'lb', answer, now: monoMs(9) }, SPEC)
  const fresh = { lb: { told: 0 } }
  assert.equal(asked(fresh, 'drain').owed, fresh)
  assert.deepEqual(asked({ lb: { told: 2 } }, 'drain').owed, fresh)
  assert.equal(asked(fresh, 'down').owed, fresh)
  assert.deepEqual(asked({ lb: { told: 2 } }, 'down').owed, fresh)
})

test('at most 256 undeclared addresses are owed the end of a drain, and declared addresses always are', () => {
  const many = owedAnew(Array.from({ length: 255 }, (_, i) => `other-${i}`))
  const drained = (owed: OwedReady, address: string) =>
    agentCheckLine(owed, { address, answer: 'drain', now: monoMs(0) }, SPEC).owed
  const full = drained(many, 'other-255')
  assert.equal(Object.keys(full).length, 256)
  assert.equal(drained(full, 'other-256'), full)
  assert.equal(Object.keys(drained(full, 'lb')).length, 257)
})

test('the debt to a declared address is never forgotten, and debts that did not change are the same object', () => {
  const owed = owedAnew(['lb'])
  assert.equal(stillOwed(owed, 600_001, SPEC), owed)
})
