import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StopStage, shutDown } from '../../../src/ground/loop/shutdown.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const stage = (name: string, stop: StopStage['stop']): StopStage => ({ name, limitMs: 1_000, stop })

test('stops in order, one after the other', async () => {
  const clock = new VirtualClock()
  const stopped: string[] = []
  const done = shutDown(
    [
      stage('probe', async (signal) => {
        await clock.sleep(300, signal)
        stopped.push('probe')
      }),
      stage('slot', async () => {
        stopped.push('slot')
      }),
    ],
    clock,
  )
  await clock.advance(300)
  assert.deepEqual(await done, [])
  assert.deepEqual(stopped, ['probe', 'slot'])
})

test('a stage that hangs or fails is named and does not keep the slot from being released', async () => {
  const clock = new VirtualClock()
  let released = false
  const done = shutDown(
    [
      stage('watch', () => new Promise(() => undefined)),
      stage('journal', () => Promise.reject(new Error('disk full'))),
      stage('slot', async () => {
        released = true
      }),
    ],
    clock,
  )
  await clock.advance(1_000)
  const failures = await done
  assert.equal(released, true)
  assert.deepEqual(
    failures.map(({ name, error }) => [name, error instanceof Error ? error.message : '']),
    [
      ['watch', 'stopping watch did not answer within 1000 ms'],
      ['journal', 'disk full'],
    ],
  )
})
