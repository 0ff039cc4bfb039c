import { eventJson } from '../../../src/roll/cli/screen/event-json.ts'
import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { Judge } from '../../../src/sim/traffic/judge.ts'
import { OpenLoopClient } from '../../../src/sim/traffic/open-loop-client.ts'
import { answerRequest } from '../../../src/sim/world/answer-request.ts'
import { isWatch } from '../../../src/sim/world/api-request.ts'
import { PODS } from '../../../src/sim/world/api-resource.ts'
import { applyManifest } from '../../../src/sim/world/apply-manifest.ts'
import type {
  BootCount,
  JudgeHandle,
  RollGround,
  RollHandle,
  SeenObject,
  SeenRequest,
  Spec,
  ToldWindow,
} from '../roll-ground/roll-ground.ts'
import { story } from '../roll-ground/story.ts'
import { virtualRollFile } from './article-cluster.ts'
import { wasClosedByPod } from './checkers/no-lost-request.ts'
import type { EngineProcess } from './engine-process.ts'
import type { RequestWitness } from './engine-request.ts'
import type { Outside } from './roll-ports.ts'
import { VirtualRoll } from './virtual-roll.ts'

/** As on a bed that shares the machine, and no common divisor: see `run-seed.ts`. */
const ROLL_RATE = 30
const JUDGE_RATE = 31
/** From the start of an API server until it says that it is ready. */
const API_START_MS = 3_000

/** The embedded cluster as a ground, in virtual time: the test that drives it settles the scenario. */
export class VirtualGround implements RollGround {
  readonly #cluster: VirtualCluster
  readonly #requests: SeenRequest[] = []
  #roll: VirtualRoll | undefined
  #rolls = 0

  readonly #outside: Outside

  constructor(cluster: VirtualCluster, outside: Outside = {}) {
    this.#cluster = cluster
    this.#outside = outside
  }

  /** The roll that was begun last. */
  get rolled(): VirtualRoll {
    if (this.#roll === undefined) throw new Error('nothing was begun')
    return this.#roll
  }

  get nodes(): readonly string[] {
    return this.#cluster.nodes
  }

  async roll(spec: Spec = {}): Promise<RollHandle> {
    this.#rolls += 1
    this.#roll = new VirtualRoll(this.#cluster, virtualRollFile({ spec, rate: ROLL_RATE }), {
      ...this.#outside,
      name: String(this.#rolls).padStart(4, '0'),
      witness: this.#witness,
    })
    return new VirtualRollHandle(await this.#roll.begun())
  }

  async resume(): Promise<RollHandle> {
    return new VirtualRollHandle(this.rolled.resume())
  }

  /** A request over a kept connection may be on its way when its pod closes it, at the end of its grace: no roll can help that. */
  async judge(): Promise<JudgeHandle> {
    const { network, time, world } = this.#cluster
    const goneAt: number[] = []
    const unfollow = world.store.subscribe(PODS, ({ type }) => {
      if (type === 'DELETED') goneAt.push(time.wallMs())
    })
    const [target] = new VirtualRoll(this.#cluster, virtualRollFile()).spec.probe?.targets ?? []
    if (target === undefined) throw new Error('the roll file has no probe')
    const judge = new Judge()
    const client = new OpenLoopClient({
      target: { ...target, ratePerSecond: JUDGE_RATE },
      network,
      clock: time,
      timers: time,
      sink: judge.record,
    })
    client.start()
    return {
      verdict: async () => {
        await new Promise<void>((resolve) => client.stop(resolve))
        unfollow()
        const lost = judge.lost.filter(({ at, why }) => why !== 'stale' || !wasClosedByPod(at, goneAt))
        const windows = lost.map(({ at }) => ({ fromMs: at, toMs: at }))
        return { failedRequests: lost.length, sentRequests: judge.sent, skippedRequests: 0, windows }
      },
    }
  }

  readonly list = async (path: string): Promise<readonly SeenObject[]> => {
    const { items } = this.#ask('GET', path) as { readonly items: readonly SeenObject[] }
    return items
  }

  async requests(): Promise<readonly SeenRequest[]> {
    return this.#requests
  }

  async apply(manifests: readonly object[]): Promise<void> {
    for (const manifest of manifests) applyManifest(this.#cluster.world, manifest)
  }

  async remove(path: string): Promise<void> {
    this.#note(this.nowMs(), 'DELETE', path)(200)
    this.#ask('DELETE', path)
  }

  readonly balancer = async (line: string): Promise<string> => this.#cluster.balancer.answer(line)

  async reloadBalancer(): Promise<void> {
    this.#cluster.balancer.reload()
  }

  countBoots(): BootCount {
    const boots = (): readonly (readonly [string, number])[] =>
      this.nodes.map((node) => [node, this.#machine(node).boots])
    const before = new Map(boots())
    return {
      stop: async () => Object.fromEntries(boots().map(([node, count]) => [node, count - (before.get(node) ?? 0)])),
    }
  }

  async isOn(node: string): Promise<boolean> {
    return this.#machine(node).isOn
  }

  async powerOff(node: string): Promise<void> {
    this.#machine(node).powerCut()
  }

  async powerOn(node: string): Promise<void> {
    this.#machine(node).powerOn()
  }

  async killApiServer(): Promise<void> {
    this.#cluster.apiServer.kill()
  }

  async startApiServer(): Promise<void> {
    await this.pause(API_START_MS)
    this.#cluster.apiServer.start()
  }

  readonly nowMs = (): number => this.#cluster.time.wallMs()

  readonly pause = (ms: number): Promise<void> => this.#cluster.time.sleep(ms, new AbortController().signal)

  readonly #witness: RequestWitness = (request) => {
    if (request.kind !== 'api') return undefined
    const { method, path } = request.request
    return this.#note(this.nowMs(), method, path)
  }

  #note(atMs: number, method: string, path: string): (code: number) => void {
    return (code) => void this.#requests.push({ atMs, code, ...audited(method, path) })
  }

  #machine(node: string) {
    const machine = this.#cluster.machines.get(node)
    if (machine === undefined) throw new Error(`no machine is called ${node}`)
    return machine
  }

  #ask(method: string, target: string): unknown {
    const { pathname, searchParams } = new URL(target, 'http://embedded')
    const reply = answerRequest(this.#cluster.world, { method, path: pathname, query: searchParams })
    if (isWatch(reply) || reply.code >= 400) throw new Error(`${method} ${target} was answered otherwise`)
    return reply.body
  }
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }

/** What an audit log would say of it. */
function audited(method: string, path: string): Omit<SeenRequest, 'atMs' | 'code'> {
  const parts = path.split('/').slice(path.startsWith('/apis/') ? 4 : 3)
  const [resource = '', name, subresource] = parts[0] === 'namespaces' && parts.length > 2 ? parts.slice(2) : parts
  return {
    verb: VERBS[method] ?? 'get',
    resource,
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  }
}

/** The engine as a process that can be killed. */
class VirtualRollHandle implements RollHandle {
  readonly #process: EngineProcess

  constructor(process: EngineProcess) {
    this.#process = process
  }

  get events(): readonly StampedEvent[] {
    return this.#process.events
  }

  windows(): readonly ToldWindow[] {
    return this.events
      .filter(({ type }) => type === 'window.opened' || type === 'window.closed')
      .map((event) => JSON.parse(eventJson(event)) as ToldWindow)
  }

  readonly until: RollHandle['until'] = (what, seen) =>
    Promise.race([
      this.#process.log.first(seen),
      this.ended().then(({ story: text }) => {
        throw new Error(`the roll ended before ${what}:\n${text}`)
      }),
    ])

  readonly untilStep: RollHandle['untilStep'] = (step, node) =>
    this.until(
      `step ${step}${node === undefined ? '' : ` of ${node}`}`,
      (event) => event.type === 'step.started' && event.step === step && (node === undefined || event.node === node),
    )

  async ended() {
    const end = await this.#process.ended
    const last = this.events.findLast((event) => event.type === 'roll.ended')
    const code = end === 'died' || last?.type !== 'roll.ended' ? null : last.exitCode
    return { code, shown: '', story: story(this.events) }
  }

  async kill(): Promise<void> {
    this.#process.kill()
    await this.#process.ended
  }

  interrupt(): void {
    this.#process.interrupt()
  }
}
