import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sample } from '../../../../src/ground/model/probe.ts'
import { ServedBy } from '../../../../src/roll/decide/availability/served-by.ts'
import { Settling } from '../../../../src/roll/decide/availability/settling.ts'
import { aSample, at } from './a-sample.ts'

const due = (samples: readonly Sample[]): readonly number[] => samples.map(({ scheduledAt }) => scheduledAt - at(0))
const samplesAt = (...ms: readonly number[]): readonly Sample[] => ms.map((each) => aSample({ ms: each }))

test('a sample is released when no earlier one can come; one that is due at that very moment waits', () => {
  const settling = new Settling()
  assert.deepEqual(due(settling.add(samplesAt(40, 0, 20), at(20))), [0])
  assert.deepEqual(due(settling.waiting), [20, 40])
  assert.deepEqual(due(settling.add(samplesAt(30), at(40))), [20, 30])
  assert.deepEqual(due(settling.waiting), [40])
})

test('samples that wait are released once', () => {
  const settling = new Settling()
  settling.add(samplesAt(40, 20), at(10))
  assert.deepEqual(due(settling.release()), [20, 40])
  assert.deepEqual(settling.waiting, [])
  assert.deepEqual(settling.release(), [])
})

test('no sample waits when all are settled', () => {
  const settling = new Settling()
  assert.deepEqual(due(settling.add(samplesAt(20, 0), at(100))), [0, 20])
  assert.deepEqual(settling.waiting, [])
})

test('answers are counted by the name of the server, sorted by name', () => {
  const servedBy = new ServedBy()
  for (const name of ['cp-2', 'cp-3', 'cp-1', 'cp-3', 'cp-4']) servedBy.record(name)
  assert.deepEqual(Object.entries(servedBy.counts()), [
    ['cp-1', 1],
    ['cp-2', 1],
    ['cp-3', 2],
    ['cp-4', 1],
  ])
  servedBy.record('cp-1')
  assert.equal(servedBy.counts()['cp-1'], 2)
})

test('the first 100 characters of a server’s name are kept', () => {
  const servedBy = new ServedBy()
  servedBy.record(`${'a'.repeat(100)}b`)
  servedBy.record(`${'a'.repeat(100)}c`)
  assert.deepEqual(servedBy.counts(), { ['a'.repeat(100)]: 2 })
})
