import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Verdict } from '../../../src/roll/model/verdict.ts'
import { formatRecord, INTENT_ANNOTATION, RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { leave, type MemoryRoll, memoryRoll } from '../../support/memory-roll.ts'
import { aNode, aRecord, aServer, aSpec } from '../../support/roll-world.ts'

const NAMES = ['n1', 'n2', 'n3', 'n4']
const TWO_OUT = {
  ...{ namespace: 'evenkeel', name: 'evenkeel-budget', resourceVersion: '1', annotations: {} },
  data: { maxOut: '2' },
}
const ABORTED: Verdict = { kind: 'aborted', keepOut: false, reasons: [{ code: 'Aborted', text: 'x' }] }

const without = ({ cluster }: MemoryRoll, key: string, node = 'n1'): void => {
  const { [key]: _, ...annotations } = cluster.node(node).annotations
  cluster.change(node, { annotations })
}
const stateOf = ({ cluster, balancer }: MemoryRoll) => [
  cluster.node('n1').unschedulable,
  balancer.state('n1'),
  INTENT_ANNOTATION in cluster.node('n1').annotations,
]

test('a node whose announcement others took off, while its record stays, is not put back where another lane stops the roll', async (t) => {
  const roll = memoryRoll({
    run: { order: ['n1', 'n2'], spec: aSpec({ parallel: { nodes: 2, oneZone: false } }) },
    nodes: NAMES.map((name) => aNode(name)),
    servers: NAMES.map((name) => aServer(name, name === 'n2' ? { currentSessions: 3 } : {})),
    configMaps: { read: async () => TWO_OUT },
  })
  roll.machine.rebooted = () => undefined
  const running = roll.begin()
  t.after(() => leave(roll, running))
  await roll.clock.advance(10_000)
  assert.deepEqual([roll.reboots, stateOf(roll)], [['n1'], [true, 'drain', true]])
  without(roll, INTENT_ANNOTATION)
  roll.cluster.change('n2', { annotations: { ...roll.cluster.node('n2').annotations, [RECORD_ANNOTATION]: '{' } })
  await roll.clock.advance(60_000)
  assert.deepEqual(stateOf(roll), [true, 'drain', true])
})

test('nor by a process that aborts the run, whose journal has the command', async (t) => {
  const annotations = { [RECORD_ANNOTATION]: formatRecord(aRecord()) }
  const roll = memoryRoll({
    nodes: [aNode('n1', { unschedulable: true, annotations }), aNode('n2')],
    servers: [aServer('n1', { adminState: 'drain', ownState: 'drain' }), aServer('n2')],
    run: {
      ...{ order: ['n1', 'n2'], resumed: true, underWay: 'n1', inWorkBefore: ['n1'], verdict: ABORTED },
      recordsBefore: { n1: { record: aRecord(), isSent: true } },
    },
  })
  const running = roll.begin()
  t.after(() => leave(roll, running))
  await roll.clock.advance(50_000)
  assert.deepEqual(stateOf(roll), [true, 'drain', true])
})
