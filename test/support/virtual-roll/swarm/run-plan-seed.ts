import type { PlanFinding } from '../../../../src/ground/model/plan-finding.ts'
import type { Reason } from '../../../../src/ground/model/reason.ts'
import { planRefusal } from '../../../../src/roll/cli/screen/plan-refusal.ts'
import type { RollEvent, StampedEvent } from '../../../../src/roll/model/roll-event.ts'
import type { RollPlan } from '../../../../src/roll/model/roll-plan.ts'
import { SeededRandom } from '../../../../src/sim/clocks/seeded-random.ts'
import type { VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import { Scene, type Violation } from '../checkers/scene.ts'
import type { EngineProcess } from '../engine-process.ts'
import { VirtualRoll } from '../virtual-roll.ts'
import { buildWorld } from './build-world.ts'
import { unlikeDoctor } from './doctor-of.ts'
import { fileScenarioOf } from './file-draw.ts'
import { FilePrograms } from './file-programs.ts'
import { bringAbout, type Flaw, flawsOf } from './flaws.ts'
import { nodeNames, type Scenario } from './scenario.ts'
import { eventText } from './seed-report.ts'
import { seedRollFile } from './seed-roll-file.ts'

export interface PlanReport {
  readonly seed: string
  readonly digest: string
  readonly violations: readonly Violation[]
  readonly virtualMs: number
  /** What became of the roll; `refused`: an error in the plan. */
  readonly end: string
  readonly events: readonly string[]
}

interface PlanScenario extends Scenario {
  readonly flaws: readonly Flaw[]
}

/** The world and the roll file of the seed. Nothing goes wrong on the way; what is wrong was so before the plan. */
export function planScenarioOf(seed: string): PlanScenario {
  const drawn = fileScenarioOf(seed)
  const flaws = flawsOf(new SeededRandom(`flaws ${seed}`), nodeNames(drawn.nodes))
  return { ...drawn, faults: [], cues: [], flaws, world: { ...drawn.world, faults: [] } }
}

/** By then controllers have seen what is wrong, and a node without power is not Ready. */
const SEEN_AFTER_MS = 60_000
const ENDS_WITHIN_MS = 3 * 3_600_000

/** The plan, and then the roll, whatever blocks it: what it waits for in vain the plan has told. */
export async function runPlanSeed(seed: string): Promise<PlanReport> {
  const scenario = planScenarioOf(seed)
  const { cluster, end } = await buildWorld(scenario)
  try {
    const unseen = scenario.world.balancers.flatMap(({ instances, by }) => (by === undefined ? [] : instances))
    for (const flaw of scenario.flaws) bringAbout(cluster, flaw, unseen)
    await cluster.time.advance(SEEN_AFTER_MS)
    return await planAndRoll(seed, scenario, cluster)
  } finally {
    end()
    cluster.end()
  }
}

async function planAndRoll(seed: string, scenario: PlanScenario, cluster: VirtualCluster): Promise<PlanReport> {
  const roll = rollOf(scenario, cluster)
  const { time } = cluster
  const startedMs = time.monoMs()
  const plan = await roll.plan()
  const findings = plan.findings.map((finding) => `plan: ${JSON.stringify(finding)}`)
  const violation = (checker: string, text: string | undefined): readonly Violation[] =>
    text === undefined ? [] : [{ checker, atMs: time.monoMs() - startedMs, text }]
  const unlike = violation('plan-as-doctor', await unlikeDoctor(roll, plan))
  if (planRefusal(plan) !== undefined)
    return { seed, digest: '', violations: unlike, virtualMs: 0, end: 'refused', events: findings }
  const process = await roll.begin()
  await time.settle(process.reported, ENDS_WITHIN_MS)
  process.interrupt()
  const ended = process.events.find((event) => event.type === 'roll.ended')
  const text = ended === undefined ? 'the roll did not end' : untold(plan, ended, process)
  return {
    seed,
    digest: process.events.map(eventText).join('\n'),
    violations: [...unlike, ...violation('told-by-plan', text)],
    virtualMs: time.monoMs() - startedMs,
    end: ended?.outcome ?? 'none',
    events: [...findings, ...process.events.map(eventText)],
  }
}

function rollOf(scenario: PlanScenario, cluster: VirtualCluster): VirtualRoll {
  const scene = new Scene(cluster)
  const file = scenario.file && { ...scenario.file, programsFailUntilMs: 0 }
  const programs = new FilePrograms({ scene, file, sinceMs: () => cluster.time.monoMs() })
  return new VirtualRoll(cluster, seedRollFile(scenario.spec), {
    batchEveryMs: 400,
    programOf: (argv) => programs.run(argv),
    silencer: programs.silencer,
    witness: (request) => {
      if (request.kind === 'reboot') programs.reboots(request.node)
    },
  })
}

type Ended = Extract<RollEvent, { readonly type: 'roll.ended' }>

/** Undefined: the roll was completed, or the plan has told why it would not be. */
function untold({ findings }: RollPlan, { outcome, reasons }: Ended, process: EngineProcess): string | undefined {
  if (outcome === 'completed') return undefined
  const last = lastHold(process.events)
  if (reasons.some((reason) => findings.some((finding) => tells(finding, reason, last)))) return undefined
  return `${outcome}, and no finding of the plan tells it: ${reasons.map(({ code, text }) => `${code}: ${text}`).join('; ')}`
}

const lastHold = (events: readonly StampedEvent[]): string | undefined =>
  events.flatMap((event) => (event.type === 'hold.started' || event.type === 'hold.changed' ? [event.node] : [])).at(-1)

const OF_BUDGETS: ReadonlySet<string> = new Set(['BudgetNever', 'BudgetOfOperator', 'TwoBudgets'])

/** By its code; or it is about the object, or about the node that was held, and says that the roll may wait. */
function tells({ code, severity, node, nodes = [], pods = [] }: PlanFinding, reason: Reason, held?: string): boolean {
  if (code === reason.code) return true
  // An entry of drain.blocked covers these pods, and may not be enough.
  if (OF_BUDGETS.has(code) && pods.some((pod) => pod === reason.object)) return true
  if (severity !== 'hold' && severity !== 'block') return false
  const about = [...(node === undefined ? [] : [node]), ...nodes, ...pods]
  return about.length === 0 || about.some((one) => one === reason.object || one === held)
}
