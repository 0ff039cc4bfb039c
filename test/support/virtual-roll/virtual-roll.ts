import { toIso } from '../../../src/ground/model/time.ts'
import { planRefusal } from '../../../src/roll/cli/screen/plan-refusal.ts'
import { PLANNED_SPANS, withTimes } from '../../../src/roll/decide/plan/with-times.ts'
import { loadRollFile } from '../../../src/roll/file/load-roll-file.ts'
import { timeWindowsOf } from '../../../src/roll/file/time-window-spans.ts'
import type { RollPlan } from '../../../src/roll/model/roll-plan.ts'
import type { RollSpec } from '../../../src/roll/model/roll-spec.ts'
import type { Verdict } from '../../../src/roll/model/verdict.ts'
import { prepare } from '../../../src/roll/run/prepare.ts'
import { plannedEntry, runFromJournal } from '../../../src/roll/run/run-from-journal.ts'
import { chosenBy, knownBy, newRun, type RunState } from '../../../src/roll/run/run-state.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { EngineProcess } from './engine-process.ts'
import { MemoryJournal } from './memory-journal.ts'
import { type Outside, RollPorts } from './roll-ports.ts'

const CLUSTER_NAME = 'virtual'
const PLAN_LIMIT_MS = 60_000

/** One roll of a virtual cluster by one roll.yaml, each process with ports of its own. */
export class VirtualRoll {
  readonly cluster: VirtualCluster
  readonly spec: RollSpec
  readonly #outside: Outside
  readonly #name: string
  #processes = 0
  #journal: MemoryJournal | undefined

  /** `name`: four letters or digits at the end of its run's name, which tell rolls apart that begin together. */
  constructor(cluster: VirtualCluster, file: string, { name = '0001', ...outside }: Outside & { name?: string } = {}) {
    this.cluster = cluster
    this.spec = loadRollFile({ file: 'roll.yaml', text: file })
    this.#name = name
    this.#outside = outside
  }

  get journal(): MemoryJournal {
    if (this.#journal === undefined) throw new Error('nothing was begun')
    return this.#journal
  }

  set journal(journal: MemoryJournal) {
    this.#journal = journal
  }

  /** Its run's name; empty while nothing is begun. */
  get run(): string {
    return this.#journal?.header.run ?? ''
  }

  /** What its processes are called in the slot, where they put back what a lost journal left. */
  get restoresAs(): string | undefined {
    return this.journal.entries.find(({ type }) => type === 'planned')?.restoresAs as string | undefined
  }

  plan(): Promise<RollPlan> {
    return this.cluster.time.settle(this.planned(), PLAN_LIMIT_MS)
  }

  begin(): Promise<EngineProcess> {
    return this.cluster.time.settle(this.begun(), PLAN_LIMIT_MS)
  }

  /** For a test that drives time itself. */
  async begun(asked: Pick<RunState, 'ownPod' | 'onceKey'> = {}): Promise<EngineProcess> {
    const plan = await this.planned()
    const refusal = planRefusal(plan)
    if (refusal !== undefined) throw refusal
    const now = this.cluster.time.wallMs()
    const order = plan.nodes.map(({ node }) => node)
    const run = newRun(
      { spec: this.spec, order, ...chosenBy(plan), ...knownBy(plan), ...asked },
      { wall: now, suffix: this.#name },
    )
    const at = toIso(now)
    this.#journal = new MemoryJournal({ at, type: 'journal', v: 1, run: run.id, cluster: 'uid', tool: '0' })
    this.#journal.append(plannedEntry(run, { at, clusterName: CLUSTER_NAME }))
    return this.process(run, 0)
  }

  resume(verdict?: Verdict): EngineProcess {
    const { header, entries } = this.journal
    const { run, firstSeq } = runFromJournal({ header, entries })
    return this.process({ ...run, verdict }, firstSeq)
  }

  async planned(): Promise<RollPlan> {
    const { cluster, configMaps, balancers, endpoints, host, clock } = this.ports()
    const readers = [...balancers, ...endpoints]
    const parts = {
      spec: this.spec,
      clusterName: CLUSTER_NAME,
      cluster,
      configMaps,
      balancers: readers,
      host,
      clock,
      wall: this.cluster.time.wallMs(),
    }
    const plan = await prepare(parts, new AbortController().signal)
    const { window } = this.spec
    if (window === undefined) return plan
    const windows = timeWindowsOf(window)
    const spans = windows.spansFrom(parts.wall, PLANNED_SPANS)
    return withTimes(plan, { spec: this.spec, wall: parts.wall, spans, longestMs: windows.longestMs(parts.wall) })
  }

  /** A process that goes on with the run, by the journal that the roll has now. */
  process(run: RunState, firstSeq: number): EngineProcess {
    return new EngineProcess({ run, firstSeq, clusterName: CLUSTER_NAME, journal: this.journal, ports: this.ports() })
  }

  /** Of a process of its own. */
  ports(): RollPorts {
    this.#processes += 1
    const name = `process ${this.#processes} of ${this.#name}`
    return new RollPorts({ cluster: this.cluster, spec: this.spec, outside: this.#outside, name })
  }
}
