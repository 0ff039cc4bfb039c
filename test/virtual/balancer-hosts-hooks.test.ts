import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { RollSpec } from '../../src/roll/model/roll-spec.ts'
import type { StepHook } from '../../src/roll/model/step-hook.ts'
import type { Verdict } from '../../src/roll/model/verdict.ts'
import type { JournalEntry } from '../../src/roll/ports/journal.ts'
import { plannedEntry, runFromJournal } from '../../src/roll/run/run-from-journal.ts'
import type { RunState } from '../../src/roll/run/run-state.ts'
import { aGate, aHook, exited, MemoryGates, MemoryPrograms } from '../support/gate-and-hook-world.ts'
import { MemoryPair } from '../support/memory-pair.ts'
import { leave, memoryRoll } from '../support/memory-roll.ts'
import { hostsSpec, RUN_HOSTS } from '../support/two-hosts-run.ts'

const STRIDE = Number(process.env.CRASH_STRIDE ?? 7)

const ofHosts = (change: Partial<StepHook> = {}): StepHook => aHook({ appliesTo: ['hosts'], ...change })
const at = (moment: StepHook['at'], name: string): StepHook => {
  const { undo: _, ...hook } = ofHosts({ name, at: moment, run: [name, 'x', '{node}', '{address}'] })
  return hook
}

interface Begun {
  readonly hooks: readonly StepHook[]
  readonly order?: readonly string[]
  readonly spec?: Partial<RollSpec>
  readonly world?: (world: { readonly pair: MemoryPair; readonly programs: MemoryPrograms }) => void
}

function begun(t: TestContext, { hooks, order = [], spec, world = () => undefined }: Begun) {
  let pair: MemoryPair | undefined
  const programs = new MemoryPrograms()
  const gates = new MemoryGates()
  gates.answer = () => ({ kind: 'fails', text: 'no' })
  const roll = memoryRoll({
    run: { spec: hostsSpec({ hooks, ...spec }), order, hosts: RUN_HOSTS },
    pair: (clock) => {
      pair = new MemoryPair(clock)
      return pair
    },
    programs,
    gates,
  })
  assert.ok(pair !== undefined)
  world({ pair, programs })
  const running = roll.begin()
  t.after(() => leave(roll, running))
  return { ...roll, pair, programs }
}

const states = ({ ended }: ReturnType<typeof begun>): readonly string[] =>
  (ended()?.standings ?? []).map(({ node, state }) => `${node} ${state}`)
const codes = ({ ended }: ReturnType<typeof begun>): readonly string[] =>
  (ended()?.reasons ?? []).map(({ code }) => code)

test('law: what a hook has begun is undone before the record of its node is removed; hooks of machines run in the order of their way', async (t) => {
  const done: string[] = []
  const hooks = [
    at('beforeNode', 'first'),
    ofHosts(),
    at('afterReboot', 'rebooted'),
    at('beforeAttach', 'attaching'),
    at('afterNode', 'through'),
    { ...aHook({ name: 'over', at: 'afterRoll', run: ['over'] }) },
  ]
  const roll = begun(t, {
    hooks,
    world: ({ pair, programs }) => {
      programs.end = (line) => {
        done.push(line)
        return undefined
      }
      pair.onReboot = (name) => void done.push(`reboot ${name} ${programs.set.has(name)}`)
      const run = pair.ssh.run.bind(pair.ssh)
      pair.ssh.run = (name, command, signal) => {
        done.push(`${name} ${command.argv[0]}`)
        return run(name, command, signal)
      }
    },
  })
  await roll.clock.advance(300_000)
  const of = (name: string) => [
    `first x ${name} ${name}`,
    `${name} away`,
    `ceph set ${name}`,
    `reboot ${name} true`,
    `rebooted x ${name} ${name}`,
    `attaching x ${name} ${name}`,
    `${name} back`,
    `ceph unset ${name}`,
    `through x ${name} ${name}`,
  ]
  assert.equal(roll.ended()?.outcome, 'completed')
  assert.deepEqual(done, [...of('lb-1'), ...of('lb-2'), 'over'])
})

test('a hook runs for nodes alone unless it says otherwise', async (t) => {
  const hooks = [
    aHook({ name: 'a' }),
    aHook({ name: 'b', appliesTo: ['nodes', 'hosts'], run: ['x', 'both', '{node}'] }),
  ]
  const roll = begun(t, { hooks, order: ['n1'] })
  await roll.clock.advance(600_000)
  assert.equal(roll.ended()?.outcome, 'completed')
  const runs = roll.programs.ran.filter((line) => !line.includes('unset'))
  assert.deepEqual(runs, ['ceph set n1', 'x both n1', 'x both lb-1', 'x both lb-2'])
})

for (const moment of ['beforeNode', 'beforeReboot'] as const)
  test(`law: no reboot is announced after a hook before it has failed for good; one of a machine at ${moment} restores the machine`, async (t) => {
    const roll = begun(t, {
      hooks: [ofHosts({ at: moment })],
      world: ({ programs }) => {
        programs.end = (line) => (line.includes(' set ') ? exited(1, 'no quorum') : undefined)
      },
    })
    await roll.clock.advance(300_000)
    assert.deepEqual([roll.ended()?.outcome, codes(roll)], ['stopped', ['HookFailed']])
    assert.deepEqual(states(roll), ['lb-1 restored', 'lb-2 notTouched'])
    assert.deepEqual(roll.programs.ran, ['ceph set lb-1', 'ceph unset lb-1'])
    const said = moment === 'beforeNode' ? [] : ['lb-1 away', 'lb-1 back']
    assert.deepEqual([roll.pair.boots(), roll.pair.said, roll.pair.machine('lb-1').isAway], [[0, 0], said, false])
  })

for (const moment of ['afterReboot', 'beforeAttach', 'afterNode'] as const)
  test(`a hook that fails at ${moment} lets its machine go on to its proof and back, and stops before the next`, async (t) => {
    const { undo: _, ...hook } = ofHosts({ at: moment })
    const roll = begun(t, {
      hooks: [hook],
      world: ({ programs }) => {
        programs.end = () => exited(2)
      },
    })
    await roll.clock.advance(300_000)
    assert.deepEqual([roll.ended()?.outcome, codes(roll)], ['stopped', ['HookFailed']])
    assert.deepEqual(states(roll), ['lb-1 inService', 'lb-2 notTouched'])
    assert.deepEqual([roll.programs.ran, roll.pair.boots(), roll.pair.wrongs], [['ceph set lb-1'], [1, 0], []])
  })

test('a hook with hold is run again until it works, or its limit restores the machine', async (t) => {
  const hooks = [ofHosts({ onFailure: 'hold' })]
  const works = begun(t, {
    hooks,
    world: ({ programs }) => {
      programs.end = (line, nth) => (line === 'ceph set lb-1' && nth < 4 ? exited(1) : undefined)
    },
  })
  await works.clock.advance(400_000)
  assert.equal(works.ended()?.outcome, 'completed')
  assert.equal(works.programs.ran.filter((line) => line === 'ceph set lb-1').length, 4)
  const never = begun(t, {
    hooks,
    world: ({ programs }) => {
      programs.end = (line) => (line.includes(' set ') ? exited(1) : undefined)
    },
  })
  await never.clock.advance(400_000)
  assert.deepEqual([codes(never), states(never)], [['HookFailed'], ['lb-1 restored', 'lb-2 notTouched']])
})

test('a hook that takes long is no time of settle, attach or soak', async (t) => {
  const hooks = [at('beforeAttach', 'attaching'), at('afterNode', 'through')].map((hook) => ({
    ...hook,
    timeoutMs: 3_600_000,
  }))
  const roll = begun(t, { hooks })
  const run = roll.programs.run.bind(roll.programs)
  roll.programs.run = async (argv) => {
    await roll.clock.sleep(1_000_000, new AbortController().signal)
    return run(argv)
  }
  await roll.clock.advance(4_400_000)
  assert.deepEqual([roll.ended()?.outcome, codes(roll), roll.pair.boots()], ['completed', [], [1, 1]])
})

test('the undo runs for a machine that is restored, and at the end of a roll that leaves it without its addresses', async (t) => {
  for (const [before, expected] of [
    ['reboot', 'lb-1 restored'],
    ['attach', 'lb-1 out'],
  ] as const) {
    const gates = [aGate({ appliesTo: ['hosts'], before: [before] })]
    const roll = begun(t, { hooks: [ofHosts({ at: 'beforeNode' })], spec: { gates } })
    await roll.clock.advance(300_000)
    assert.deepEqual([codes(roll), states(roll)[0]], [['GateLimit'], expected])
    assert.deepEqual([roll.programs.ran, roll.programs.set.size], [['ceph set lb-1', 'ceph unset lb-1'], 0])
  }
})

/** A process that is killed at its nth write about a machine or a hook: before the entry is on disk, or right after. */
async function killedAt(t: TestContext, nth: number, isOnDisk: boolean) {
  const spec = hostsSpec({ hooks: [ofHosts(), at('beforeNode', 'first'), at('afterNode', 'through')] })
  const entries: JournalEntry[] = []
  let [count, isDead] = [0, false]
  let pair: MemoryPair | undefined
  const programs = new MemoryPrograms()
  const append = async (entry: JournalEntry): Promise<void> => {
    const isNth = ['host', 'host.meant', 'hook'].includes(entry.type) && ++count === nth
    if (!isDead && (!isNth || isOnDisk)) entries.push(entry)
    isDead ||= isNth
    if (isDead) return new Promise(() => undefined)
  }
  const made = (clock: ConstructorParameters<typeof MemoryPair>[0]): MemoryPair => {
    pair ??= new MemoryPair(clock)
    return pair
  }
  const first = memoryRoll({ run: { spec, order: [], hosts: RUN_HOSTS }, pair: made, append, programs })
  assert.ok(pair !== undefined)
  const unset: string[] = []
  pair.onReboot = (name) => void (programs.set.has(name) || unset.push(name))
  void first.begin()
  await first.clock.advance(130_000)
  const wasKilled = isDead
  isDead = true
  const resumed = async (verdict?: Verdict) => {
    const header = { type: 'journal', v: 1, at: AT, run: 'run-1', cluster: 'test', tool: 'test' } as const
    const state = { id: 'run-1', spec, order: [] } as unknown as RunState
    const planned = plannedEntry(state, { at: AT, clusterName: 'test' })
    const { run } = runFromJournal({ header, entries: [planned, ...entries] })
    const second = memoryRoll({ run: { ...run, verdict }, world: first, seed: 2, pair: made, programs })
    const running = second.begin()
    t.after(() => leave(second, running))
    await second.clock.advance(400_000)
    return second.ended()?.outcome
  }
  return { pair, programs, wasKilled, resumed, unset }
}

const AT = '2026-01-01T00:00:00.000Z'

for (const isOnDisk of [false, true])
  test(`law: a hook runs at least once, and is never taken for run before it ended; killed ${isOnDisk ? 'right after' : 'before'} any write about a machine or its hooks, resume runs and undoes what is left`, async (t) => {
    let writes = 0
    for (let nth = 1; nth < 60; nth += STRIDE) {
      const { pair, programs, wasKilled, resumed, unset } = await killedAt(t, nth, isOnDisk)
      if (!wasKilled) break
      writes = nth
      assert.deepEqual([nth, await resumed(), pair.boots(), pair.wrongs], [nth, 'completed', [1, 1], []])
      assert.deepEqual([nth, unset, programs.set.size], [nth, [], 0])
      for (const name of ['lb-1', 'lb-2'])
        for (const hook of ['first', 'through']) assert.ok(programs.ran.includes(`${hook} x ${name} ${name}`), `${nth}`)
    }
    assert.ok(writes >= 16, `${writes} writes were looked at`)
  })

const ABORTED: Verdict = { kind: 'aborted', keepOut: false, reasons: [{ code: 'Aborted', text: 'aborted' }] }

test('law: what a hook has begun is undone before the record of its node is removed; killed right after any write about a machine or its hooks, abort undoes it', async (t) => {
  let writes = 0
  for (let nth = 2; nth < 60; nth += STRIDE) {
    const { pair, programs, wasKilled, resumed, unset } = await killedAt(t, nth, true)
    if (!wasKilled) break
    writes = nth
    assert.deepEqual([nth, await resumed(ABORTED), programs.set.size], [nth, 'aborted', 0])
    assert.deepEqual([nth, unset, pair.wrongs], [nth, [], []])
    assert.deepEqual([pair.machine('lb-1').isAway, pair.machine('lb-2').isAway], [false, false], `${nth}`)
  }
  assert.ok(writes >= 16, `${writes} writes were looked at`)
})

test('a machine keeps its addresses where its pair is found broken right before they would go', async (t) => {
  const faults: readonly (readonly [code: string, (pair: MemoryPair) => void])[] = [
    ['PairDisagrees', (pair) => void pair.set('lb-2', 'n1', 'drain')],
    [
      'AddressOnSeveral',
      (pair) => {
        pair.fault = 'several'
      },
    ],
  ]
  for (const [code, spoil] of faults) {
    const roll = begun(t, {
      hooks: [at('beforeNode', 'first')],
      world: ({ pair, programs }) => {
        programs.end = () => {
          spoil(pair)
          return undefined
        }
      },
    })
    await roll.clock.advance(1_000_000)
    assert.deepEqual([roll.ended()?.outcome, codes(roll), roll.pair.said], ['held', [code], []])
    const undone = roll.events.flatMap((event) => (event.type === 'write' && !event.ok ? [event.text] : []))
    assert.match(undone.join(), /^addresses of lb-1 moved away: not done, since /)
  }
})
