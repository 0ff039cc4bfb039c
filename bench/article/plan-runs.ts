import { EDGE_FRONT, WHOAMI_FRONT } from '../../test/support/roll-bed/lb-config.ts'
import { RollBed } from '../../test/support/roll-bed/roll-bed.ts'
import { evenkeelRoll, type RollEnd } from './evenkeel-roll.ts'
import { type Judged, judged } from './judged.ts'
import { ARTICLE_PAUSES, runScript } from './scripted-roll.ts'

export const PLANS = ['naive', 'balancer', 'service', 'evenkeel', 'evenkeel-no-stage'] as const
export type Plan = (typeof PLANS)[number]

export interface PlanRun extends Judged<RollEnd | undefined> {
  readonly plan: Plan
  readonly run: number
}

type Attempt = (bed: RollBed) => Promise<Judged<RollEnd | undefined>>

const WHOAMI = { whoami: WHOAMI_FRONT }
const BOTH = { ...WHOAMI, edge: EDGE_FRONT }

const script =
  (maint: boolean): Attempt =>
  (bed) =>
    judged(bed, WHOAMI, async () => {
      await runScript(bed, { maint, pauses: ARTICLE_PAUSES })
      return undefined
    })

const ours =
  (stage: boolean): Attempt =>
  async (bed) =>
    judged(bed, BOTH, () => evenkeelRoll(bed, { stage }))

const WAYS: Readonly<Record<Plan, { readonly service: 'plain' | 'improved'; readonly attempt: Attempt }>> = {
  naive: { service: 'plain', attempt: script(false) },
  balancer: { service: 'plain', attempt: script(true) },
  service: { service: 'improved', attempt: script(true) },
  evenkeel: { service: 'improved', attempt: ours(true) },
  'evenkeel-no-stage': { service: 'improved', attempt: ours(false) },
}

/** How long a machine is dark at each reboot; a real one takes longer, which spares no plan anything. */
const DARK_MS = 2_000

/** Rolls by one plan, `runs` times, each time a new cluster; a void run is kept and repeated once. */
export async function planRuns(plan: Plan, runs: number, tell: (run: PlanRun) => void): Promise<readonly PlanRun[]> {
  const found: PlanRun[] = []
  for (let run = 1; run <= runs; run += 1) {
    for (let tries = 0; tries < 2; tries += 1) {
      const made = { plan, run, ...(await onNewBed(WAYS[plan])) }
      found.push(made)
      tell(made)
      if (!made.void) break
    }
  }
  return found
}

async function onNewBed({ service, attempt }: (typeof WAYS)[Plan]): Promise<Judged<RollEnd | undefined>> {
  const bed = await RollBed.open({ service })
  try {
    for (const node of bed.bed.nodes) await bed.bed.setDarkMs(node, DARK_MS)
    return await attempt(bed)
  } finally {
    await bed.close()
  }
}
