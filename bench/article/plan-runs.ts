import { EDGE_FRONT, WHOAMI_FRONT } from '../../test/support/roll-bed/lb-config.ts'
import { RollBed } from '../../test/support/roll-bed/roll-bed.ts'
import type { Plan } from './article-arguments.ts'
import { evenkeelRoll, type RollEnd } from './evenkeel-roll.ts'
import { type Judged, judged } from './judged.ts'
import type { KuredBuild } from './kured-build.ts'
import { installKured, runKured } from './kured-run.ts'
import { ARTICLE_PAUSES, runScript } from './scripted-roll.ts'

export interface PlanRun extends Judged<RollEnd | undefined> {
  readonly plan: Plan
  readonly run: number
}

type Attempt = (bed: RollBed) => Promise<Judged<RollEnd | undefined>>

interface Way {
  /** `plain`: exits at once. `improved`: serves on for 3 s, and has a budget. */
  readonly service: 'plain' | 'improved'
  readonly attempt: Attempt
}

const WHOAMI = { whoami: WHOAMI_FRONT }
const BOTH = { ...WHOAMI, edge: EDGE_FRONT }

const script =
  (maint: boolean, drain: 'none' | 'all' | 'volumesFirst' = 'all'): Attempt =>
  (bed) =>
    judged(bed, WHOAMI, async () => {
      await runScript(bed, { maint, drain, pauses: ARTICLE_PAUSES })
      return undefined
    })

const kured =
  (build: KuredBuild | undefined): Attempt =>
  async (bed) => {
    if (build === undefined) throw new Error('plan kured was asked for without its source')
    await installKured(bed, build)
    return judged(bed, WHOAMI, async () => {
      await runKured(bed)
      return undefined
    })
  }

const ours =
  (stage: boolean): Attempt =>
  async (bed) =>
    judged(bed, BOTH, () => evenkeelRoll(bed, { stage }))

const waysOf = (build: KuredBuild | undefined): Readonly<Record<Plan, Way>> => ({
  cordon: { service: 'plain', attempt: script(false, 'none') },
  kured: { service: 'improved', attempt: kured(build) },
  naive: { service: 'plain', attempt: script(false) },
  balancer: { service: 'plain', attempt: script(true) },
  service: { service: 'improved', attempt: script(true) },
  staged: { service: 'improved', attempt: script(true, 'volumesFirst') },
  evenkeel: { service: 'improved', attempt: ours(true) },
  'evenkeel-no-stage': { service: 'improved', attempt: ours(false) },
})

/** How long a machine is dark at each reboot; a real one takes longer, which spares no plan anything. */
const DARK_MS = 2_000

interface Rolls {
  readonly plan: Plan
  readonly runs: number
  /** For plan `kured`. */
  readonly kured: KuredBuild | undefined
}

/** Rolls by one plan, `runs` times, each time a new cluster; a void run is kept and repeated once. */
export async function planRuns(
  { plan, runs, kured: build }: Rolls,
  tell: (run: PlanRun) => void,
): Promise<readonly PlanRun[]> {
  const found: PlanRun[] = []
  for (let run = 1; run <= runs; run += 1) {
    for (let tries = 0; tries < 2; tries += 1) {
      const made = { plan, run, ...(await onNewBed(waysOf(build)[plan])) }
      found.push(made)
      tell(made)
      if (!made.void) break
    }
  }
  return found
}

async function onNewBed({ service, attempt }: Way): Promise<Judged<RollEnd | undefined>> {
  const bed = await RollBed.open({ service })
  try {
    for (const node of bed.bed.nodes) await bed.bed.setDarkMs(node, DARK_MS)
    return await attempt(bed)
  } finally {
    await bed.close()
  }
}
