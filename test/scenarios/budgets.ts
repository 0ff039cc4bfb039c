import assert from 'node:assert/strict'
import { budget } from '../../src/sim/cluster/article-workloads.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { nodeWith } from '../support/roll-ground/node-with.ts'
import type { RollExit, RollGround, RollHandle } from '../support/roll-ground/roll-ground.ts'

async function rollOne(ground: RollGround, blockedLimit: string): Promise<RollHandle> {
  const nodes = { names: [await nodeWith(ground, 'whoami')] }
  // What the plan says of them is shown by the situations of the preflight; here the roll meets them.
  return ground.roll({ nodes, drain: { daemonSets: ['app=edge'], blockedLimit } }, '--even-if-blocked')
}

/** At its limit when the roll comes, it opens 20 s later: waited for by its name and numbers. */
export async function budgetOpensLater(ground: RollGround): Promise<void> {
  await ground.apply([budget('whoami', 'whoami', 5)])
  const judge = await ground.judge()
  const roll = await rollOne(ground, '2min')
  const words = 'budget default/whoami needs 5 healthy, has 5 of 5'
  await roll.until(
    `a hold with "${words}"`,
    (event) => event.type === 'hold.started' && event.reasons.some(({ text }) => text.includes(words)),
  )
  await ground.pause(20_000)
  await ground.apply([budget('whoami', 'whoami', 4)])
  const { code, story } = await roll.ended()
  assert.equal(code, 0, story)
  const judged = await judge.verdict()
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []], story)
  assert.deepEqual(await leftoversOf(ground), [])
}

/** Given up at the limit: exit 3, named with its numbers, and everything as it was. */
async function givenUp(ground: RollGround, words: readonly string[]): Promise<RollExit> {
  const boots = ground.countBoots()
  const roll = await rollOne(ground, '8s')
  const end = await roll.ended()
  assert.equal(end.code, 3, end.story)
  const ended = roll.events.find((event) => event.type === 'roll.ended')
  const reasons = ended?.type === 'roll.ended' ? ended.reasons.map(({ text }) => text).join('; ') : ''
  for (const word of words) assert.ok(reasons.includes(word), `${word} in ${reasons}`)
  assert.deepEqual(await boots.stop(), Object.fromEntries(ground.nodes.map((node) => [node, 0])))
  assert.deepEqual(await leftoversOf(ground), [])
  return end
}

/** At its limit for good. */
export async function budgetNeverOpens(ground: RollGround): Promise<RollExit> {
  await ground.apply([budget('whoami', 'whoami', 5)])
  const judge = await ground.judge()
  const end = await givenUp(ground, ['budget default/whoami needs 5 healthy, has 5 of 5'])
  const judged = await judge.verdict()
  assert.deepEqual([judged.failedRequests, judged.windows], [0, []], end.story)
  await ground.apply([budget('whoami', 'whoami', 4)])
  return end
}

/** A pod under two: the API answers with 500, whatever they would allow (the eviction handler, eviction.go). */
export async function podUnderTwoBudgets(ground: RollGround): Promise<RollExit> {
  await ground.apply([budget('whoami-too', 'whoami', 1)])
  const end = await givenUp(ground, [
    'budget default/whoami (needs 4 healthy, has 5)',
    'budget default/whoami-too (needs 1 healthy, has 5)',
  ])
  await ground.remove('/apis/policy/v1/namespaces/default/poddisruptionbudgets/whoami-too')
  return end
}
