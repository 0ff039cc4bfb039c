import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { GateMoment, GateSpec } from '../../src/roll/model/gate-spec.ts'
import { aGate, MemoryGates } from '../support/gate-and-hook-world.ts'
import { MemoryPair, twoHosts } from '../support/memory-pair.ts'
import { leave, memoryRoll } from '../support/memory-roll.ts'
import { hostsSpec, RUN_HOSTS } from '../support/two-hosts-run.ts'

const ofHosts = (change: Partial<GateSpec> = {}): GateSpec => aGate({ appliesTo: ['hosts'], ...change })
const fails = { kind: 'fails', text: 'the value is 1, not == 0' } as const
const passes = { kind: 'passes', text: 'healthy' } as const

function begun(t: TestContext, gate: GateSpec, order: readonly string[] = []) {
  let pair: MemoryPair | undefined
  const source = new MemoryGates()
  const roll = memoryRoll({
    run: { spec: hostsSpec({ hosts: twoHosts(), gates: [gate] }), order, hosts: RUN_HOSTS },
    pair: (clock) => {
      pair = new MemoryPair(clock)
      return pair
    },
    gates: source,
  })
  assert.ok(pair !== undefined)
  const running = roll.begin()
  t.after(() => leave(roll, running))
  return { ...roll, pair, source }
}

type Begun = ReturnType<typeof begun>

const codes = ({ ended }: Begun): readonly string[] => (ended()?.reasons ?? []).map(({ code }) => code)
const states = ({ ended }: Begun): readonly string[] =>
  (ended()?.standings ?? []).map(({ node, state }) => `${node} ${state}`)
const held = ({ events }: Begun): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'hold.started' ? [`${event.node} ${event.step} ${event.reasons.map(({ code }) => code)}`] : [],
  )

/** Where the machine stands while its gate does not pass. */
const MOMENTS: readonly {
  readonly moment: GateMoment
  readonly hold: string
  readonly boots: readonly number[]
  readonly said: readonly string[]
  /** After the limit of the gate. */
  readonly outcome: string
  readonly states: readonly string[]
  readonly saidAfter: readonly string[]
}[] = [
  {
    moment: 'node',
    hold: 'lb-1 slot GateFails',
    boots: [0, 0],
    said: [],
    outcome: 'held',
    states: ['lb-1 notTouched', 'lb-2 notTouched'],
    saidAfter: [],
  },
  {
    moment: 'reboot',
    hold: 'lb-1 reboot GateFails',
    boots: [0, 0],
    said: ['lb-1 away'],
    outcome: 'held',
    states: ['lb-1 restored', 'lb-2 notTouched'],
    saidAfter: ['lb-1 away', 'lb-1 back'],
  },
  {
    moment: 'attach',
    hold: 'lb-1 settle GateFails',
    boots: [1, 0],
    said: ['lb-1 away'],
    outcome: 'stopped',
    states: ['lb-1 out', 'lb-2 notTouched'],
    saidAfter: ['lb-1 away'],
  },
]

for (const row of MOMENTS) {
  const gate = ofHosts({ before: [row.moment], limitMs: 600_000 })
  test(`a gate for machines that fails before ${row.moment} holds the machine there, and lets it go on once it passes`, async (t) => {
    const roll = begun(t, gate)
    roll.source.answer = () => fails
    await roll.clock.advance(150_000)
    assert.deepEqual([held(roll).at(-1), roll.pair.boots(), roll.pair.said], [row.hold, row.boots, row.said])
    roll.source.answer = () => passes
    await roll.clock.advance(400_000)
    assert.deepEqual([roll.ended()?.outcome, roll.pair.boots(), roll.pair.wrongs], ['completed', [1, 1], []])
    const asked = new Set(roll.source.asked.map(({ node, address }) => `${node} ${address}`))
    assert.deepEqual([...asked], ['lb-1 lb-1', 'lb-2 lb-2'])
  })

  test(`a gate for machines at its limit before ${row.moment} ends the roll: ${row.states[0]}`, async (t) => {
    for (const answer of [fails, { kind: 'unknown', text: 'ECONNREFUSED' } as const, 'hangs' as const]) {
      const roll = begun(t, { ...gate, limitMs: 200_000 })
      roll.source.answer = () => answer
      await roll.clock.advance(420_000)
      assert.deepEqual([roll.ended()?.outcome, codes(roll)], [row.outcome, ['GateLimit']])
      assert.deepEqual([states(roll), roll.pair.said, roll.pair.wrongs], [row.states, row.saidAfter, []])
    }
  })
}

test('a gate holds nodes alone unless it says otherwise, machines alone, or both', async (t) => {
  for (const [appliesTo, expected] of [
    [undefined, ['n1']],
    [['nodes'], ['n1']],
    [['hosts'], ['lb-1', 'lb-2']],
    [
      ['nodes', 'hosts'],
      ['n1', 'lb-1', 'lb-2'],
    ],
  ] as const) {
    const gate = aGate({ before: ['node', 'reboot', 'attach'], ...(appliesTo && { appliesTo }) })
    const roll = begun(t, gate, ['n1'])
    await roll.clock.advance(600_000)
    assert.deepEqual([...new Set(roll.source.asked.map(({ node }) => node))], expected)
    assert.equal(roll.ended()?.outcome, 'completed')
  }
})

test('law: a gate passes by the newest answers alone, given in a row, for this node and this moment; one that fails while the machine is looked at once more holds its reboot', async (t) => {
  const roll = begun(t, ofHosts({ before: ['reboot'] }))
  const look = roll.pair.ssh.read.bind(roll.pair.ssh)
  let isLate = false
  // The look of the last moment takes longer than an answer counts.
  roll.pair.ssh.read = async (name, signal) => {
    if (roll.source.asked.length === 2 && !isLate) {
      isLate = true
      roll.source.answer = () => fails
      await roll.clock.sleep(9_000, signal)
    }
    return look(name, signal)
  }
  await roll.clock.advance(100_000)
  assert.deepEqual([isLate, roll.pair.boots(), roll.ended()?.outcome], [true, [0, 0], 'held'])
  assert.deepEqual([states(roll), roll.pair.machine('lb-1').isAway], [['lb-1 restored', 'lb-2 notTouched'], false])
})
