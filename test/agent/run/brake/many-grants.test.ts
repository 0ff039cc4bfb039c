import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FleetNode } from '../../../../src/agent/model/fleet-node.ts'
import { Brake } from '../../../../src/agent/run/brake/brake.ts'
import { MemoryConfigMap, MemoryFleet, MemoryNotices } from '../../../support/controller/memory-ports.ts'
import { SeededRandom } from '../../../support/seeded-random.ts'
import { VirtualClock } from '../../../support/virtual-clock.ts'

const stop = new AbortController()

test('hundreds of nodes that are uncordoned at once give their grants to others, though each read takes its time', async (t) => {
  t.after(() => stop.abort(new Error('the test is over')))
  const clock = new VirtualClock()
  const configMaps = new MemoryConfigMap()
  class SlowFleet extends MemoryFleet {
    override async read(name: string, signal = stop.signal): Promise<FleetNode | undefined> {
      await clock.sleep(40, signal)
      return super.read(name)
    }
  }
  const fleet = new SlowFleet()
  const brake = new Brake({
    ...{ fleet, configMaps, notices: new MemoryNotices(), clock, random: new SeededRandom(1) },
    leader: { mayActForMs: () => 10_000 },
    ...{ identity: 'a', namespace: 'evenkeel', limit: { kind: 'percent', percent: 50 }, returnMs: 10_000 },
    log: { debug: () => undefined, warn: () => undefined },
  })
  brake.run(stop.signal).catch((error: unknown) => assert.equal(error, stop.signal.reason))
  const names = Array.from({ length: 600 }, (_, at) => `n${100 + at}`)
  fleet.set(names.map((name) => `${name}!`).join(' '))
  await clock.advance(30_000)
  assert.equal(brake.status().grants?.granted.length, 300)
  fleet.set(names.map((name, at) => (at < 300 ? name : `${name}!`)).join(' '))
  await clock.advance(60_000)
  assert.deepEqual(brake.status().grants?.granted, names.slice(300))
})
