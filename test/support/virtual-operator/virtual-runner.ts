import { UserError } from '../../../src/ground/model/user-error.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { planBlocked } from '../../../src/roll/cli/screen/plan-blocked.ts'
import { planRefusal } from '../../../src/roll/cli/screen/plan-refusal.ts'
import { onceAnswer } from '../../../src/roll/decide/resume/once.ts'
import type { OwnPod } from '../../../src/roll/model/own-pod.ts'
import type { JournalStore, StoredJournal } from '../../../src/roll/ports/journal.ts'
import { isJournaledEvent } from '../../../src/roll/run/journaled-event.ts'
import { resumeRun } from '../../../src/roll/run/resume-run.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import type { ContainerSpec, NodePod } from '../../../src/sim/machines/node-pod.ts'
import type { ContainerProcess } from '../../../src/sim/plane/data-plane.ts'
import { CONFIG_MAPS } from '../../../src/sim/world/api-resource.ts'
import type { EngineProcess } from '../virtual-roll/engine-process.ts'
import type { MemoryJournal } from '../virtual-roll/memory-journal.ts'
import { ABORTED } from '../virtual-roll/operate-roll.ts'
import type { Outside } from '../virtual-roll/roll-ports.ts'
import { VirtualRoll } from '../virtual-roll/virtual-roll.ts'

export const RUNNER_IMAGE = 'evenkeel/runner'
const [KILLED, INTERRUPTED, FAILED] = [137, 130, 1]

/** The journals of all runs, as if in the cluster. */
export class VirtualJournals implements Pick<JournalStore, 'read' | 'runs'> {
  readonly kept = new Map<string, { readonly journal: MemoryJournal; readonly roll: VirtualRoll }>()

  async read(run: string): Promise<StoredJournal> {
    const found = this.kept.get(run)
    if (found === undefined) throw new UserError(`no run ${run}`, { code: 'journal.unknown-run' })
    const { header, entries } = found.journal
    return { header, entries }
  }

  async runs(): ReturnType<JournalStore['runs']> {
    return [...this.kept.values()].reverse().map(({ journal: { header } }) => ({ run: header.run, header }))
  }
}

interface RunnerParts {
  readonly cluster: VirtualCluster
  readonly journals: VirtualJournals
  readonly outside?: Outside
  /** Of each process of an engine. */
  readonly onProcess?: (process: EngineProcess) => void
}

/** What the image of a run does in a pod of the embedded cluster: `evenkeel roll` with the arguments of its container. */
export class VirtualRunner {
  readonly #parts: RunnerParts
  #count = 0
  /** Runs that a process has in work. */
  readonly busy = new Set<string>()
  /** By the UID of their pods. */
  readonly #processes = new Map<string, RunnerProcess>()

  constructor(parts: RunnerParts) {
    this.#parts = parts
    parts.cluster.machines.images.give(RUNNER_IMAGE, (pod, container) => this.#start(pod, container))
  }

  /** `kill -9` of its process. */
  kill(pod: string): void {
    this.#processes.get(pod)?.kill()
  }

  #start(pod: NodePod, container: ContainerSpec): ContainerProcess {
    const process = new RunnerProcess((started) => this.#run(pod, container.args ?? [], started))
    this.#processes.set(pod.metadata.uid, process)
    return process
  }

  async #run(pod: NodePod, args: readonly string[], process: RunnerProcess): Promise<number> {
    const { namespace = '', name, uid } = pod.metadata
    const ownPod: OwnPod = { namespace, name, uid, node: pod.spec.nodeName ?? '' }
    try {
      const engine = await this.#engine(args, ownPod, process)
      if (typeof engine === 'number') return engine
      this.#parts.onProcess?.(engine)
      process.engine = engine
      const end = await engine.ended
      return end === 'died' ? KILLED : end.exitCode
    } catch (error) {
      if (process.isOver) return KILLED
      if (error instanceof WorldError) return FAILED
      if (error instanceof UserError) return error.code === 'plan.blocked' ? 3 : 2
      throw error
    } finally {
      this.busy.delete(process.run)
    }
  }

  async #engine(args: readonly string[], ownPod: OwnPod, process: RunnerProcess): Promise<EngineProcess | number> {
    const [, task = ''] = args
    const key = args.find((word) => word.startsWith('--once='))?.slice('--once='.length)
    if (key === undefined) return this.#goOn(args[2] ?? '', { ownPod, process, isAbort: task === 'abort' })
    const found = [...this.#parts.journals.kept.values()].find(({ journal }) =>
      journal.entries.some(({ onceKey }) => onceKey === key),
    )
    if (found === undefined) return this.#begin(key, ownPod, process)
    const answer = onceAnswer(found.journal.entries.filter(isJournaledEvent))
    if (answer.kind === 'goOn') return this.#goOn(found.journal.header.run, { ownPod, process, keepsVerdict: true })
    const { end } = answer
    return end.type === 'roll.ended' && end.outcome !== 'aborted' ? end.exitCode : FAILED
  }

  async #begin(onceKey: string, ownPod: OwnPod, process: RunnerProcess): Promise<EngineProcess | number> {
    const { cluster, journals, outside = {} } = this.#parts
    this.#count += 1
    const file = fileOf(cluster, ownPod)
    const name = String(this.#count).padStart(4, '0')
    const roll = new VirtualRoll(cluster, file, { ...outside, ...onMachine(cluster, ownPod, process), name })
    const plan = await roll.planned()
    const refusal = planRefusal(plan) ?? planBlocked(plan)
    if (refusal !== undefined) throw refusal
    if (process.isOver) return KILLED
    const engine = await roll.begun({ ownPod, onceKey })
    const { journal } = roll
    journals.kept.set(journal.header.run, { journal, roll })
    this.#take(journal.header.run, process)
    return engine
  }

  async #goOn(run: string, how: GoingOn): Promise<EngineProcess | number> {
    const { ownPod, process, isAbort = false, keepsVerdict } = how
    const found = this.#parts.journals.kept.get(run)
    if (found === undefined) throw new UserError(`no run ${run}`, { code: 'journal.unknown-run' })
    if (this.busy.has(run)) return FAILED
    this.#take(run, process)
    const { cluster, outside = {} } = this.#parts
    const { journal } = found
    this.#count += 1
    const name = `${run.slice(-4)}-${this.#count}`
    const place = { ...outside, ...onMachine(cluster, ownPod, process), name }
    const roll = new VirtualRoll(cluster, fileOf(cluster, ownPod), place)
    roll.journal = journal
    const opened = journal.opened(async (entry) => journal.append(entry))
    const verdict = isAbort ? { verdict: ABORTED } : {}
    const resumed = await resumeRun({ journal: opened, ...verdict, ...(keepsVerdict === true ? { keepsVerdict } : {}) })
    if (process.isOver) return KILLED
    return roll.process({ ...resumed.run, ownPod }, resumed.firstSeq)
  }

  #take(run: string, process: RunnerProcess): void {
    this.busy.add(run)
    process.run = run
  }
}

interface GoingOn {
  readonly ownPod: OwnPod
  readonly process: RunnerProcess
  readonly isAbort?: boolean
  readonly keepsVerdict?: true
}

/** The ConfigMap that the pod mounts. */
function fileOf(cluster: VirtualCluster, { namespace, name }: OwnPod): string {
  const configMap = name.replace(/-\d+-[a-z0-9]+$/, '')
  const found = cluster.world.store.get(CONFIG_MAPS, { namespace, name: configMap })
  return (found as { readonly data?: Readonly<Record<string, string>> } | undefined)?.data?.['roll.yaml'] ?? ''
}

/** A process dies with its machine. */
function onMachine(cluster: VirtualCluster, { node }: OwnPod, process: RunnerProcess): Outside {
  const machine = cluster.machines.get(node)
  const boots = machine?.boots
  return {
    passageOf: () => {
      if (machine?.isOn === true && machine.boots === boots) return { kind: 'passes' }
      process.lose()
      return { kind: 'refused' }
    },
  }
}

/** The process in the container. */
class RunnerProcess implements ContainerProcess {
  engine: EngineProcess | undefined
  run = ''
  #exit: ((code: number) => void) | undefined
  #code: number | undefined
  #isTerminated = false

  constructor(work: (process: RunnerProcess) => Promise<number>) {
    void work(this).then((code) => this.#exited(this.#isTerminated && this.engine === undefined ? INTERRUPTED : code))
  }

  get isOver(): boolean {
    return this.#code !== undefined || this.#isTerminated
  }

  isReady(): boolean {
    return true
  }

  terminate(): void {
    this.#isTerminated = true
    this.engine?.interrupt()
  }

  kill(): void {
    this.lose()
    this.#exited(KILLED)
  }

  /** Its machine has lost its power. */
  lose(): void {
    this.engine?.kill()
  }

  onExit(run: (code: number) => void): void {
    this.#exit = run
    if (this.#code !== undefined) run(this.#code)
  }

  remove(): void {
    this.kill()
  }

  #exited(code: number): void {
    if (this.#code !== undefined) return
    this.#code = code
    this.#exit?.(code)
  }
}
