import type { Judged, RollGround, Spec } from '../support/roll-ground/roll-ground.ts'

interface PoliteRoll extends Judged {
  readonly code: number | null
  /** Of the roll's own requests and those of the judge. */
  readonly failed: number
  readonly story: string
}

/** A roll over an app that does nothing for its own exit. */
export async function politeRoll(ground: RollGround, spec: Spec): Promise<PoliteRoll> {
  const judge = await ground.judge()
  const roll = await ground.roll(spec)
  const { code, story } = await roll.ended()
  const judged = await judge.verdict()
  const end = roll.events.findLast((event) => event.type === 'roll.ended')
  return { ...judged, code, failed: judged.failedRequests + (end?.load?.failed ?? 0), story }
}
