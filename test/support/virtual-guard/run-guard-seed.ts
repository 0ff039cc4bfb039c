import { createHash } from 'node:crypto'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { API_RESOURCES, DAEMON_SETS } from '../../../src/sim/world/api-resource.ts'
import { jsonOf } from '../../../src/sim/world/json-of.ts'
import { budgetOf } from '../virtual-ingress/ingress-manifests.ts'
import { ControllerLuck } from './controller-luck.ts'
import { Drainers } from './drainers.ts'
import { GuardGround } from './guard-ground.ts'
import { guardTemplate, type Json, nodeGuard, storage } from './guard-manifests.ts'
import { type GuardScenario, guardScenario } from './guard-scenario.ts'
import { GuardWitness } from './guard-witness.ts'
import { HeldNodes, holdSpecs, stateOf } from './held-nodes.ts'

export interface GuardReport {
  readonly seed: string
  readonly digest: string
  readonly violations: readonly Violation[]
  readonly virtualMs: number
  readonly deaths: number
  /** Budgets that were opened. */
  readonly grants: number
  /** What the controller told last, where something went wrong. */
  readonly events: readonly string[]
}

interface Violation {
  readonly checker: string
  readonly atMs: number
  readonly text: string
}

type Say = (checker: string, text: string) => void

const END_WITHIN_S = 900
const RESTART_MS = 1_000
/** Less than the sweep of the controller, which would hide a pass that nothing asked for. */
const SETTLED_WITHIN_S = 30
const GARBAGE_WITHIN_S = 120

/** One scenario from the first guards to the end: what happened, and all that must not. */
export async function runGuardSeed(seed: string): Promise<GuardReport> {
  const scenario = guardScenario(seed)
  const ground = await GuardGround.open({ nodes: scenario.nodes, seed: `guard ${seed}` })
  const digest = digestOf(ground)
  const { time } = ground.cluster
  const violations: Violation[] = []
  const say: Say = (checker, text) => violations.push({ checker, atMs: time.monoMs(), text })
  const luck = new ControllerLuck(scenario, new SeededRandom(`luck ${seed}`))
  const errors: unknown[] = []
  let witness: GuardWitness | undefined
  begin(ground, luck, { errors, onRemoved: (pod) => witness?.removed(pod) })
  try {
    await guardedAtFirst(ground, scenario)
    luck.begin(time.monoMs())
    const held = new HeldNodes(ground, scenario)
    const people = new Drainers(ground, scenario.deeds)
    witness = new GuardWitness({ ground, scenario, held, say, isReleased: (node) => people.isReleased(node) })
    plan(ground, scenario)
    await time.advance(scenario.healAtMs)
    await ended(ground, scenario, people)
    checkEnd(ground, scenario, say)
  } catch (error) {
    say('ends-in-time', String(error))
  }
  for (const error of errors) say('no-crash', error instanceof Error ? (error.stack ?? error.message) : String(error))
  const { deaths } = luck
  const report = {
    ...{ seed, digest: digest(), violations, virtualMs: time.monoMs(), deaths },
    grants: witness?.grants ?? 0,
  }
  const events = violations.length === 0 ? [] : ground.events()
  ground.end()
  return { ...report, events }
}

interface Watch {
  readonly errors: unknown[]
  /** The controller has removed that pod. */
  readonly onRemoved: (pod: string) => void
}

/** The controller, begun anew a second after each of its deaths. */
function begin(ground: GuardGround, luck: ControllerLuck, watch: Watch): void {
  const { time } = ground.cluster
  const process = ground.begin(`controller ${Math.round(time.monoMs())}`, {
    passageOf: (request) => luck.passageOf(request, time.monoMs()),
    onEffect: (effect, phase, lifeline) => {
      const [, pod] = /^DELETE \/api\/v1\/namespaces\/default\/pods\/([^?]+)/.exec(effect) ?? []
      if (pod !== undefined && phase === 'after') watch.onRemoved(pod)
      if (!luck.dies(effect, time.monoMs()) || lifeline.isDead) return
      lifeline.cut()
      time.later(RESTART_MS, () => begin(ground, luck, watch))
    },
  })
  process.onError = (error) => watch.errors.push(error)
}

const manifestOf = ({ mode, pending, holds, resistsDeletion }: GuardScenario, version: string): object =>
  nodeGuard({
    mode,
    resistDeletion: resistsDeletion,
    holds: holdSpecs(holds),
    template: guardTemplate(version),
    ...(mode === 'Budget' ? { pendingReplacement: pending } : {}),
  })

async function guardedAtFirst(ground: GuardGround, scenario: GuardScenario): Promise<void> {
  if (scenario.maxOut !== undefined) ground.apply(budgetOf(scenario.maxOut))
  for (const node of ground.cluster.nodes) ground.apply(stateOf(node))
  ground.apply(storage())
  ground.apply(manifestOf(scenario, '1'))
  const resistDeletion = scenario.resistsDeletion
  const second = { follow: { nodeSelector: {} }, mode: 'PerNode', resistDeletion }
  if (scenario.hasSecond) ground.apply(nodeGuard(second, 'second'))
  await ground.until('all nodes to be guarded', () => areGuarded(ground, scenario), END_WITHIN_S)
}

const guardNames = ({ hasSecond }: GuardScenario): readonly string[] => (hasSecond ? ['guard', 'second'] : ['guard'])

/** The second one follows no DaemonSet. */
const nodesOf = (ground: GuardGround, name: string): readonly string[] =>
  name === 'guard' ? ground.wantedNames() : ground.nodeNames()

function areGuarded(ground: GuardGround, scenario: GuardScenario): boolean {
  return guardNames(scenario).every((name) => {
    const nodes = nodesOf(ground, name)
    const isReady = ground.condition('Ready', name) === (nodes.length === 0 ? 'False NoNodes' : 'True AllGuarded')
    return isReady && ground.guarded(name).join() === nodes.join()
  })
}

function plan(ground: GuardGround, scenario: GuardScenario): void {
  const { time, apiServer } = ground.cluster
  for (const { atMs, forMs } of scenario.apiRestarts) {
    time.later(atMs, () => apiServer.kill())
    time.later(atMs + forMs, () => apiServer.start())
  }
  const { targetGone, templateAtMs } = scenario
  if (templateAtMs !== undefined) time.later(templateAtMs, () => ground.apply(manifestOf(scenario, '2')))
  if (targetGone === undefined) return
  time.later(targetGone.atMs, () => ground.remove(DAEMON_SETS, { namespace: 'default', name: 'storage' }))
  time.later(targetGone.atMs + targetGone.forMs, () => ground.apply(storage()))
}

async function ended(ground: GuardGround, scenario: GuardScenario, people: Drainers): Promise<void> {
  await ground.until(
    'every drain to end, and all nodes to be guarded',
    () => people.left === 0 && areGuarded(ground, scenario),
    END_WITHIN_S,
  )
  await ground.until('the guards to be those of the last template', () => isSettled(ground, scenario), END_WITHIN_S)
  await ground.until(
    'slots and claims to be given back',
    () => ground.slotNodes().length + ground.claimed().length === 0,
    SETTLED_WITHIN_S,
  )
  // Pods of a node that is gone end by garbage collection, and their budget stays until then.
  await ground.until(
    'objects of nodes that left to be removed',
    () => surplus(ground, scenario).length === 0,
    GARBAGE_WITHIN_S,
  )
  await ground.cluster.time.advance(5_000)
}

const isSettled = (ground: GuardGround, scenario: GuardScenario): boolean =>
  areGuarded(ground, scenario) &&
  ground.deployments().every(({ metadata, spec, status }) => {
    const version = scenario.templateAtMs === undefined || !metadata.name.startsWith('guard-') ? '1' : '2'
    if (!JSON.stringify(spec).includes(`{"name":"VERSION","value":"${version}"}`)) return false
    const { updatedReplicas = 0, replicas = 0, observedGeneration } = (status ?? {}) as Json
    return (
      observedGeneration === metadata.generation &&
      updatedReplicas === (spec as Json).replicas &&
      replicas === updatedReplicas
    )
  })

function surplus(ground: GuardGround, scenario: GuardScenario): readonly string[] {
  const first = scenario.mode === 'PerNode' ? ground.wantedNames().length : 1
  const wanted = first + (scenario.hasSecond ? ground.nodeNames().length : 0)
  const found = { budgets: ground.gates().length, Deployments: ground.deployments().length }
  return Object.entries(found)
    .filter(([, count]) => count !== wanted)
    .map(([what, count]) => `${count} ${what}, and ${wanted} are wanted`)
}

function checkEnd(ground: GuardGround, scenario: GuardScenario, say: Say): void {
  for (const text of surplus(ground, scenario)) say('nothing-left', text)
  const open = ground.gates().filter(({ metadata }) => metadata.annotations?.['evenkeel.dev/guard-grant'] !== undefined)
  if (open.length > 0) say('nothing-left', `${open.length} budgets bear a grant`)
  const rows = guardNames(scenario).flatMap((name) => ground.rows(name))
  if (rows.length > 0) say('nothing-left', `the status lists ${rows.join(', ')}`)
}

/** All writes of the world, in their order. */
function digestOf({ cluster }: GuardGround): () => string {
  const hash = createHash('sha256')
  for (const resource of API_RESOURCES)
    cluster.world.store.subscribe(resource, ({ revision, type, object }) => {
      hash.update(`${cluster.time.monoMs()} ${revision} ${type} ${resource.plural} ${jsonOf(object)}\n`)
    })
  return () => hash.digest('hex')
}
