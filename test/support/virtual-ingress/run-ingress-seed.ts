import { createHash } from 'node:crypto'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { Judge } from '../../../src/sim/traffic/judge.ts'
import { API_RESOURCES } from '../../../src/sim/world/api-resource.ts'
import { jsonOf } from '../../../src/sim/world/json-of.ts'
import { keepGate } from '../gate-keeper.ts'
import { GATE, waitingPod } from '../virtual-roll/swarm/pods-kind.ts'
import { Detacher, REQUEST, STAMP } from '../virtual-roll/virtual-detacher.ts'
import type { ControllerProcess } from './controller-process.ts'
import { IngressGround } from './ingress-ground.ts'
import { IngressLuck } from './ingress-luck.ts'
import { anIngressManifest, ingressTemplate, type Json } from './ingress-manifests.ts'
import { type IngressScenario, ingressScenario } from './ingress-scenario.ts'
import { Persons } from './persons.ts'
import { RolloutWitness } from './rollout-witness.ts'

export interface IngressReport {
  readonly seed: string
  readonly digest: string
  readonly violations: readonly Violation[]
  readonly virtualMs: number
  readonly deaths: number
  /** What the controller told last, where something went wrong. */
  readonly events: readonly string[]
}

interface Violation {
  readonly checker: string
  readonly atMs: number
  readonly text: string
}

type Say = (checker: string, text: string) => void

const END_WITHIN_S = 1_200
const RESTART_MS = 1_000
/** Less than the sweep of the controller, which would hide a pass that nothing asked for. */
const SETTLED_WITHIN_S = 30

/** One scenario from the first pods to the end: what happened, and all that must not. */
export async function runIngressSeed(seed: string): Promise<IngressReport> {
  const scenario = ingressScenario(seed)
  const leavesBy = scenario.detacher === undefined ? 'health' : 'detacher'
  const ground = await IngressGround.open({ nodes: scenario.nodes, seed: `ingress ${seed}`, leavesBy })
  const digest = digestOf(ground)
  const { time } = ground.cluster
  const violations: Violation[] = []
  const say: Say = (checker, text) => violations.push({ checker, atMs: time.monoMs(), text })
  const luck = new IngressLuck(scenario, new SeededRandom(`luck ${seed}`))
  const processes = new Processes(ground, luck)
  const detacher = scenario.detacher === undefined ? undefined : new Detacher(ground, scenario.detacher.manner)
  try {
    ground.cluster.machines.images.lose(STUCK.image.image)
    const { gateMs } = scenario.pods ?? {}
    if (gateMs !== undefined) keepGate({ world: ground.cluster.world, timers: time, gate: GATE, afterMs: gateMs })
    if (scenario.maxOut !== undefined) ground.budget(scenario.maxOut)
    ground.apply(manifestOf(scenario, 'v1'))
    await ground.until('all pods of v1', () => isServed(ground, scenario, 'v1'), END_WITHIN_S)
    luck.begin(time.monoMs())
    const persons = new Persons(ground, scenario.deeds)
    const witness = new RolloutWitness(
      ground,
      scenario.graceMs,
      () => scenario.inPlace || scenario.deletedAtMs !== undefined,
    )
    const judged = ground.traffic()
    plan(ground, scenario)
    if (detacher !== undefined) planDetacher(ground, scenario, detacher)
    await time.advance(scenario.healAtMs)
    await ended(ground, scenario, persons)
    const judge = await judged()
    checkEnd(ground, scenario, say)
    checkTraffic(scenario, { judge, witness, ...(detacher === undefined ? {} : { detacher }) }, say)
    for (const node of persons.robbed) say('claims-of-others', `the claim of a person on ${node} is gone`)
    const limit = Math.min(scenario.maxNodes, scenario.maxOut ?? 1)
    if (witness.mostClaimed > limit)
      say('budget-kept', `${witness.mostClaimed} nodes were claimed at once, and ${limit} may be`)
  } catch (error) {
    say('ends-in-time', String(error))
  }
  for (const error of processes.errors)
    say('no-crash', error instanceof Error ? (error.stack ?? error.message) : String(error))
  const report = {
    seed,
    digest: digest(),
    violations,
    virtualMs: time.monoMs(),
    deaths: luck.deaths,
    events: violations.length === 0 ? [] : ground.events(),
  }
  ground.end()
  return report
}

/** The controller, begun anew a second after each of its deaths. */
class Processes {
  readonly errors: unknown[] = []
  readonly #ground: IngressGround
  readonly #luck: IngressLuck
  #count = 0

  constructor(ground: IngressGround, luck: IngressLuck) {
    this.#ground = ground
    this.#luck = luck
    this.#begin()
  }

  #begin(): void {
    this.#count += 1
    const process: ControllerProcess = this.#ground.begin(`controller ${this.#count}`, {
      passageOf: (request) => this.#luck.passageOf(request, this.#ground.cluster.time.monoMs()),
      onEffect: (effect, _phase, lifeline) => {
        if (!this.#luck.dies(effect, this.#ground.cluster.time.monoMs()) || lifeline.isDead) return
        lifeline.cut()
        this.#ground.cluster.time.later(RESTART_MS, () => this.#begin())
      },
    })
    process.onError = (error) => this.errors.push(error)
  }
}

const BY_DETACHER = {
  annotateNodeToDetach: { key: REQUEST, value: 'true', gracePeriodSeconds: 1 },
  waitForDetachmentByAnnotatedTimestamp: { key: STAMP, gracePeriodSeconds: 2 },
  // The detacher attaches a node after checks of its own.
  attachGraceSeconds: 8,
}

const manifestOf = (scenario: IngressScenario, version: string): object => {
  const { podsPerNode, inPlace, maxNodes, graceMs, attachGraceS: attachGraceSeconds } = scenario
  const rollingUpdate = inPlace
    ? { maxDegradedNodes: maxNodes, maxUnavailablePodsPerNode: 0, maxSurgedPodsPerNode: 1 }
    : {
        maxUnavailableNodes: maxNodes,
        annotateDeploymentToDetach: { gracePeriodSeconds: graceMs / 1_000 },
        attachGraceSeconds,
        ...(scenario.detacher === undefined ? {} : BY_DETACHER),
      }
  const template = templateOf(scenario, version)
  return anIngressManifest(version, { podsPerNode, updateStrategy: { type: 'RollingUpdate', rollingUpdate }, template })
}

const STUCK = {
  image: { image: 'registry.test/none:1', imagePullPolicy: 'IfNotPresent' },
  init: { initContainers: [{ name: 'stuck', command: ['sleep', 'infinity'] }] },
  gate: { readinessGates: [{ conditionType: 'test.local/nobody-sets-it' }] },
}

function templateOf({ pods = {}, stuckBy, versions }: IngressScenario, version: string): Json {
  const { metadata, spec } = ingressTemplate(version)
  // A merge patch leaves what the next version does not name.
  const pod = { initContainers: [], readinessGates: [], ...waitingPod(spec, pods) }
  if (stuckBy === undefined || version !== versions[0]?.version) return { metadata, spec: pod }
  if (stuckBy !== 'image') return { metadata, spec: { ...pod, ...STUCK[stuckBy] } }
  return { metadata, spec: { ...pod, containers: pod.containers.map((one) => ({ ...one, ...STUCK.image })) } }
}

function plan(ground: IngressGround, scenario: IngressScenario): void {
  const { time, apiServer } = ground.cluster
  for (const { atMs, version } of scenario.versions)
    time.later(atMs, () => {
      if (ground.object() !== undefined) ground.apply(manifestOf(scenario, version))
    })
  for (const { atMs, forMs } of scenario.apiRestarts) {
    time.later(atMs, () => apiServer.kill())
    time.later(atMs + forMs, () => apiServer.start())
  }
  if (scenario.deletedAtMs !== undefined) time.later(scenario.deletedAtMs, () => ground.remove())
}

function planDetacher({ cluster: { time } }: IngressGround, { detacher }: IngressScenario, acting: Detacher): void {
  if (detacher === undefined) return
  const { manner, keepsStamps, away } = detacher
  acting.keepsStamps = keepsStamps
  time.later(away.atMs, () => {
    if (away.forMs > 0) acting.manner = 'never'
  })
  time.later(away.atMs + away.forMs, () => {
    acting.manner = manner
  })
}

interface Seen {
  readonly judge: Judge
  readonly witness: RolloutWitness
  readonly detacher?: Detacher
}

function checkTraffic(scenario: IngressScenario, { judge, witness, detacher }: Seen, say: Say): void {
  // The pods of an object that is gone go as they are.
  if (scenario.deletedAtMs !== undefined) return
  const lost = avoidable(scenario, judge)
  const [first] = lost
  if (first !== undefined)
    say('no-lost-request', `${lost.length} of ${judge.sent}: ${first.why}, ${first.error}, ${first.servedBy ?? ''}`)
  for (const text of witness.early) say('detached-first', text)
  for (const node of scenario.inPlace ? [] : (detacher?.early ?? []))
    say('detached-first', `the balancer sent to ${node} when a pod there was made to leave`)
}

/** The annotations that ask a detacher, and those that name the holders of the request. */
const leftOnNodes = (ground: IngressGround): readonly string[] =>
  ground.cluster.nodes.flatMap((name) =>
    [REQUEST, 'evenkeel.dev/detach-holders'].flatMap((key) =>
      ground.node(name).metadata.annotations?.[key] === undefined ? [] : [`${name} bears ${key}`],
    ),
  )

/**
 * In place, a pod ends while its node is sent to: a balancer that keeps a connection to it may lose one request, and where the API
 * server is away no node hears which pods leave.
 */
function avoidable({ inPlace, apiRestarts }: IngressScenario, judge: Judge): Judge['lost'] {
  if (!inPlace) return judge.lost
  return apiRestarts.length > 0 ? [] : judge.lost.filter(({ why }) => why !== 'stale')
}

const isServed = (ground: IngressGround, { nodes, podsPerNode }: IngressScenario, version: string): boolean => {
  const lines = ground.podLines()
  return (
    lines.length === nodes * podsPerNode &&
    lines.every((line) => line.endsWith(` ${version}`)) &&
    ground.condition('Ready') === 'True AllInService' &&
    ground.isServed()
  )
}

async function ended(ground: IngressGround, scenario: IngressScenario, persons: Persons): Promise<void> {
  const version = scenario.versions.at(-1)?.version ?? 'v1'
  const isGone = (): boolean =>
    ground.object() === undefined && ground.deployments().length + ground.gates().length === 0
  const isOver = scenario.deletedAtMs === undefined ? () => isServed(ground, scenario, version) : isGone
  await ground.until(`the end (${persons.left} deeds are not over)`, () => persons.left === 0 && isOver(), END_WITHIN_S)
  // A process that began while the API was away may not have read the world yet.
  await ground.until(
    'the slots to be free',
    () => ground.slotHolders().every((holder) => holder === ''),
    SETTLED_WITHIN_S,
  )
  await ground.cluster.time.advance(5_000)
}

function checkEnd(ground: IngressGround, { nodes, deletedAtMs }: IngressScenario, say: Say): void {
  for (const text of leftOnNodes(ground)) say('nothing-left', text)
  const claimed = ground.claimed()
  if (claimed.length > 0) say('nothing-left', `${claimed.join(', ')} bear a claim`)
  const holders = ground.slotHolders().filter((holder) => holder !== '')
  if (holders.length > 0) say('nothing-left', `slots are held: ${holders.join(', ')}`)
  const marked = ground
    .deployments()
    .filter(({ metadata }) => metadata.annotations?.['evenkeel.dev/ingress-operation'] !== undefined)
  if (marked.length > 0) say('nothing-left', `${marked.length} Deployments bear an operation`)
  if (deletedAtMs === undefined && ground.gates().length !== nodes)
    say('nothing-left', `${ground.gates().length} gates for ${nodes} nodes`)
}

/** All writes of the world, in their order. */
function digestOf({ cluster }: IngressGround): () => string {
  const hash = createHash('sha256')
  for (const resource of API_RESOURCES)
    cluster.world.store.subscribe(resource, ({ revision, type, object }) => {
      hash.update(`${cluster.time.monoMs()} ${revision} ${type} ${resource.plural} ${jsonOf(object)}\n`)
    })
  return () => hash.digest('hex')
}
