import { createHash } from 'node:crypto'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import type { ApiObject } from '../../../src/sim/world/api-object.ts'
import { API_RESOURCES, NODES } from '../../../src/sim/world/api-resource.ts'
import { jsonOf } from '../../../src/sim/world/json-of.ts'
import { ControllerLuck } from '../virtual-guard/controller-luck.ts'
import { articleCluster } from '../virtual-roll/article-cluster.ts'
import { VirtualGround } from '../virtual-roll/virtual-ground.ts'
import { OperatorGround } from './operator-ground.ts'
import { OperatorPeople } from './operator-people.ts'
import { type OperatorScenario, operatorScenario } from './operator-scenario.ts'

export interface OperatorReport {
  readonly seed: string
  readonly digest: string
  readonly violations: readonly { readonly checker: string; readonly atMs: number; readonly text: string }[]
  readonly virtualMs: number
  /** Of controllers. */
  readonly deaths: number
  /** How the Rolls ended. */
  readonly ends: readonly string[]
  readonly events: readonly string[]
}

type Say = (checker: string, text: string) => void

const RESTART_MS = 1_000
const END_WITHIN_S = 1_800
/** A gate that has passed counts for so long. */
const GATE_COUNTS_MS = 6_000
const QUIET_MS = 120_000
const ENDS = ['Succeeded', 'Stopped', 'Aborted']

/** One scenario from the first Roll to the end of the last one: what happened, and all that must not. */
export async function runOperatorSeed(seed: string): Promise<OperatorReport> {
  const scenario = operatorScenario(seed)
  const ground = new OperatorGround(
    await articleCluster({ nodes: scenario.nodes, graceSeconds: 1, seed: `operator ${seed}` }),
  )
  const { time } = ground.cluster
  const digest = digestOf(ground)
  const violations: OperatorReport['violations'][number][] = []
  const say: Say = (checker, text) => violations.push({ checker, atMs: time.monoMs(), text })
  const luck = new ControllerLuck(scenario, new SeededRandom(`luck ${seed}`))
  const errors: unknown[] = []
  const before = ground.boots()
  let ends: readonly string[] = []
  try {
    const judge = await new VirtualGround(ground.cluster).judge()
    begin(ground, luck, errors)
    luck.begin(time.monoMs())
    const people = new OperatorPeople(ground, scenario)
    watchBegins(ground, people, say)
    restarts(ground, scenario)
    await time.advance(scenario.healAtMs)
    people.settle()
    await ground.until(
      'each Roll to end',
      () => [...people.applied].every((roll) => hasEnded(ground, roll)),
      END_WITHIN_S,
    )
    const { failedRequests } = await time.settle(judge.verdict(), 60_000)
    if (failedRequests > 0) say('no-lost-request', `${failedRequests} requests were lost`)
    ends = [...people.applied].map((roll) => ground.state(roll) || 'gone')
    checkEnd({ ground, people, before, say })
    await checkQuiet(ground, say)
  } catch (error) {
    say('ends-in-time', String(error))
  }
  for (const error of errors) say('no-crash', error instanceof Error ? (error.stack ?? error.message) : String(error))
  const events = violations.length === 0 ? [] : ground.history()
  const report = { seed, digest: digest(), violations, virtualMs: time.monoMs(), deaths: luck.deaths, ends, events }
  ground.end()
  return report
}

/** The controller, begun anew a second after each of its deaths. */
function begin(ground: OperatorGround, luck: ControllerLuck, errors: unknown[]): void {
  const { time } = ground.cluster
  const process = ground.begin({
    passageOf: (request) => luck.passageOf(request, time.monoMs()),
    onEffect: (effect, _phase, lifeline) => {
      if (lifeline.isDead || !luck.dies(effect, time.monoMs())) return
      lifeline.cut()
      time.later(RESTART_MS, () => begin(ground, luck, errors))
    },
  })
  process.onError = (error) => errors.push(error)
}

function restarts({ cluster: { time, apiServer } }: OperatorGround, { apiRestarts }: OperatorScenario): void {
  for (const { atMs, forMs } of apiRestarts) {
    time.later(atMs, () => apiServer.kill())
    time.later(atMs + forMs, () => apiServer.start())
  }
}

const hasEnded = (ground: OperatorGround, roll: string): boolean =>
  ground.object(roll) === undefined || ENDS.includes(ground.state(roll))

const RECORD = 'evenkeel.dev/record'
const recordOf = (node: ApiObject | undefined): string | undefined => node?.metadata.annotations?.[RECORD]

/** A node is begun only for a Roll that is not paused, that has its approval, and that nobody has ended; for one Roll at a time. */
function watchBegins(ground: OperatorGround, people: OperatorPeople, say: Say): void {
  const known = new Map<string, string | undefined>()
  const { time, world } = ground.cluster
  world.store.subscribe(NODES, ({ object }) => {
    const { name } = object.metadata
    const [was, is] = [known.get(name), recordOf(object)]
    known.set(name, is)
    if (is === undefined || was !== undefined) return
    const run = (JSON.parse(is) as { readonly run?: string }).run ?? ''
    const roll = ground.rollOf(run)
    if (roll === undefined) return say('of-a-roll', `${name} is begun by run ${run}, which is of no Roll`)
    const pausedFor = time.monoMs() - (people.pausedAt.get(roll) ?? time.monoMs())
    if (pausedFor > GATE_COUNTS_MS) say('paused', `${name} is begun, and ${roll} has been paused for ${pausedFor} ms`)
    if (!people.isApproved(roll, name)) say('approved', `${name} is begun for ${roll} without an approval`)
    const works = [...ground.runner.busy].filter((one) => one !== run)
    if (works.length > 0) say('one-at-a-time', `${name} is begun by ${run}, and ${works.join(', ')} works`)
  })
}

interface AtEnd {
  readonly ground: OperatorGround
  readonly people: OperatorPeople
  readonly before: readonly number[]
  readonly say: Say
}

function checkEnd({ ground, people, before, say }: AtEnd): void {
  for (const text of ground.leftovers()) say('nothing-left', text)
  const rolls = [...people.applied]
  const succeeded = rolls.filter((roll) => ground.state(roll) === 'Succeeded').length
  const begun = ground.journals.kept.size
  for (const [at, boots] of ground.boots().entries()) {
    const times = boots - (before[at] ?? 0)
    if (times < succeeded || times > begun)
      say('boots', `n${at + 1} was rebooted ${times} times by ${begun} runs, ${succeeded} of which succeeded`)
  }
  for (const roll of rolls) {
    const { state, nodesTotal, nodesDone, requestsFailed = 0 } = ground.status(roll)
    if (people.deleted.has(roll) && ground.object(roll) !== undefined) say('deleted', `${roll} is still there`)
    if (state === 'Succeeded' && nodesDone !== nodesTotal)
      say('true-status', `${roll} succeeded with ${String(nodesDone)} of ${String(nodesTotal)} nodes`)
    if (requestsFailed !== 0) say('true-status', `${roll} says that ${String(requestsFailed)} requests failed`)
    const isStopped = state === 'Stopped' || state === 'Aborted'
    if (isStopped && !people.aborted.has(roll) && !ground.isWrong(roll))
      say('true-status', `${roll} is ${String(state)}, and nobody asked for it: ${String(ground.status(roll).message)}`)
  }
}

/** When all is over, nothing is written about Rolls. */
async function checkQuiet(ground: OperatorGround, say: Say): Promise<void> {
  await ground.cluster.time.advance(30_000)
  const writes = ground.writes.length
  await ground.cluster.time.advance(QUIET_MS)
  const more = ground.writes.slice(writes)
  if (more.length > 0) say('quiet', `${more.length} writes when all was over, the first ${more[0] ?? ''}`)
}

/** All writes of the world, in their order. */
function digestOf({ cluster }: OperatorGround): () => string {
  const hash = createHash('sha256')
  for (const resource of API_RESOURCES)
    cluster.world.store.subscribe(resource, ({ revision, type, object }) => {
      hash.update(`${cluster.time.monoMs()} ${revision} ${type} ${resource.plural} ${jsonOf(object)}\n`)
    })
  return () => hash.digest('hex')
}
