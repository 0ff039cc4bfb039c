import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOTHING_SEEN, observe } from '../../../../src/agent/decide/brake/observe.ts'
import type { BrakeMemory } from '../../../../src/agent/decide/brake/snapshot.ts'
import { monoMs } from '../../../../src/ground/model/time.ts'
import { aNode, nodesOf } from '../../../support/brake-world.ts'

const RETURN_MS = 10_000

/** What is remembered after each sight: `[ms, signs of the nodes, granted]`. */
function seen(...sights: readonly (readonly [at: number, signs: string, granted?: string])[]): BrakeMemory {
  return sights.reduce(
    (memory, [at, signs, granted = '']) =>
      observe(memory, {
        nodes: nodesOf(signs),
        granted: granted.split(' '),
        now: monoMs(at),
        returnMs: RETURN_MS,
      }),
    NOTHING_SEEN,
  )
}

const cordonedIn = ({ cordoned }: BrakeMemory) => [...cordoned].map(([name, { since }]) => `${name} ${since}`)
const returningIn = ({ returning }: BrakeMemory) => [...returning].map(([name, since]) => `${name} ${since}`)

test('a node is cordoned since it was first seen so', () => {
  assert.deepEqual(cordonedIn(seen([1, 'n1 n2!'], [2, 'n1! n2!'], [3, 'n1! n2!'])), ['n1 2', 'n2 1'])
  assert.deepEqual(cordonedIn(seen([1, 'n1!'], [2, 'n1'], [3, 'n1!'])), ['n1 3'])
})

test('a Node that was registered anew under its name is cordoned anew', () => {
  const first = seen([1, 'n1!'])
  const nodes = [{ ...aNode('n1!'), uid: 'another' }]
  assert.deepEqual(cordonedIn(observe(first, { nodes, now: monoMs(5), returnMs: RETURN_MS })), ['n1 5'])
})

test('what is not there any more is forgotten', () => {
  const { cordoned, returning } = seen([1, 'n1! n2!'], [2, 'n1 n2!'], [3, 'n3'])
  assert.deepEqual([cordoned.size, returning.size], [0, 0])
})

test('a node that is uncordoned comes back for a while, whether we saw it cordoned or read of its grant', () => {
  assert.deepEqual(returningIn(seen([1, 'n1!'], [5, 'n1'])), ['n1 5'])
  assert.deepEqual(returningIn(seen([5, 'n1', 'n1'])), ['n1 5'])
  assert.deepEqual(returningIn(seen([5, 'n1', 'n1'], [10_004, 'n1'])), ['n1 5'])
  assert.deepEqual(returningIn(seen([5, 'n1', 'n1'], [10_005, 'n1'])), [])
  assert.deepEqual(returningIn(seen([5, 'n1', 'n1'], [10_000, 'n1', 'n1'])), ['n1 5'], 'its grant is still published')
})

test('a node that is cordoned and uncordoned once more comes back anew', () => {
  assert.deepEqual(returningIn(seen([1, 'n1!'], [5, 'n1'], [6_000, 'n1!'], [9_000, 'n1'])), ['n1 9000'])
})

test('a node that was out for another reason comes back as slowly', () => {
  for (const mark of ['-', '>', 'x']) assert.deepEqual(returningIn(seen([1, `n1${mark}`], [5, 'n1'])), ['n1 5'], mark)
  assert.deepEqual(returningIn(seen([1, 'n1!>'], [5, 'n1>'], [60_000, 'n1>'])), [], 'while it is out it is not back')
  assert.deepEqual(returningIn(seen([1, 'n1!>'], [5, 'n1>'], [60_000, 'n1'])), ['n1 60000'])
  assert.deepEqual(returningIn(seen([1, 'n1!>'], [5, 'n1!'])), ['n1 5'], 'cordoned or not')
  assert.deepEqual(returningIn(seen([1, 'n1->'], [5, 'n1>'])), [])
})

test('the first sight is remembered', () => assert.equal(seen([3, 'n1'], [9, 'n1']).since, 3))

test('a node that makes no sense is what it was', () => {
  const memory = seen([1, 'n1! n2'], [5, 'n1? n2?'])
  assert.deepEqual([cordonedIn(memory), returningIn(memory)], [['n1 1'], []])
})
