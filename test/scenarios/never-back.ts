import assert from 'node:assert/strict'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import type { RollGround, Spec } from '../support/roll-ground/roll-ground.ts'
import { serversOf } from '../support/roll-ground/servers-of.ts'

/**
 * A node that does not come back from its reboot stays out, the roll stops and says so, the others serve on, and `resume`
 * brings it back once it has power. The reboot of the spec gives up after 20 s.
 */
export async function nodeNeverBack(ground: RollGround, spec: Spec): Promise<void> {
  const stateOf = async (server: string): Promise<string | undefined> =>
    (await serversOf(ground)).find(({ name }) => name === server)?.state
  const judge = await ground.judge()
  const roll = await ground.roll({ nodes: { names: ['n2', 'n3'] }, ...spec })
  await roll.until(
    'the reboot to be sent',
    (event) => event.type === 'write' && event.action === 'sendReboot' && event.ok,
  )
  await ground.powerOff('n2')
  const stopped = await roll.until('the stop', (event) => event.type === 'roll.ended')
  assert.ok(stopped.type === 'roll.ended')
  assert.deepEqual([stopped.outcome, stopped.reasons[0]?.code, stopped.exitCode], ['stopped', 'NodeDidNotReturn', 1])
  assert.equal(stopped.standings.find(({ node }) => node === 'n3')?.state, 'notTouched')
  assert.equal(await stateOf('web/n2'), 'drain')
  const stayedOut = await judge.verdict()
  assert.deepEqual([stayedOut.failedRequests, stayedOut.windows], [0, []])

  // Still guarded: what a reload forgets is set again. Until then HAProxy sends requests to a machine that is off.
  await ground.reloadBalancer()
  await waitFor(
    { what: 'the node to be detached again', limitMs: 1000, everyMs: 20 },
    async () => ((await stateOf('web/n2')) === 'drain' ? true : undefined),
    ground,
  )
  roll.interrupt()
  assert.equal((await roll.ended()).code, 1)

  const judgeOfReturn = await ground.judge()
  await ground.powerOn('n2')
  const { code, story } = await (await ground.resume()).ended()
  assert.equal(code, 0, story)
  const cameBack = await judgeOfReturn.verdict()
  assert.deepEqual([cameBack.failedRequests, cameBack.windows], [0, []])
  assert.deepEqual(await leftoversOf(ground), [])
}
