import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Node } from '../../src/model/node.ts'
import type { RollSpec } from '../../src/model/roll-spec.ts'
import { aGate, MemoryGates } from '../support/gate-and-hook-world.ts'
import { KURED, MemoryKured } from '../support/memory-kured.ts'
import { leave, memoryRoll } from '../support/memory-roll.ts'
import { aNode, aSpec } from '../support/roll-world.ts'

const OURS = 'evenkeel/run-1'
const DAY_MS = 86_400_000
const BUDGET = { namespace: 'evenkeel', name: 'evenkeel-budget', resourceVersion: '1', annotations: {} }
const reboot = { ...aSpec().reboot, kuredLock: KURED }
const fails = { kind: 'fails', text: 'the value is 1, not == 0' } as const
const passes = { kind: 'passes', text: 'healthy' } as const

interface Begun {
  readonly spec: RollSpec
  readonly order: readonly string[]
  readonly maxOut?: string
  readonly nodes?: readonly Node[]
}

function begun(t: TestContext, { spec, order, maxOut = '1', nodes }: Begun) {
  let kured: MemoryKured | undefined
  const gates = new MemoryGates()
  const roll = memoryRoll({
    run: { spec, order },
    ...(nodes && { nodes }),
    kuredLocks: ({ cluster }) => {
      kured = new MemoryKured(cluster)
      return kured
    },
    configMaps: { read: async ({ name }) => (name === BUDGET.name ? { ...BUDGET, data: { maxOut } } : undefined) },
    gates,
  })
  assert.ok(kured !== undefined)
  const running = roll.begin()
  t.after(() => leave(roll, running))
  const holds = (): readonly string[] =>
    roll.events.flatMap((event) =>
      event.type === 'hold.started' || event.type === 'hold.changed'
        ? [`${event.node} ${event.step} ${event.reasons.map(({ code }) => code)}`]
        : [],
    )
  return { ...roll, kured, gates, holds }
}

test('a lane that is through needs the lock no more: it is given back while the last node waits for its gate', async (t) => {
  const gate = aGate({ limitMs: DAY_MS })
  const spec = aSpec({ reboot, parallel: { nodes: 2, oneZone: false }, gates: [gate] })
  const roll = begun(t, { spec, order: ['n1', 'n2', 'n3'], maxOut: '2' })
  roll.gates.answer = (_nth, { node }) => (node === 'n3' ? fails : passes)
  await roll.clock.advance(300_000)
  assert.deepEqual([[...roll.reboots].sort(), roll.holds().at(-1)], [['n1', 'n2'], 'n3 record GateFails'])
  assert.deepEqual(roll.kured.owners, ['', OURS, ''])
  roll.gates.answer = () => passes
  await roll.clock.advance(300_000)
  assert.equal(roll.ended()?.outcome, 'completed')
  assert.deepEqual(roll.kured.owners, ['', OURS, '', OURS, ''])
})

test('a lane that waits for the node of another lane needs no lock: it is given back while that node waits for its gate', async (t) => {
  const gate = aGate({ limitMs: DAY_MS })
  const spec = aSpec({ reboot, parallel: { nodes: 2, oneZone: true }, gates: [gate] })
  const nodes = ['n1', 'n2', 'n3'].map((name) =>
    aNode(name, { labels: { 'topology.kubernetes.io/zone': name === 'n3' ? 'b' : 'a' } }),
  )
  const roll = begun(t, { spec, order: ['n1', 'n2', 'n3'], maxOut: '2', nodes })
  roll.gates.answer = (_nth, { node }) => (node === 'n2' ? fails : passes)
  await roll.clock.advance(300_000)
  assert.deepEqual([roll.reboots, roll.kured.owners], [['n1'], ['', OURS, '']])
  roll.gates.answer = () => passes
  await roll.clock.advance(300_000)
  assert.deepEqual([roll.ended()?.outcome, roll.kured.owners], ['completed', ['', OURS, '', OURS, '']])
})
