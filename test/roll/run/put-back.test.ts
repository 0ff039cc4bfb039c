import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { formatRecord, RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { leave, memoryRoll } from '../../support/memory-roll.ts'
import { aNode, aRecord, aServer } from '../../support/roll-world.ts'

const verdict = { kind: 'aborted', keepOut: false, reasons: [{ code: 'Aborted', text: 'aborted' }] } as const

/** n1 is out and was not rebooted; its server has no check that could tell that it may serve. */
async function aborted(t: TestContext, portAnswers: boolean) {
  const annotations = { [RECORD_ANNOTATION]: formatRecord(aRecord()) }
  const roll = memoryRoll({
    run: { resumed: true, verdict },
    nodes: [aNode('n1', { unschedulable: true, annotations }), aNode('n2'), aNode('n3')],
    servers: [aServer('n1', { adminState: 'drain', check: 'none', checkText: 'no check' }), aServer('n2')],
    portAnswers,
  })
  const running = roll.begin()
  t.after(() => leave(roll, running))
  await roll.clock.advance(400_000)
  return [roll.ended()?.outcome, roll.balancer.state('n1'), RECORD_ANNOTATION in roll.cluster.node('n1').annotations]
}

test('a node that was not rebooted is put back where its server has no check, once its data port answers', async (t) => {
  assert.deepEqual(await aborted(t, true), ['aborted', 'ready', false])
})

test('a server without a check is not put back while its data port is silent, rebooted or not', async (t) => {
  assert.deepEqual(await aborted(t, false), ['stopped', 'drain', true])
})
