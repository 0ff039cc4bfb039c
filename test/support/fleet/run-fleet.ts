import { createHash } from 'node:crypto'
import { present } from '../../../src/ground/model/present.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { WHOAMI_PORT, whoami } from '../../../src/sim/cluster/article-workloads.ts'
import { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { CONFIG_MAPS, LEASES, NODES } from '../../../src/sim/world/api-resource.ts'
import { applyManifest } from '../../../src/sim/world/apply-manifest.ts'
import { jsonOf } from '../../../src/sim/world/json-of.ts'
import { turnsOfLoop } from '../turns-of-loop.ts'
import { settled, virtualRollFile } from '../virtual-roll/article-cluster.ts'
import type { EngineProcess } from '../virtual-roll/engine-process.ts'
import { operateRoll } from '../virtual-roll/operate-roll.ts'
import type { Outside } from '../virtual-roll/roll-ports.ts'
import { letPodsWait } from '../virtual-roll/swarm/let-pods-wait.ts'
import { withPodsKind } from '../virtual-roll/swarm/pods-kind.ts'
import { eventText } from '../virtual-roll/swarm/seed-report.ts'
import { VirtualRoll } from '../virtual-roll/virtual-roll.ts'
import { FleetControllers } from './fleet-controller.ts'
import { BUDGET, FleetEyes } from './fleet-eyes.ts'
import { FleetJudge } from './fleet-judge.ts'
import { FleetLuck, SLOWEST_MS } from './fleet-luck.ts'
import { FleetPersons } from './fleet-persons.ts'
import type { FleetReport } from './fleet-report.ts'
import { type FleetRoll, type FleetScenario, fleetScenario } from './fleet-scenario.ts'

/** From the healing on: no roll may take longer, whatever was broken. */
const BACK_WITHIN_MS = 30 * 60_000
const SLOT_MS = 15_000
/** Heartbeats as of real clusters cost less, and take longer to tell of a machine that is gone. */
const FEW_NODES = 20
/** A plan that was refused, or could not be read, is asked for again. */
const PLAN_AGAIN_MS = 3_000
const LOOK_EVERY_MS = 1_000
/** Balancers, the brake and the node monitor come to rest. */
const REST_MS = 20_000
const REST_LIMIT_MS = 5 * 60_000
/** Requests of a pass that was decided before: a reading of some calls one after the other, and the write. */
const CALLS_OF_A_PASS = 6

/** One random fleet; in the end everything heals, and must be as it was. */
export async function runFleet(seed: string): Promise<FleetReport> {
  const scenario = fleetScenario(seed)
  const cluster = await fleetCluster(scenario)
  try {
    return await new FleetRun(scenario, cluster).toItsEnd()
  } finally {
    cluster.end()
  }
}

async function fleetCluster({ seed, nodes, pods = {} }: FleetScenario): Promise<VirtualCluster> {
  const cluster = new VirtualCluster(
    {
      seed: `fleet ${seed}`,
      startAt: wallMs(Date.UTC(2026, 0, 1)),
      nodes,
      darkMs: 2_000,
      manifests: withPodsKind(whoami({ service: 'improved', graceSeconds: 1 }), pods),
      balancer: {
        fronts: [{ backend: 'web', port: 18080, nodePort: WHOAMI_PORT }],
        check: { interMs: nodes > FEW_NODES ? 5_000 : 2_000, fall: 3, rise: 2 },
      },
      ...(nodes > FEW_NODES ? { pace: 'usual' } : {}),
      ...present({ shutdownGraceMs: pods.shutdownGraceMs }),
    },
    turnsOfLoop,
  )
  letPodsWait(cluster, cluster.nodes.slice(0, FEW_NODES), pods)
  await settled(cluster)
  return cluster
}

const rollFileOf = ({ nodes, maxOut }: FleetRoll): string =>
  virtualRollFile({
    spec: {
      nodes: { names: nodes },
      balancers: [{ name: 'lb', instances: [{ name: 'lb-1', socket: '/run/haproxy.sock' }], backends: ['web'] }],
      probes: undefined,
      baseline: undefined,
      settle: { limit: '30s', timesInARow: 2 },
      attach: { limit: '30s' },
      slots: { leaseDuration: '15s', ...(maxOut === undefined ? {} : { maxOut }) },
      detach: { idleLimit: '5s' },
      drain: { blockedLimit: '20s', stageLimit: '30s' },
      soak: '1s',
    },
  })

class FleetRun {
  readonly #scenario: FleetScenario
  readonly #cluster: VirtualCluster
  readonly #random: SeededRandom
  readonly #judge: FleetJudge
  readonly #eyes: FleetEyes
  readonly #luck: FleetLuck
  readonly #persons: FleetPersons
  readonly #controllers: FleetControllers
  readonly #done = new Set<string>()
  readonly #hash = createHash('sha256')
  readonly #maxOutOfRun = new Map<string, number>()
  readonly #processes: EngineProcess[] = []
  readonly #startedMs: number

  constructor(scenario: FleetScenario, cluster: VirtualCluster) {
    this.#scenario = scenario
    this.#cluster = cluster
    this.#random = new SeededRandom(`fleet ${scenario.seed} operator`)
    this.#startedMs = cluster.time.monoMs()
    const { nodes, brakeMax, api } = scenario
    const reactionMs = api.length === 0 ? 1_000 : CALLS_OF_A_PASS * SLOWEST_MS
    const ill = api.map(({ fromMs, toMs }) => ({ fromMs: this.#startedMs + fromMs, toMs: this.#startedMs + toMs }))
    this.#judge = new FleetJudge({
      ...{ nodes, brakeMax, reactionMs, ill },
      maxOutOfRun: this.#maxOutOfRun,
      slotMs: SLOT_MS,
    })
    this.#eyes = new FleetEyes(cluster, (facts) => this.#judge.see(facts))
    this.#luck = new FleetLuck(scenario, this.#random.fork('luck'), () => this.#sinceMs)
    this.#persons = new FleetPersons(cluster, this.#random.fork('persons'))
    this.#controllers = new FleetControllers({
      ...{ cluster, scenario, luck: this.#luck, done: this.#done },
      slotDurationMs: SLOT_MS,
    })
    for (const resource of [NODES, LEASES, CONFIG_MAPS])
      cluster.world.store.subscribe(resource, ({ revision, object }) => this.#note(`${revision} ${jsonOf(object)}`))
  }

  async toItsEnd(): Promise<FleetReport> {
    const { time } = this.#cluster
    try {
      await time.settle(this.#operate(), this.#scenario.healAtMs + BACK_WITHIN_MS)
    } catch (error) {
      this.#tell('everything-returns', error instanceof Error ? error.message : String(error))
    }
    const virtualMs = time.monoMs() - this.#startedMs
    this.#controllers.end()
    this.#eyes.end()
    for (const error of this.#controllers.errors) this.#tell('thrown', error)
    const { violations, most } = this.#judge
    return {
      seed: this.#scenario.seed,
      digest: this.#hash.digest('hex'),
      violations,
      nodes: this.#scenario.nodes,
      processes: this.#processes.length,
      virtualMs,
      most,
      deaths: this.#luck.deaths,
      events: violations.length === 0 ? [] : this.#processes.flatMap(({ events }) => events.map(eventText)),
    }
  }

  get #sinceMs(): number {
    return this.#cluster.time.monoMs() - this.#startedMs
  }

  async #operate(): Promise<void> {
    const { budget, outages, personsEveryMs, rolls, healAtMs } = this.#scenario
    const { time } = this.#cluster
    for (const { atMs, maxOut } of budget) time.later(atMs, () => this.#setBudget(maxOut))
    for (const { node, fromMs, forMs } of outages) time.later(fromMs, () => this.#cutPower(node, forMs))
    if (personsEveryMs !== undefined) this.#persons.begin(personsEveryMs)
    this.#controllers.begin()
    this.#lookAgain()
    await Promise.all(rolls.map((roll, i) => this.#roll(roll, `000${i}`)))
    await this.#sleep(Math.max(0, healAtMs - this.#sinceMs))
    await this.#until(() => this.#scenario.controller.nodes.every((name) => this.#done.has(name)))
    await this.#until(() => this.#luck.isHealed && this.#persons.takeAllBack())
    await this.#sleep(REST_MS)
    await this.#until(() => this.#isBack, REST_LIMIT_MS)
    this.#judge.end(this.#eyes.facts())
  }

  /** Nothing is left to judge by then but what is left for good. */
  get #isBack(): boolean {
    const { nodes, slots } = this.#eyes.facts()
    return slots.length === 0 && nodes.every(({ isReady }) => isReady)
  }

  async #roll(scenario: FleetRoll, name: string): Promise<void> {
    await this.#sleep(scenario.beginsAtMs)
    const outside = this.#outside((text) => this.#judge.read(roll.run, text, this.#cluster.time.monoMs()))
    const roll: VirtualRoll = new VirtualRoll(this.#cluster, rollFileOf(scenario), { name, ...outside })
    const first = await this.#begun(roll)
    if (scenario.maxOut !== undefined) this.#maxOutOfRun.set(roll.run, scenario.maxOut)
    await operateRoll({
      roll,
      first,
      pauseMs: () => this.#random.between(500, 4_000),
      word: () => 'resume',
      onProcess: (process) => this.#processes.push(process),
    })
  }

  /** Tries again once the plan was refused, as a person does. */
  async #begun(roll: VirtualRoll): Promise<EngineProcess> {
    for (;;) {
      try {
        return await roll.begun()
      } catch (error) {
        if (!(error instanceof WorldError) && !(error instanceof UserError)) throw error
        const isLate = this.#sinceMs > this.#scenario.healAtMs + REST_LIMIT_MS
        if (isLate) throw error
        await this.#sleep(PLAN_AGAIN_MS)
      }
    }
  }

  /** `onRead`: what the budget says was answered. */
  #outside(onRead: (maxOut: string | undefined) => void): Outside {
    const { onEffect, passageOf } = this.#luck
    return {
      onEffect,
      passageOf,
      witness: (request) => {
        if (request.kind === 'api' && request.request.method === 'GET' && request.request.path.endsWith(`/${BUDGET}`))
          return () => onRead(this.#eyes.facts().maxOut)
        if (request.kind === 'reboot') this.#note(`reboot ${request.node}`)
        if (request.kind !== 'balancer' || !request.line.includes('set server')) return undefined
        this.#note(request.line)
        this.#cluster.time.later(0, () => this.#eyes.look())
        return undefined
      },
    }
  }

  #setBudget(maxOut: string | undefined): void {
    const { world } = this.#cluster
    const key = { namespace: 'evenkeel', name: BUDGET }
    if (maxOut === undefined) return void world.store.remove(CONFIG_MAPS, key)
    applyManifest(world, { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data: { maxOut } })
  }

  #cutPower(node: string, forMs: number): void {
    const machine = this.#cluster.machines.get(node)
    const isTheirs = this.#eyes.facts().nodes.some(({ name, recordedBy }) => name === node && recordedBy !== undefined)
    if (isTheirs || machine?.isOn !== true) return
    machine.powerCut()
    this.#cluster.time.later(forMs, () => machine.powerOn())
  }

  /** What no change of an object tells; and once all has healed, what persons have taken is theirs no more. */
  #lookAgain(): void {
    this.#eyes.look()
    if (this.#luck.isHealed) {
      this.#persons.takeAllBack()
      if (this.#eyes.facts().maxOut === 'many') this.#setBudget('1')
    }
    this.#cluster.time.later(LOOK_EVERY_MS, () => this.#lookAgain())
  }

  async #until(holds: () => boolean, limitMs = BACK_WITHIN_MS): Promise<void> {
    for (const untilMs = this.#sinceMs + limitMs; !holds() && this.#sinceMs < untilMs; )
      await this.#sleep(LOOK_EVERY_MS)
  }

  #sleep(ms: number): Promise<void> {
    return this.#cluster.time.sleep(ms, new AbortController().signal)
  }

  #tell(checker: string, text: string): void {
    this.#judge.violations.push({ checker, atMs: this.#cluster.time.monoMs(), text })
  }

  #note(text: string): void {
    this.#hash.update(`${this.#cluster.time.monoMs()} ${text}\n`)
  }
}
