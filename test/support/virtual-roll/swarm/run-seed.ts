import { SeededRandom } from '../../../../src/sim/clocks/seeded-random.ts'
import type { VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import { LEASES } from '../../../../src/sim/world/api-resource.ts'
import { settled } from '../article-cluster.ts'
import { LossLog } from '../checkers/loss-log.ts'
import { Scene } from '../checkers/scene.ts'
import { type WatchedWorld, watchWorld } from '../checkers/watch-world.ts'
import type { EngineProcess } from '../engine-process.ts'
import type { EngineRequest } from '../engine-request.ts'
import { operateRoll } from '../operate-roll.ts'
import type { ReturningClient } from '../returning-client.ts'
import { VirtualRoll } from '../virtual-roll.ts'
import { type BuiltWorld, buildWorld } from './build-world.ts'
import { Digest } from './digest.ts'
import { fileScenarioOf } from './file-draw.ts'
import { FilePrograms } from './file-programs.ts'
import { SLOT } from './hand-faults.ts'
import { FIRST_ROLL, OutsideFaults } from './outside-faults.ts'
import { politeScenarioOf, type Scenario, scenarioOf } from './scenario.ts'
import { begunInTheEnd, SeedOperator } from './seed-operator.ts'
import { eventText, type SeedReport } from './seed-report.ts'
import { seedRollFile } from './seed-roll-file.ts'
import { StepWatch } from './step-watch.ts'
import { beginClients } from './world-clients.ts'
import { PROBER_HOST, WorldFaults } from './world-faults.ts'

/** From the healing on: nothing may take longer, whatever was broken. */
const BACK_WITHIN_MS = 30 * 60_000
/** Without a common divisor with the rate of the roll's own probe, see there. */
const JUDGED_PER_S = [17, 13]
/** Each batch is looked at: fewer of them make a run cheaper, and change nothing else. */
const BATCH_EVERY_MS = 400
const JUDGED_AFTER_MS = 3_000
const LOOK_AGAIN_MS = 10_000
/** Until everything heals, whatever faults still wait for a step. */
const PENDING_MS = 90_000
const STILL_PENDING_MS = 1_000
/** A process that began less long ago may not have seen yet what it is to keep out. */
const KNOWS_AFTER_MS = 6_000
/** Checks that were under way fail still, and others have to pass. */
const CHECKED_WITHIN_MS = 6_000
/** A slot that was not renewed forbids to act, and the API must have been there for a while to renew it. */
const WELL_FOR_MS = 25_000

/** One random cluster with one random roll and random faults, which all heal; then everything must come back. */
export const runSeed = (seed: string): Promise<SeedReport> => runScenario(scenarioOf(seed))

export const runPoliteSeed = (seed: string): Promise<SeedReport> => runScenario(politeScenarioOf(seed))

export const runFileSeed = (seed: string): Promise<SeedReport> => runScenario(fileScenarioOf(seed))

/** `heard`: what the rolls have the world do, as it is done. */
export async function runScenario(
  scenario: Scenario,
  heard: (request: EngineRequest) => void = () => undefined,
): Promise<SeedReport> {
  const world = await buildWorld(scenario)
  const run = new SeedRun({ scenario, world, heard })
  try {
    return await run.toItsEnd()
  } finally {
    world.end()
    world.cluster.end()
  }
}

interface SeedRunParts {
  readonly scenario: Scenario
  readonly world: BuiltWorld
  readonly heard: (request: EngineRequest) => void
}

class SeedRun {
  readonly #scenario: Scenario
  readonly #heard: SeedRunParts['heard']
  readonly #cluster: VirtualCluster
  readonly #random: SeededRandom
  readonly #scene: Scene
  readonly #faults: OutsideFaults
  readonly #worldFaults: WorldFaults
  readonly #digest: Digest
  readonly #losses: LossLog
  readonly #clients: readonly ReturningClient[]
  readonly #watched: WatchedWorld
  readonly #roll: VirtualRoll
  readonly #steps = new StepWatch()
  readonly #operator: SeedOperator
  readonly #programs: FilePrograms
  #healAtMs: number
  #runningSinceMs = 0
  /** What the process at work is called in the slot, where it puts back what a lost journal left. */
  #restoresAs: string | undefined
  readonly #processes: EngineProcess[] = []

  constructor({ scenario, world: { cluster, agents, detacher }, heard }: SeedRunParts) {
    this.#scenario = scenario
    this.#heard = heard
    this.#cluster = cluster
    this.#random = new SeededRandom(`swarm ${scenario.seed} operator`)
    const detached = scenario.world.balancers.flatMap(({ instances, by }) => (by === 'detacher' ? instances : []))
    this.#scene = new Scene(cluster, { detached })
    this.#scene.isSomebodyThere = () => this.#isSomebodyThere()
    const { faults, cues, spec, healAtMs, world } = scenario
    this.#healAtMs = healAtMs
    this.#faults = new OutsideFaults({
      cluster,
      scene: this.#scene,
      random: this.#random.fork('faults'),
      faults,
      cues,
      steps: this.#steps,
      kill: (next) => this.#operator.kill(next),
    })
    const sinceMs = (): number => this.#faults.sinceMs
    this.#worldFaults = new WorldFaults({
      scene: this.#scene,
      agents,
      detacher,
      world,
      sinceMs,
      onFault: (fault) => this.#faults.noted(fault),
    })
    this.#scene.isInstanceHeard = (instance) => this.#worldFaults.wasHeardSince(instance, WELL_FOR_MS)
    this.#programs = new FilePrograms({ scene: this.#scene, file: scenario.file, sinceMs })
    this.#digest = new Digest(cluster)
    this.#roll = this.#rollBy('0001', spec)
    this.#scene.idleLimitMs = this.#roll.spec.detach.idleLimitMs
    this.#operator = this.#operatorOf(this.#roll)
    const targets = (this.#roll.spec.probe?.targets ?? []).filter(({ control }) => !control)
    if (targets.length === 0) throw new Error('the roll has no probe')
    const judged = targets.map((target, i) => ({ ...target, ratePerSecond: JUDGED_PER_S[i] ?? 11 }))
    this.#losses = new LossLog(cluster, ...judged)
    this.#clients = beginClients(cluster, world, this.#losses)
    this.#watched = watchWorld(this.#scene, this.#losses, scenario.drainsEdge ? ['edge'] : [])
  }

  async toItsEnd(): Promise<SeedReport> {
    const { time } = this.#cluster
    const startedMs = time.monoMs()
    try {
      await time.settle(this.#scene.untilTold(this.#operate()), this.#scenario.healAtMs + BACK_WITHIN_MS)
      await time.advance(Math.max(0, this.#cutOffUntilMs - this.#faults.sinceMs))
      await settled(this.#cluster, (server) => this.#scene.prior.servers.get(server) === 'ready')
      await time.advance(JUDGED_AFTER_MS)
    } catch (error) {
      this.#scene.tell('everything-returns', error instanceof Error ? error.message : String(error))
    }
    const virtualMs = time.monoMs() - startedMs
    await time.settle(this.#losses.stop(), BACK_WITHIN_MS)
    for (const client of this.#clients) client.stop()
    this.#faults.putBackByHand()
    // The taint of a cordon goes a moment after it.
    if (this.#scene.handCordons.size > 0) await time.advance(JUDGED_AFTER_MS)
    this.#programs.end()
    this.#watched.end()
    const { violations } = this.#scene
    return {
      seed: this.#scenario.seed,
      digest: this.#digest.end(this.#losses),
      violations,
      processes: this.#processes.length,
      virtualMs,
      lost: this.#losses.judge.failed,
      cells: this.#faults.counts,
      events: violations.length === 0 ? [] : this.#processes.flatMap(({ events }) => events.map(eventText)),
    }
  }

  /**
   * Of nodes that the balancer does not reach, or whose agents do not answer it: until it has seen that they are back. A roll
   * may end before.
   */
  get #cutOffUntilMs(): number {
    return Math.max(this.#faults.awayUntilMs, this.#worldFaults.awayUntilMs) + CHECKED_WITHIN_MS
  }

  async #operate(): Promise<void> {
    const { time } = this.#cluster
    const first = await this.#roll.begun()
    this.#scene.rolls = 1
    this.#faults.begin()
    this.#worldFaults.begin()
    time.later(this.#scenario.healAtMs, () => this.#heal())
    await Promise.all([this.#operator.operate(first).then(() => this.#scene.firstRollEnded()), this.#operateSecond()])
  }

  /** As soon as nothing is to come any more that a step brings about. */
  #heal(): void {
    if (this.#faults.isPending && this.#faults.sinceMs < PENDING_MS) {
      this.#healAtMs = this.#faults.sinceMs + STILL_PENDING_MS
      this.#cluster.time.later(STILL_PENDING_MS, () => this.#heal())
      return
    }
    this.#faults.heal()
    this.#worldFaults.heal()
    const again = (): void => {
      this.#faults.putBackByHand(this.#runningSinceMs === Number.POSITIVE_INFINITY)
      this.#cluster.time.later(LOOK_AGAIN_MS, again)
    }
    again()
  }

  #operatorOf(roll: VirtualRoll): SeedOperator {
    const { abortAfter, spec, amends } = this.#scenario
    return new SeedOperator({
      scene: this.#scene,
      roll,
      rollAgain: () => this.#rollBy('0003', spec),
      amendedFile: seedRollFile({ ...spec, ...amends }),
      pauseMs: () => this.#pauseMs(),
      word: (ends) => (abortAfter !== undefined && ends >= abortAfter ? 'abort' : 'resume'),
      onProcess: (of, process) => this.#processBegan(of, process),
    })
  }

  #processBegan(roll: VirtualRoll, process: EngineProcess): void {
    this.#follow(roll, FIRST_ROLL, process)
    this.#restoresAs = roll.restoresAs
    this.#runningSinceMs = this.#cluster.time.monoMs()
    void process.ended.then(() => {
      this.#runningSinceMs = Number.POSITIVE_INFINITY
    })
    this.#processes.push(process)
    this.#scene.processBegan(roll.run)
  }

  #follow(roll: VirtualRoll, name: string, process: EngineProcess): void {
    const synced = this.#watched.synced(roll)
    const unnoted = new Set<string>()
    roll.journal.disk = {
      luckOf: ({ type, node }) => {
        const luck = this.#faults.diskLuck(name)
        if (type === 'through' && luck.kind !== 'well') unnoted.add(String(node))
        return luck
      },
      onSynced: (entry) => {
        if (entry.type === 'through') unnoted.delete(String(entry.node))
        synced(entry)
      },
    }
    this.#steps.follow(name, process)
    void process.ended
      .catch(() => undefined)
      .then(() => {
        // The next process cannot know that these are through: their records were taken off without the journal.
        for (const node of unnoted) this.#scene.handBoots.set(node, (this.#scene.handBoots.get(node) ?? 0) + 1)
      })
  }

  /** A second operator, who begins as soon as no error stands in the plan. */
  async #operateSecond(): Promise<void> {
    const { second, spec } = this.#scenario
    if (second === undefined) return
    await this.#cluster.time.sleep(second.atMs, new AbortController().signal)
    const roll = this.#rollBy(SECOND_NAME, { ...spec, nodes: { names: [second.node] } })
    const first = await begunInTheEnd(roll, this.#scene)
    await operateRoll({
      roll,
      first,
      pauseMs: () => this.#pauseMs(),
      word: () => 'resume',
      onProcess: (process) => {
        this.#follow(roll, SECOND_ROLL, process)
        this.#scene.processBegan(roll.run)
      },
    })
  }

  /** People need a while, and wait for what is being repaired. */
  #pauseMs(): number {
    const healsInMs = this.#healAtMs - this.#faults.sinceMs
    const soonMs = this.#random.between(300, 6_000)
    return healsInMs > 0 && this.#random.next() < 0.3 ? healsInMs + soonMs : soonMs
  }

  #isSomebodyThere(): boolean {
    const now = this.#cluster.time.monoMs()
    if (this.#waitsForSlot()) this.#runningSinceMs = Math.max(this.#runningSinceMs, now)
    return now - this.#runningSinceMs > KNOWS_AFTER_MS && this.#faults.wasWellSince(WELL_FOR_MS)
  }

  /** The slot of a run whose journal is lost is taken once it is stale, and nothing may be done before. */
  #waitsForSlot(): boolean {
    const { holderIdentity = '' } = (this.#cluster.world.store.get(LEASES, SLOT)?.spec ?? {}) as {
      holderIdentity?: string
    }
    return this.#restoresAs !== undefined && !holderIdentity.startsWith(`${this.#restoresAs}/`)
  }

  #rollBy(name: string, spec: Readonly<Record<string, unknown>>): VirtualRoll {
    const { isBalancerSilent, ...outside } = this.#faults.outside(name === SECOND_NAME ? SECOND_ROLL : FIRST_ROLL)
    const roll: VirtualRoll = new VirtualRoll(this.#cluster, seedRollFile(spec), {
      ...outside,
      isBalancerSilent: (instance) => isBalancerSilent?.(instance) === true || this.#worldFaults.isSilent(instance),
      ...(this.#scenario.world.control === undefined ? {} : { proberHost: PROBER_HOST }),
      batchEveryMs: BATCH_EVERY_MS,
      programOf: (argv) => this.#programs.run(argv),
      silencer: this.#programs.silencer,
      name,
      witness: (request) => {
        this.#digest.asked(request)
        this.#heard(request)
        if (request.kind === 'reboot') {
          this.#faults.rebooted(request.node)
          this.#programs.reboots(request.node)
        }
        return this.#watched.witness(roll)(request)
      },
    })
    return roll
  }
}

const SECOND_NAME = '0002'
const SECOND_ROLL = 'second'
