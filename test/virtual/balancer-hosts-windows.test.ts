import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../src/ground/model/time.ts'
import type { TimeWindowSpec } from '../../src/roll/model/time-window.ts'
import { fixedWindows } from '../support/fixed-windows.ts'
import { aHook, MemoryPrograms } from '../support/gate-and-hook-world.ts'
import { MemoryPair } from '../support/memory-pair.ts'
import { leave, memoryRoll } from '../support/memory-roll.ts'
import { hostsSpec, RUN_HOSTS } from '../support/two-hosts-run.ts'
import { VirtualClock } from '../support/virtual-clock.ts'

const NEXT_MS = 900_000
const CLOSES_IN_MS = 15_000

for (const [onClose, resets] of [
  ['restore', 1],
  ['finish', 0],
] as const)
  test(`a window that closes while a machine is without its addresses and has connections left: ${onClose}`, async (t) => {
    const start = new VirtualClock().wallMs()
    const spans = [
      { from: start, to: wallMs(start + CLOSES_IN_MS) },
      { from: wallMs(start + NEXT_MS), to: wallMs(start + 2 * NEXT_MS) },
    ]
    const window: TimeWindowSpec = { zone: 'UTC', open: [], not: [], onClose }
    const hook = aHook({ appliesTo: ['hosts'], at: 'beforeNode' })
    const programs = new MemoryPrograms()
    let pair: MemoryPair | undefined
    const roll = memoryRoll({
      run: { spec: hostsSpec({ window, hooks: [hook] }), order: [], hosts: RUN_HOSTS },
      pair: (clock) => {
        pair = new MemoryPair(clock)
        return pair
      },
      programs,
      timeWindows: fixedWindows(spans),
    })
    assert.ok(pair !== undefined)
    pair.machine('lb-1').connections = 2
    const rebootedAt: number[] = []
    pair.onReboot = () => void rebootedAt.push(roll.clock.wallMs() - start)
    const running = roll.begin()
    t.after(() => leave(roll, running))
    await roll.clock.advance(14_000)
    assert.equal(pair.machine('lb-1').isAway, true)
    await roll.clock.advance(300_000)
    assert.equal(pair.machine('lb-1').isAway, false)
    assert.deepEqual(pair.boots(), onClose === 'restore' ? [0, 0] : [1, 0])
    assert.deepEqual(programs.set.size, 0)
    await roll.clock.advance(NEXT_MS)
    assert.deepEqual([roll.ended()?.outcome, pair.boots(), pair.wrongs], ['completed', [1, 1], []])
    assert.equal(pair.said.filter((line) => line === 'lb-1 away').length, 1 + resets)
    assert.equal(programs.ran.filter((line) => line === 'ceph set lb-1').length, 1 + resets)
    assert.deepEqual(
      rebootedAt.map((ms) => ms >= NEXT_MS),
      [onClose === 'restore', true],
    )
  })
