import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aGate, MemoryGates } from '../../support/gate-and-hook-world.ts'
import { leave, memoryRoll } from '../../support/memory-roll.ts'
import { aNode, aServer, aSpec } from '../../support/roll-world.ts'

const NAMES = ['n1', 'n2', 'n3']
const TWO_OUT = {
  ...{ namespace: 'evenkeel', name: 'evenkeel-budget', resourceVersion: '1', annotations: {} },
  data: { maxOut: '2' },
}

test('a node that has its slot does not wait for that of another lane which a gate holds and which has none', async (t) => {
  const gates = new MemoryGates()
  const isOpen = new Set(['n2'])
  gates.answer = (_nth, { node }) => ({ kind: isOpen.has(node) ? 'passes' : 'fails', text: 'x' })
  const roll = memoryRoll({
    run: {
      order: ['n1', 'n2'],
      spec: aSpec({ parallel: { nodes: 2, oneZone: false }, gates: [aGate({ before: ['node'], limitMs: 7_200_000 })] }),
    },
    nodes: NAMES.map((name) => aNode(name)),
    servers: NAMES.map((name) => aServer(name, name === 'n3' ? { operational: 'down', check: 'failing' } : {})),
    configMaps: { read: async () => TWO_OUT },
    gates,
  })
  const running = roll.begin()
  t.after(() => leave(roll, running))
  await roll.clock.advance(600_000)
  assert.deepEqual(roll.reboots, ['n2'], 'the gate holds n1, and n2 has a slot')
  isOpen.add('n1')
  await roll.clock.advance(600_000)
  assert.deepEqual([roll.reboots, roll.ended()?.outcome], [['n2', 'n1'], 'completed'])
})
