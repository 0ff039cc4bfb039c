import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tracked } from '../../../src/agent/ports/open-connections.ts'
import { ConnectionCount } from '../../../src/agent/run/connection-count.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

type Rows = readonly (readonly [
  sockets: number | undefined,
  tracked: Tracked | 'soon' | undefined,
  count: number | undefined,
])[]

test('sockets tell where something listens, and rules may lead others past it', async () => {
  const rows: Rows = [
    [2, { open: 5, elsewhere: 3 }, 5],
    [2, undefined, 2],
    [undefined, { open: 5, elsewhere: 5 }, 5],
    [undefined, undefined, undefined],
  ]
  for (const [sockets, tracked, count] of rows) assert.equal(await counted(sockets, tracked), count)
})

test('a count of zero is not told before tracking was read often enough to show other connections', async () => {
  assert.equal(await counted(0, 'soon'), undefined)
  assert.equal(await counted(undefined, 'soon'), undefined)
  assert.equal(await counted(0, { open: 0, elsewhere: 0 }), 0)
})

test('a table that does not answer in time shows nothing, and is asked again', async () => {
  const clock = new VirtualClock()
  let hangs = true
  const sockets = { count: async () => (hangs ? new Promise<never>(() => undefined) : 4) }
  const count = new ConnectionCount({ sockets, tracked: { count: async () => undefined }, clock })
  const first = count.now()
  await clock.advance(500)
  assert.equal(await first, undefined)
  hangs = false
  assert.equal(await count.now(), 4)
})

test('a bug in reading a table is a bug, and not a count that is not known', async () => {
  const bug = new TypeError('a bug')
  const sockets = { count: () => Promise.reject(bug) }
  const count = new ConnectionCount({ sockets, tracked: { count: async () => undefined }, clock: new VirtualClock() })
  await assert.rejects(count.now(), bug)
})

test('however many ask, tables are read no more often than every quarter of a second', async () => {
  const clock = new VirtualClock()
  let reads = 0
  const sockets = {
    count: async () => {
      reads += 1
      return reads
    },
  }
  const count = new ConnectionCount({ sockets, tracked: { count: async () => undefined }, clock })
  assert.deepEqual([await count.now(), await count.now()], [1, 1])
  await clock.advance(250)
  assert.equal(await count.now(), 1)
  await clock.advance(1)
  assert.equal(await count.now(), 2)
})

const counted = (sockets: number | undefined, tracked: Tracked | 'soon' | undefined): Promise<number | undefined> =>
  new ConnectionCount({
    sockets: { count: async () => sockets },
    tracked: { count: async () => tracked },
    clock: new VirtualClock(),
  }).now()
