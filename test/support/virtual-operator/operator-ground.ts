import assert from 'node:assert/strict'
import { parse } from 'yaml'
import { kubeObjects } from '../../../src/ground/kube/kube-objects.ts'
import { EventRecorder } from '../../../src/ground/loop/event-recorder.ts'
import type { RollSchedule } from '../../../src/operator/model/roll-schedule.ts'
import { fileOfRoll } from '../../../src/operator/reading/file-faults.ts'
import { fleetLockGroup } from '../../../src/operator/reading/fleet-lock-group.ts'
import { JournalRuns } from '../../../src/operator/reading/journal-runs.ts'
import { scheduleFaults, scheduleTimes } from '../../../src/operator/reading/schedule-times.ts'
import { FleetLock } from '../../../src/operator/run/fleet-lock.ts'
import { RollLoop } from '../../../src/operator/run/roll-loop.ts'
import { ScheduleLoop } from '../../../src/operator/run/schedule-loop.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import type { ApiObject } from '../../../src/sim/world/api-object.ts'
import { JOBS, LEASES, NODES, ROLL_SCHEDULES, ROLLS } from '../../../src/sim/world/api-resource.ts'
import { applyManifest } from '../../../src/sim/world/apply-manifest.ts'
import { deleteObject } from '../../../src/sim/world/delete-object.ts'
import { MERGE_PATCH, patchObject } from '../../../src/sim/world/patch-object.ts'
import { virtualRollFile } from '../virtual-roll/article-cluster.ts'
import { type ProcessOutside, ProcessPorts } from '../virtual-roll/process-ports.ts'
import { RUNNER_IMAGE, VirtualJournals, VirtualRunner } from './virtual-runner.ts'

const NAMESPACE = 'evenkeel'

/** As an administrator writes it. */
const TEMPLATE = {
  backoffLimit: 6,
  podReplacementPolicy: 'Failed',
  podFailurePolicy: {
    rules: [
      { action: 'FailJob', onExitCodes: { containerName: 'roll', operator: 'In', values: [2, 3] } },
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
      { action: 'Ignore', onExitCodes: { containerName: 'roll', operator: 'In', values: [130] } },
    ],
  },
  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'roll', image: RUNNER_IMAGE }] } },
}

/** The way to the balancer and the machines, which the embedded cluster has no Secret and no network for. */
const ALLOWED = ['/run/haproxy.sock', '/etc/ssh/ssh_config', ['systemctl', 'reboot']]

type Json = Readonly<Record<string, unknown>>

const LIFE = new AbortController().signal

export interface OperatorOutside extends ProcessOutside {
  /** False: it stands by, and another process leads. */
  readonly isLeading?: boolean
}

/** One process of the controller that carries out Rolls. */
export class OperatorProcess {
  readonly ports: ProcessPorts
  readonly loop: RollLoop
  error: unknown
  readonly #parts: Pick<ConstructorParameters<typeof FleetLock>[0], 'objects' | 'clock' | 'log' | 'namespace'>
  /** Told of it as well. */
  onError: (error: unknown) => void = () => undefined

  constructor(cluster: VirtualCluster, journals: VirtualJournals, name: string, outside: OperatorOutside = {}) {
    this.ports = new ProcessPorts({ cluster, outside, name })
    const { clock, random } = this.ports
    const objects = kubeObjects(this.ports.follows())
    const parts = {
      ...{ objects, clock, random, namespace: NAMESPACE },
      notices: new EventRecorder({ objects, clock, random, identity: name }),
      leader: { mayActForMs: () => (outside.isLeading === false ? 0 : 60_000) },
      log: { debug: () => undefined, warn: () => undefined },
    }
    this.#parts = parts
    this.loop = new RollLoop({
      ...{ ...parts, template: TEMPLATE },
      runs: new JournalRuns(journals),
      fileOf: (roll, spec) => fileOfRoll(roll, spec, ALLOWED),
    })
    const schedules = new ScheduleLoop({
      ...parts,
      faultsOf: (schedule) => scheduleFaults(schedule, ALLOWED),
      timesOf: scheduleTimes,
    })
    this.#run(this.loop.run(LIFE), schedules.run(LIFE))
  }

  /** Clients are answered as well. */
  answers(): FleetLock {
    const groupOf = (schedule: RollSchedule) => fleetLockGroup(schedule, ALLOWED)
    const fleetLock = new FleetLock({ ...this.#parts, groupOf })
    this.#run(fleetLock.run(LIFE))
    return fleetLock
  }

  #run(...work: readonly Promise<unknown>[]): void {
    Promise.all(work).catch((error: unknown) => {
      if (this.ports.lifeline.isDead) return
      this.error = error
      this.onError(error)
    })
  }

  kill(): void {
    this.ports.lifeline.cut()
  }
}

/** A cluster in virtual time on which people apply Rolls, and pods run them. */
export class OperatorGround {
  readonly cluster: VirtualCluster
  readonly journals = new VirtualJournals()
  readonly runner: VirtualRunner
  /** Writes of controllers, and of others to Rolls, as `PATCH rolls/kernel`. */
  readonly writes: string[] = []
  #processes = 0

  constructor(cluster: VirtualCluster) {
    this.cluster = cluster
    this.runner = new VirtualRunner({ cluster, journals: this.journals })
    for (const resource of [ROLLS, JOBS])
      cluster.world.store.subscribe(resource, ({ type, object }) => {
        const { state = '', message = '' } = (object.status ?? {}) as Json
        const at = (cluster.time.monoMs() / 1_000).toFixed(1)
        if (resource === ROLLS) this.#names.set(object.metadata.uid, object.metadata.name)
        this.writes.push(`${at} ${type} ${resource.plural}/${object.metadata.name} ${String(state)} ${String(message)}`)
      })
  }

  begin(outside: OperatorOutside = {}): OperatorProcess {
    this.#processes += 1
    return new OperatorProcess(this.cluster, this.journals, `controller ${this.#processes}`, outside)
  }

  /** A Roll over all nodes that ends soon. */
  apply(name: string, spec: Json = {}): void {
    const { spec: file } = parse(virtualRollFile({ spec: BRISK, rate: 20 })) as { readonly spec: Json }
    applyManifest(this.cluster.world, {
      apiVersion: 'evenkeel.dev/v1alpha1',
      kind: 'Roll',
      metadata: { namespace: NAMESPACE, name },
      spec: { ...file, ...spec },
    })
  }

  /** Names of all Rolls there were, by UID. */
  readonly #names = new Map<string, string>()

  /** A RollSchedule of such Rolls. `fields` are of their file. */
  schedule(name: string, spec: Json, fields: Json = {}): void {
    const { spec: file } = parse(virtualRollFile({ spec: BRISK, rate: 20 })) as { readonly spec: Json }
    applyManifest(this.cluster.world, {
      apiVersion: 'evenkeel.dev/v1alpha1',
      kind: 'RollSchedule',
      metadata: { namespace: NAMESPACE, name },
      spec: { ...spec, template: { spec: { ...file, ...fields } } },
    })
  }

  /** Its Node says that it needs a reboot. */
  need(name: string): void {
    const node = this.cluster.world.store.get(NODES, { name })
    assert.ok(node)
    const { conditions = [] } = (node.status ?? {}) as { readonly conditions?: readonly object[] }
    const needs = { type: 'RebootRequired', status: 'True', reason: 'File', message: 'x' }
    this.cluster.world.store.put(NODES, {
      ...node,
      status: { ...(node.status as object), conditions: [...conditions, needs] },
    })
  }

  /** By name: their states. */
  rolls(): Readonly<Record<string, string>> {
    const all = [...this.cluster.world.store.all(ROLLS)]
    return Object.fromEntries(all.map(({ metadata }) => [metadata.name, this.state(metadata.name)]))
  }

  scheduleStatus(name: string): Json {
    return (this.cluster.world.store.get(ROLL_SCHEDULES, { namespace: NAMESPACE, name })?.status ?? {}) as Json
  }

  patch(name: string, spec: Json): void {
    this.#merge(name, { spec })
  }

  annotate(name: string, key: string, value: string): void {
    this.#merge(name, { metadata: { annotations: { [key]: value } } })
  }

  #merge(name: string, patch: Json): void {
    const old = this.object(name)
    assert.ok(old)
    patchObject(this.cluster.world, { resource: ROLLS, old, patch, contentType: MERGE_PATCH, statusOnly: false })
  }

  remove(name: string): void {
    const old = this.object(name)
    assert.ok(old)
    deleteObject(this.cluster.world, { resource: ROLLS, old, options: {} })
  }

  object(name: string): ApiObject | undefined {
    return this.cluster.world.store.get(ROLLS, { namespace: NAMESPACE, name })
  }

  status(name: string): Json {
    return (this.object(name)?.status ?? {}) as Json
  }

  state(name: string): string {
    return String(this.status(name).state ?? '')
  }

  jobs(): readonly string[] {
    return [...this.cluster.world.store.all(JOBS)].map(({ metadata }) => metadata.name)
  }

  boots(): readonly number[] {
    return this.cluster.nodes.map((node) => this.cluster.machines.get(node)?.boots ?? 0)
  }

  /** The Roll of that run. */
  rollOf(run: string): string | undefined {
    const key = this.journals.kept.get(run)?.journal.entries.find(({ onceKey }) => onceKey !== undefined)?.onceKey
    return this.#names.get(String(key))
  }

  isWrong(name: string): boolean {
    return (this.object(name)?.spec as Json | undefined)?.soak === 'for ever'
  }

  /** What happened to Rolls and their Jobs. */
  history(): readonly string[] {
    return this.writes
  }

  end(): void {
    this.cluster.end()
  }

  /** What a roll must not leave behind. */
  leftovers(): readonly string[] {
    const { store } = this.cluster.world
    const nodes = [...store.all(NODES)].flatMap(({ metadata, spec }) => [
      ...((spec as { readonly unschedulable?: boolean }).unschedulable === true
        ? [`${metadata.name} is cordoned`]
        : []),
      ...Object.keys(metadata.annotations ?? {})
        .filter((key) => key.startsWith('evenkeel.dev/'))
        .map((key) => `${metadata.name} has ${key}`),
    ])
    const slots = [...store.all(LEASES)].flatMap(({ metadata, spec }) => {
      const { holderIdentity = '' } = spec as { readonly holderIdentity?: string }
      return metadata.name.startsWith('evenkeel-slot') && holderIdentity !== '' ? [`${metadata.name} is held`] : []
    })
    return [...nodes, ...slots]
  }

  async until(what: string, is: () => boolean, seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      if (is()) return
      await this.cluster.time.advance(1_000)
    }
    assert.ok(is(), `${what} within ${seconds} s: ${JSON.stringify(this.cluster.world.store.all(ROLLS))}`)
  }
}

const BRISK = { soak: '1s', baseline: { duration: '1s' }, settle: { limit: '2min', timesInARow: 1 } }
