import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OwnProbes } from '../../../src/agent/io/own-probes.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const end = (port: number) => ({ address: '10.0.0.9', port })

test('a connection of this process is its own for a second, and by its address as well as its port', async () => {
  const clock = new VirtualClock()
  const probes = new OwnProbes(clock)
  probes.connectedFrom(end(1))
  await clock.advance(1_000)
  assert.deepEqual([probes.has(end(1)), probes.has({ ...end(1), address: '10.0.0.8' })], [true, false])
  await clock.advance(1)
  assert.equal(probes.has(end(1)), false)
})

test('the last three are kept however long ago they were, the newest first', async () => {
  const clock = new VirtualClock()
  const probes = new OwnProbes(clock)
  for (const port of [1, 2, 3, 4, 5]) {
    await clock.advance(60_000)
    probes.connectedFrom(end(port))
  }
  assert.deepEqual(probes.lastPorts(), [5, 4, 3])
})
