import assert from 'node:assert/strict'
import { WHOAMI_FRONT } from '../support/roll-bed/lb-config.ts'
import type { RollGround, RollHandle } from '../support/roll-ground/roll-ground.ts'

const OUTAGE_MS = 4_000
const RATE = 100
/** Discard: nothing listens there. */
const DEAD = 'http://127.0.0.1:9/'

/** Of the requests of the outage, as many fail at least: all but the first and the last, where the prober is on time. */
const FAILED_AT_LEAST = (RATE * OUTAGE_MS) / 1_000 - RATE / 10
/** Beside other clusters a prober of 100 requests a second falls behind, and sends fewer: 159 of 400 were seen. */
export const FAILED_BESIDE_OTHERS = RATE / 2

/**
 * While n1 is away, people set the servers of the other nodes to maint for 4 s: HAProxy answers 503. The control of the
 * roll has never answered, so it excuses nothing: the roll stops and does not take n2.
 */
export async function outageBesideDeadControl(
  ground: RollGround,
  failedAtLeast = FAILED_AT_LEAST,
): Promise<RollHandle> {
  const others = ground.nodes.filter((node) => node !== 'n1')
  const probes = [
    { name: 'front', url: WHOAMI_FRONT, rate: RATE },
    { name: 'elsewhere', url: DEAD, rate: 10, control: true },
  ]
  const roll = await ground.roll({ nodes: { names: ['n1', 'n2'] }, probes })
  await roll.untilStep('reboot', 'n1')
  for (const node of others) await ground.balancer(`set server web/${node} state maint`)
  await ground.pause(OUTAGE_MS)
  for (const node of others) await ground.balancer(`set server web/${node} state ready`)
  const { code, story } = await roll.ended()

  const ended = roll.events.find((event) => event.type === 'roll.ended')
  assert.ok(ended?.type === 'roll.ended', story)
  assert.deepEqual([code, ended.outcome, ended.reasons[0]?.code], [1, 'stopped', 'RequestsFailed'], story)
  assert.match(ended.reasons[0]?.text ?? '', /^(?:\d+ of|all) \d+ requests to front failed \((new|kept)\): HTTP 503/)
  const failed = ended.load?.failed ?? 0
  assert.ok(failed >= failedAtLeast, `${failed} failed`)
  assert.equal(ended.load?.excused, undefined)
  assert.equal(ended.standings.find(({ node }) => node === 'n2')?.state, 'notTouched')
  assert.deepEqual(
    roll.events.flatMap((event) => (event.type === 'warning' && /excuses/.test(event.text) ? [event.text] : [])),
    ['elsewhere failed in the baseline, so it excuses no failed request'],
  )
  return roll
}

/** What was lost before is not undone by going on: the nodes are through, and the run is not done. */
export async function resumedAfterOutage(ground: RollGround): Promise<void> {
  const stopped = (await outageBesideDeadControl(ground)).events.findLast((event) => event.type === 'roll.ended')
  const resumed = await ground.resume()
  const { code, story } = await resumed.ended()
  const ended = resumed.events.find((event) => event.type === 'roll.ended')
  assert.ok(stopped?.type === 'roll.ended' && ended?.type === 'roll.ended', story)
  assert.deepEqual([code, ended.outcome, ended.load?.failed], [1, 'stopped', stopped.load?.failed], story)
  assert.deepEqual(
    ended.reasons.map(({ text }) => text),
    [`${stopped.load?.failed} requests failed before this run was resumed`],
  )
  assert.deepEqual(
    ended.standings.map(({ node, state }) => [node, state]),
    [
      ['n1', 'inService'],
      ['n2', 'inService'],
    ],
  )
  assert.deepEqual(ended.next, [])
}
