import assert from 'node:assert/strict'
import { STEPS, type Step } from '../../src/roll/model/step.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import type { Judged, RollGround } from '../support/roll-ground/roll-ground.ts'

/** Every step once, spread over the nodes. */
const nodeOf = (step: Step): string => `n${(STEPS.indexOf(step) % 3) + 1}`

/** `kill -9` in every step, taken up by `resume` each time: each node boots once, and nothing is left. */
export async function killedInEveryStep(ground: RollGround): Promise<Judged> {
  const boots = ground.countBoots()
  const judge = await ground.judge()
  let roll = await ground.roll()
  const due = ['n1', 'n2', 'n3'].flatMap((node) =>
    STEPS.filter((step) => nodeOf(step) === node).map((step) => ({ step, node })),
  )
  for (const { step, node } of due) {
    await roll.untilStep(step, node)
    await roll.kill()
    assert.equal((await roll.ended()).code, null)
    roll = await ground.resume()
  }
  const { code, story } = await roll.ended()
  const judged = await judge.verdict()
  assert.equal(code, 0, story)
  assert.deepEqual(await boots.stop(), { n1: 1, n2: 1, n3: 1 })
  assert.deepEqual(await leftoversOf(ground), [])
  return judged
}
