import type { RollGround } from '../support/roll-ground/roll-ground.ts'

interface PoliteRoll {
  readonly code: number | null
  /** Of the roll’s own requests and those of the judge. */
  readonly failed: number
  readonly story: string
}

/** A roll of every node over an app that does nothing for its own exit. */
export async function politeRoll(ground: RollGround, { polite }: { readonly polite: boolean }): Promise<PoliteRoll> {
  const judge = await ground.judge()
  const roll = await ground.roll(polite ? { drain: { polite: [{ selector: 'app=whoami' }] } } : {})
  const { code, story } = await roll.ended()
  const { failedRequests } = await judge.verdict()
  const told = roll.events.findLast((event) => event.type === 'roll.ended')
  return { code, failed: failedRequests + (told?.load?.failed ?? 0), story }
}
