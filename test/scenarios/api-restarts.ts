import assert from 'node:assert/strict'
import type { Step } from '../../src/roll/model/step.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import type { Judged, RollGround } from '../support/roll-ground/roll-ground.ts'

interface Restarts {
  readonly node: string
  readonly steps: readonly Step[]
  /** How long the API server stays away in the proof of this node. */
  readonly awayMs?: number
}

/** Every step once, spread over the nodes so that the pause before evictions comes once for several of them. */
export const EVERY_STEP: readonly Restarts[] = [
  { node: 'n1', steps: ['drain', 'reboot', 'proof', 'uncordon', 'settle', 'attach'], awayMs: 60_000 },
  { node: 'n2', steps: ['slot', 'record', 'cordon', 'detach'] },
  { node: 'n3', steps: ['soak'] },
]

/** The one in which a real cluster differs most from an embedded one: a boot, and all caches come back late. */
export const ONE_STEP: readonly Restarts[] = [{ node: 'n1', steps: ['proof'], awayMs: 30_000 }]

/** The API server killed and started again in the given steps. The reboot of the spec gives up no sooner than 180 s. */
export async function apiServerRestarted(
  ground: RollGround,
  restarts: readonly Restarts[],
  spec: Readonly<Record<string, unknown>>,
): Promise<Judged> {
  const nodes = restarts.map(({ node }) => node)
  const boots = ground.countBoots()
  const judge = await ground.judge()
  const roll = await ground.roll({ nodes: { names: nodes }, ...spec })
  for (const { step, node, awayMs } of restarts.flatMap(({ steps, ...rest }) =>
    steps.map((step) => ({ step, ...rest })),
  )) {
    await roll.untilStep(step, node)
    await ground.killApiServer()
    if (step === 'proof' && awayMs !== undefined) await ground.pause(awayMs)
    await ground.startApiServer()
  }
  const { code, story } = await roll.ended()
  const judged = await judge.verdict()
  assert.equal(code, 0, story)
  assert.deepEqual(
    await boots.stop(),
    Object.fromEntries(ground.nodes.map((node) => [node, nodes.includes(node) ? 1 : 0])),
  )
  // The taint that goes with a cordon is the node lifecycle controller's, which comes back late like all the others.
  await waitFor(
    { what: 'nothing to be left behind', limitMs: 90_000 },
    async () => ((await leftoversOf(ground)).length === 0 ? true : undefined),
    ground,
  )
  return judged
}
