import assert from 'node:assert/strict'
import { STEPS, type Step } from '../../src/model/step.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import type { Judged, RollGround } from '../support/roll-ground/roll-ground.ts'

/** Every step once, spread over the nodes so that the pause before evictions comes once for several of them. */
const DUE: readonly { readonly node: string; readonly steps: readonly Step[] }[] = [
  { node: 'n1', steps: ['drain', 'reboot', 'proof', 'uncordon', 'settle', 'attach'] },
  { node: 'n2', steps: ['slot', 'record', 'cordon', 'detach'] },
  { node: 'n3', steps: ['soak'] },
]

/** In this step it stays away for a minute. */
const LONG: Step = 'proof'

/** The API server killed and started again in every step. The reboot of the spec gives up no sooner than 180 s. */
export async function apiServerRestartedInEveryStep(
  ground: RollGround,
  spec: Readonly<Record<string, unknown>>,
): Promise<Judged> {
  const boots = ground.countBoots()
  const judge = await ground.judge()
  const roll = await ground.roll(spec)
  const due = DUE.flatMap(({ node, steps }) => steps.map((step) => ({ step, node })))
  assert.deepEqual(due.map(({ step }) => step).toSorted(), STEPS.toSorted(), 'every step has its restart')
  for (const { step, node } of due) {
    await roll.untilStep(step, node)
    await ground.killApiServer()
    if (step === LONG) await ground.pause(60_000)
    await ground.startApiServer()
  }
  const { code, story } = await roll.ended()
  const judged = await judge.verdict()
  assert.equal(code, 0, story)
  assert.deepEqual(await boots.stop(), { n1: 1, n2: 1, n3: 1 })
  // The taint that goes with a cordon is the node lifecycle controller's, which comes back late like all the others.
  await waitFor(
    { what: 'nothing to be left behind', limitMs: 90_000 },
    async () => ((await leftoversOf(ground)).length === 0 ? true : undefined),
    ground,
  )
  return judged
}
