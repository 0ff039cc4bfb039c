import type { Judged, RollGround } from '../support/roll-ground/roll-ground.ts'

interface PoliteRoll {
  readonly code: number | null
  readonly judged: Judged
  readonly story: string
}

/** A roll of every node over an app that does nothing for its own exit. */
export async function politeRoll(ground: RollGround, { polite }: { readonly polite: boolean }): Promise<PoliteRoll> {
  const judge = await ground.judge()
  const roll = await ground.roll(polite ? { drain: { polite: [{ selector: 'app=whoami' }] } } : {})
  const { code, story } = await roll.ended()
  return { code, judged: await judge.verdict(), story }
}
