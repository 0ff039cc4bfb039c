import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mapAtOnce } from '../../../src/ground/loop/map-at-once.ts'

test('no more are at work than may be, and results come in the order of the items', async () => {
  const waits = Array.from({ length: 5 }).map(() => Promise.withResolvers<void>())
  let atWork = 0
  let most = 0
  const done = mapAtOnce([0, 1, 2, 3, 4], 2, async (item) => {
    atWork += 1
    most = Math.max(most, atWork)
    await waits[item]?.promise
    atWork -= 1
    return item * 10
  })
  for (const last of [1, 0, 3, 2, 4]) {
    await new Promise(setImmediate)
    waits[last]?.resolve()
  }
  assert.deepEqual(await done, [0, 10, 20, 30, 40])
  assert.equal(most, 2)
})

test('the first rejection is passed on, and nothing further is begun', async () => {
  const begun: number[] = []
  const failing = mapAtOnce([0, 1, 2, 3], 2, async (item) => {
    begun.push(item)
    await new Promise(setImmediate)
    if (item === 0) throw new Error('enough')
  })
  await assert.rejects(failing, { message: 'enough' })
  await new Promise(setImmediate)
  assert.deepEqual(begun, [0, 1])
})

test('of no items there is nothing to do', async () => {
  assert.deepEqual(await mapAtOnce([], 4, () => assert.fail('called')), [])
})
