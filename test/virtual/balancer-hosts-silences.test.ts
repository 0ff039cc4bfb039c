import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { SilenceSpec } from '../../src/roll/model/silence-spec.ts'
import type { JournalEntry } from '../../src/roll/ports/journal.ts'
import type { RunState } from '../../src/roll/run/run-state.ts'
import { silencesBefore } from '../../src/roll/run/silences/silence-keeper.ts'
import { MemoryAlertmanager, SILENCE } from '../support/memory-alertmanager.ts'
import { MemoryPair } from '../support/memory-pair.ts'
import { leave, memoryRoll } from '../support/memory-roll.ts'
import { hostsSpec, RUN_HOSTS } from '../support/two-hosts-run.ts'

interface Begun {
  readonly manager: MemoryAlertmanager
  readonly silence?: Partial<SilenceSpec>
  readonly run?: Partial<RunState>
  readonly world?: (pair: MemoryPair) => void
}

function begun(t: TestContext, { manager, silence, run, world = () => undefined }: Begun) {
  let pair: MemoryPair | undefined
  const journal: JournalEntry[] = []
  const spec = hostsSpec({ silences: [{ ...SILENCE, appliesTo: ['hosts'], ...silence }] })
  const roll = memoryRoll({
    run: { spec, order: [], hosts: RUN_HOSTS, ...run },
    pair: (clock) => {
      pair = new MemoryPair(clock)
      return pair
    },
    silencer: manager,
    append: async (entry) => void journal.push(entry),
  })
  assert.ok(pair !== undefined)
  world(pair)
  const running = roll.begin()
  t.after(() => leave(roll, running))
  return { ...roll, pair, journal, running }
}

const outcome = ({ ended }: ReturnType<typeof begun>): readonly unknown[] => [
  ended()?.outcome,
  (ended()?.reasons ?? []).map(({ code }) => code),
  (ended()?.standings ?? []).map(({ node, state }) => `${node} ${state}`),
]

test('law: a silence has the matchers of the file, filled in for one node, and none besides; that of a machine stands before its addresses leave, and ends when it is back', async (t) => {
  const manager = new MemoryAlertmanager()
  const standing: (string | undefined)[] = []
  const ofNow = (): string | undefined =>
    [...manager.standing.values()].map(({ comment }) => comment.slice(0, 4)).join()
  const roll = begun(t, {
    manager,
    world: (pair) => {
      const run = pair.ssh.run.bind(pair.ssh)
      pair.ssh.run = (name, command, signal) => {
        standing.push(`${name} ${command.argv[0]}: ${ofNow()}`)
        return run(name, command, signal)
      }
    },
  })
  await roll.clock.advance(300_000)
  assert.deepEqual(outcome(roll), ['completed', [], ['lb-1 inService', 'lb-2 inService']])
  assert.deepEqual(standing, ['lb-1 away: lb-1', 'lb-1 back: lb-1', 'lb-2 away: lb-2', 'lb-2 back: lb-2'])
  assert.equal(manager.standing.size, 0)
  const [first] = manager.puts
  assert.deepEqual(first?.matchers, [
    { name: 'instance', value: 'lb-1(:[0-9]+)?', isRegex: true },
    { name: 'node', value: 'lb-1', isRegex: false },
  ])
  assert.equal(first?.comment, 'lb-1: rolled by Even Keel, run run-1')
  // A reboot takes 20 s: it is renewed every third of its minute.
  assert.ok(manager.puts.some(({ id }) => id === 'id-1'))
})

test('a silence of nodes alone is made for no machine', async (t) => {
  const manager = new MemoryAlertmanager()
  const roll = begun(t, { manager, silence: { appliesTo: ['nodes'], onFailure: 'hold' } })
  await roll.clock.advance(300_000)
  assert.deepEqual([roll.ended()?.outcome, manager.puts.length], ['completed', 0])
})

test('where Alertmanager is away, a machine is rolled all the same, or held before its addresses leave as the file says', async (t) => {
  for (const [onFailure, expected, said] of [
    ['ignore', ['completed', [], ['lb-1 inService', 'lb-2 inService']], 4],
    ['hold', ['held', ['SilenceFailed'], ['lb-1 restored', 'lb-2 notTouched']], 0],
  ] as const) {
    const manager = new MemoryAlertmanager()
    manager.fault = 'Alertmanager answered 503'
    const roll = begun(t, { manager, silence: { onFailure } })
    await roll.clock.advance(1_000_000)
    assert.deepEqual([outcome(roll), roll.pair.said.length], [expected, said])
    const warnings = roll.events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))
    assert.ok(warnings.includes('alerts of lb-1 are not silenced in am: Alertmanager answered 503'))
  }
})

test('a machine that does not come back is silent no longer, so that its alerts reach people', async (t) => {
  const manager = new MemoryAlertmanager()
  const roll = begun(t, {
    manager,
    world: (pair) => {
      pair.bootsAgain = false
    },
  })
  await roll.clock.advance(60_000)
  assert.equal(manager.standing.size, 1)
  await roll.clock.advance(1_940_000)
  assert.deepEqual(outcome(roll), ['stopped', ['HostDidNotReturn'], ['lb-1 out', 'lb-2 notTouched']])
  assert.equal(manager.standing.size, 0)
})

test('a process that takes the run up renews the silence that an earlier one made for a machine', async (t) => {
  const manager = new MemoryAlertmanager()
  const first = begun(t, { manager })
  await first.clock.advance(5_000)
  const kept = silencesBefore(first.journal)
  assert.deepEqual(kept, { 'lb-1 am': 'id-1' })
  await leave(first, first.running)
  assert.equal(manager.standing.size, 1)
  const before = manager.puts.length
  const second = begun(t, { manager, run: { silencesBefore: kept, resumed: true } })
  await second.clock.advance(300_000)
  assert.equal(manager.puts[before]?.id, 'id-1')
  assert.deepEqual([second.ended()?.outcome, manager.standing.size], ['completed', 0])
})
