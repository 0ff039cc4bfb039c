import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { WorldError } from '../../src/ground/model/world-error.ts'
import type { StepHook } from '../../src/roll/model/step-hook.ts'
import type { JournalEntry } from '../../src/roll/ports/journal.ts'
import { plannedEntry, runFromJournal } from '../../src/roll/run/run-from-journal.ts'
import type { RunState } from '../../src/roll/run/run-state.ts'
import { aGate, aHook, MemoryGates, MemoryPrograms } from '../support/gate-and-hook-world.ts'
import { MemoryPair } from '../support/memory-pair.ts'
import { leave, type MemoryRoll, memoryRoll } from '../support/memory-roll.ts'
import { hostsSpec, RUN_HOSTS } from '../support/two-hosts-run.ts'

const FULL = new WorldError('no space left on device', { code: 'JOURNAL_WRITE', retry: 'backoff' })
const AT = '2026-01-01T00:00:00.000Z'
const SETTLE_MS = 600_000

/** A disk that is full from the first reboot of a machine until it is cleaned. */
class Disk {
  readonly entries: JournalEntry[] = []
  isFull = false

  append = async (entry: JournalEntry): Promise<void> => {
    if (this.isFull) throw FULL
    this.entries.push(entry)
  }
}

interface World {
  readonly disk: Disk
  readonly programs: MemoryPrograms
  readonly gates: MemoryGates
  readonly pair: MemoryPair
}

type Begun = MemoryRoll & World & { readonly resume: () => MemoryRoll; readonly interrupt: () => Promise<void> }

function begun(t: TestContext, hooks: readonly StepHook[], gated = false): Begun {
  const world = { disk: new Disk(), programs: new MemoryPrograms(), gates: new MemoryGates() }
  const gates = gated ? [aGate({ appliesTo: ['hosts'], before: ['attach'], limitMs: SETTLE_MS / 2 })] : []
  const spec = hostsSpec({ hooks, gates })
  let pair: MemoryPair | undefined
  const asked = {
    ...world,
    pair: (clock: MemoryRoll['clock']): MemoryPair => {
      pair ??= new MemoryPair(clock)
      return pair
    },
    append: world.disk.append,
  }
  const first = memoryRoll({ run: { spec, order: [], hosts: RUN_HOSTS }, ...asked })
  assert.ok(pair !== undefined)
  pair.onReboot = (name) => {
    world.disk.isFull = name === 'lb-1'
  }
  const running = first.begin()
  t.after(() => leave(first, running))
  const resume = (): MemoryRoll => {
    const header = { type: 'journal', v: 1, at: AT, run: 'run-1', cluster: 'test', tool: 'test' } as const
    const state = { id: 'run-1', spec, order: [] } as unknown as RunState
    const planned = plannedEntry(state, { at: AT, clusterName: 'test' })
    const { run } = runFromJournal({ header, entries: [planned, ...world.disk.entries] })
    const second = memoryRoll({ run, ...asked, world: first, seed: 2 })
    const next = second.begin()
    t.after(() => leave(second, next))
    return second
  }
  return { ...first, ...world, pair, resume, interrupt: () => leave(first, running) }
}

const ofHosts = (at: StepHook['at']): StepHook => aHook({ appliesTo: ['hosts'], at, run: ['late', 'x', '{node}'] })

/** Each hold of a machine after its reboot. */
const held = ({ events }: MemoryRoll): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'hold.started' || event.type === 'hold.changed'
      ? event.reasons.map(({ code }) => `${event.node} ${event.step} ${code}`)
      : [],
  )
const codes = ({ ended }: MemoryRoll): readonly string[] => (ended()?.reasons ?? []).map(({ code }) => code)
const states = ({ ended }: MemoryRoll): readonly string[] =>
  (ended()?.standings ?? []).map(({ node, state }) => `${node} ${state}`)
const times = (lines: readonly string[], line: string): number => lines.filter((other) => other === line).length

for (const at of ['afterReboot', 'beforeAttach'] as const) {
  test(`a disk that is full when a machine has rebooted holds its hook at ${at}, says so once, and the roll goes on once there is room`, async (t) => {
    const roll = begun(t, [ofHosts(at)])
    await roll.clock.advance(200_000)
    assert.deepEqual([roll.ended(), roll.pair.machine('lb-1').isAway], [undefined, false])
    assert.equal(times(held(roll), 'lb-1 settle JournalNotWritable'), 1)
    assert.deepEqual([roll.pair.said, roll.programs.ran], [['lb-1 away'], []])
    roll.disk.isFull = false
    await roll.clock.advance(300_000)
    assert.deepEqual([roll.ended()?.outcome, roll.pair.boots(), roll.pair.wrongs], ['completed', [1, 1], []])
    assert.equal(times(roll.programs.ran, 'late x lb-1'), 1)
  })

  test(`a disk that stays full ends the roll at the limit of settle with the machine out, its hook at ${at} not run, and resume finishes it`, async (t) => {
    const roll = begun(t, [ofHosts(at)])
    await roll.clock.advance(SETTLE_MS)
    assert.equal(roll.ended(), undefined)
    await roll.clock.advance(120_000)
    assert.deepEqual([roll.ended()?.outcome, codes(roll)], ['stopped', ['HostNotSettled', 'JournalNotWritable']])
    assert.deepEqual(states(roll), ['lb-1 out', 'lb-2 notTouched'])
    assert.deepEqual([roll.pair.said, roll.pair.boots(), roll.programs.ran], [['lb-1 away'], [1, 0], []])
    roll.disk.isFull = false
    const resumed = roll.resume()
    await resumed.clock.advance(400_000)
    assert.deepEqual([resumed.ended()?.outcome, roll.pair.boots(), roll.pair.wrongs], ['completed', [1, 1], []])
    assert.equal(times(roll.programs.ran, 'late x lb-1'), 1)
  })
}

test('a gate of a machine is asked after the disk has room for its hook, so that no answer becomes old', async (t) => {
  const roll = begun(t, [ofHosts('beforeAttach')], true)
  await roll.clock.advance(SETTLE_MS)
  assert.deepEqual(roll.gates.asked, [])
  assert.deepEqual([roll.ended(), held(roll).at(-1)], [undefined, 'lb-1 settle JournalNotWritable'])
  await roll.clock.advance(120_000)
  assert.deepEqual(codes(roll), ['HostNotSettled', 'JournalNotWritable'])
})

test('a machine with a gate and no hook goes back although the disk is full, and the next one waits for the disk', async (t) => {
  const roll = begun(t, [], true)
  await roll.clock.advance(200_000)
  assert.deepEqual(
    [roll.pair.said, roll.pair.boots()],
    [
      ['lb-1 away', 'lb-1 back'],
      [1, 0],
    ],
  )
  assert.equal(held(roll).at(-1), 'lb-2 slot JournalNotWritable')
  await roll.clock.advance(900_000)
  assert.deepEqual([roll.ended()?.outcome, codes(roll)], ['held', ['JournalNotWritable']])
  assert.deepEqual(states(roll), ['lb-1 inService', 'lb-2 notTouched'])
})

test('a machine whose pair is not whole after its reboot gives its addresses away again, although the disk is full', async (t) => {
  const roll = begun(t, [])
  while (!roll.pair.said.includes('lb-1 back')) await roll.clock.advance(1000)
  roll.pair.fault = 'none'
  await roll.clock.advance(900_000)
  assert.deepEqual(roll.pair.said, ['lb-1 away', 'lb-1 back', 'lb-1 away'])
  assert.deepEqual(
    [roll.ended()?.outcome, codes(roll)[0], states(roll)],
    ['stopped', 'PairNotWhole', ['lb-1 out', 'lb-2 notTouched']],
  )
  roll.pair.fault = undefined
  roll.disk.isFull = false
  const resumed = roll.resume()
  await resumed.clock.advance(600_000)
  assert.deepEqual([resumed.ended()?.outcome, roll.pair.boots(), roll.pair.wrongs], ['completed', [1, 1], []])
})

test('a machine that was taken out again on a full disk has its addresses back after resume only once it is as before', async (t) => {
  const roll = begun(t, [])
  roll.pair.onReboot = () => undefined
  while (!roll.pair.said.includes('lb-1 back')) await roll.clock.advance(1000)
  roll.disk.isFull = true
  roll.pair.fault = 'none'
  await roll.clock.advance(900_000)
  assert.deepEqual(roll.pair.said, ['lb-1 away', 'lb-1 back', 'lb-1 away'])
  roll.disk.isFull = false
  roll.pair.fault = undefined
  const server = { instance: 'lb-1', backend: 'web', server: 'n1' }
  roll.pair.change(server, { operational: 'down' })
  const resumed = roll.resume()
  await resumed.clock.advance(100_000)
  assert.deepEqual([times(roll.pair.said, 'lb-1 back'), resumed.ended()], [1, undefined])
  roll.pair.change(server, { operational: 'up' })
  await resumed.clock.advance(600_000)
  assert.deepEqual([resumed.ended()?.outcome, roll.pair.boots(), roll.pair.wrongs], ['completed', [1, 1], []])
})

test('a machine that is back with its addresses keeps them while a full disk holds its last hook', async (t) => {
  const { undo: _, ...last } = ofHosts('afterNode')
  const roll = begun(t, [last])
  await roll.clock.advance(1_500_000)
  assert.deepEqual([roll.ended()?.outcome, codes(roll)], ['held', ['JournalNotWritable']])
  assert.deepEqual([roll.pair.said, roll.programs.ran], [['lb-1 away', 'lb-1 back'], []])
  assert.equal(held(roll).at(-1), 'lb-1 soak JournalNotWritable')
  assert.deepEqual(states(roll), ['lb-1 out', 'lb-2 notTouched'])
  roll.disk.isFull = false
  const resumed = roll.resume()
  await resumed.clock.advance(600_000)
  assert.deepEqual([resumed.ended()?.outcome, roll.pair.boots()], ['completed', [1, 1]])
  assert.equal(times(roll.programs.ran, 'late x lb-1'), 1)
})

test('a roll that is resumed on a full disk with a machine without its addresses says so, and gives them back at drain.blockedLimit', async (t) => {
  const roll = begun(t, [])
  roll.pair.machine('lb-1').connections = 2
  await roll.clock.advance(10_000)
  assert.equal(roll.pair.machine('lb-1').isAway, true)
  await roll.interrupt()
  roll.disk.isFull = true
  const resumed = roll.resume()
  await resumed.clock.advance(300_000)
  assert.deepEqual([resumed.ended(), held(resumed).at(-1)], [undefined, 'lb-1 detach JournalNotWritable'])
  await resumed.clock.advance(600_000)
  assert.deepEqual([resumed.ended()?.outcome, codes(resumed)], ['held', ['JournalNotWritable']])
  assert.deepEqual([states(resumed), roll.pair.machine('lb-1').isAway], [['lb-1 restored', 'lb-2 notTouched'], false])
})
