import assert from 'node:assert/strict'
import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import type { Judged, RollGround, Spec } from '../support/roll-ground/roll-ground.ts'

interface TwoAtOnce {
  readonly judged: Judged
  readonly tookMs: number
  readonly events: readonly StampedEvent[]
}

/** A roll of four nodes to its end without a failed request: each node is rebooted once and nothing is left on it. */
export async function fourNodesRolled(ground: RollGround, spec: Spec): Promise<TwoAtOnce> {
  const boots = ground.countBoots()
  const judge = await ground.judge()
  const from = ground.nowMs()
  const roll = await ground.roll(spec)
  const { code, story } = await roll.ended()
  const tookMs = ground.nowMs() - from
  const judged = await judge.verdict()
  assert.equal(code, 0, story)
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
  assert.deepEqual(await boots.stop(), { n1: 1, n2: 1, n3: 1, n4: 1 })
  assert.deepEqual(await leftoversOf(ground), [])
  assert.deepEqual(
    roll.events.filter(({ type }) => type === 'stray'),
    [],
  )
  return { judged, tookMs, events: roll.events }
}

/**
 * Of four nodes, two are rebooted at once, and n1 does not come back: n2 is finished, nothing new is begun, and `resume` does
 * the rest once n1 has power. The reboot of the spec gives up within a minute.
 */
export async function oneOfTwoNeverBack(ground: RollGround, spec: Spec): Promise<Judged> {
  const judge = await ground.judge()
  const roll = await ground.roll(spec)
  const isSent = (node: string) => (event: StampedEvent) =>
    event.type === 'write' && event.action === 'sendReboot' && event.ok && event.node === node
  const sent = ['n1', 'n2'].map((node) => roll.until(`the reboot of ${node}`, isSent(node)))
  await sent[0]
  await ground.powerOff('n1')
  await sent[1]
  const stopped = await roll.until('the stop', (event) => event.type === 'roll.ended')
  assert.ok(stopped.type === 'roll.ended')
  assert.deepEqual([stopped.outcome, stopped.exitCode, stopped.guarded], ['stopped', 1, ['n1']])
  assert.equal(stopped.reasons[0]?.code, 'NodeDidNotReturn')
  assert.deepEqual(Object.fromEntries(stopped.standings.map(({ node, state }) => [node, state])), {
    n1: 'out',
    n2: 'inService',
    n3: 'notTouched',
    n4: 'notTouched',
  })
  roll.interrupt()
  await roll.ended()
  await ground.powerOn('n1')
  const { code, story } = await (await ground.resume()).ended()
  assert.equal(code, 0, story)
  const judged = await judge.verdict()
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []])
  assert.deepEqual(await leftoversOf(ground), [])
  return judged
}
