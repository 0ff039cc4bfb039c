import type { Node } from '../../ground/model/node.ts'
import type { Sample } from '../../ground/model/probe.ts'
import type { PageOf } from '../../ground/ports/http-door.ts'
import type { LatencySecond } from '../model/latency-second.ts'
import type { StampedEvent } from '../model/roll-event.ts'
import type { RollPlan } from '../model/roll-plan.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import type { RememberedPlace } from '../run/remembered-place.ts'
import type { FileOfRun } from '../run/resume-run.ts'

/** The cluster, and the directory of journals. Absent: the cluster that kubectl would use, and `$XDG_STATE_HOME/evenkeel`. */
export interface RollPlace {
  readonly kubeconfig?: string
  readonly context?: string
  readonly stateDir?: string
}

export interface RollRequest extends RollPlace {
  readonly spec: RollSpec
  /** `--pod`, `namespace/name`: the pod that this process runs in. */
  readonly pod?: string
  /** `--once`: the key by which a later process finds the run. */
  readonly once?: string
  /** `--reason`: why, for people. */
  readonly reason?: string
  /** `--ignore-window`: the user who asked for it. */
  readonly windowIgnoredBy?: string
  /** The plan that a person has just confirmed; absent: it is made anew. */
  readonly plan?: RollPlan
}

/** A roll that was begun before; absent run: the newest one. */
export interface RunRequest extends RollPlace {
  readonly run?: string
  /** `--pod`, `namespace/name`: the pod that this process runs in. */
  readonly pod?: string
  /** No person asked for it: the verdict of the run stays in force, and nodes that are out are only put back or kept out. */
  readonly keepsVerdict?: true
  readonly file?: FileOfRun
  /** `--ignore-window`: the user who asked for it. */
  readonly windowIgnoredBy?: string
}

export interface RollIo {
  /** Every event, in order; everything that is shown is in one of them. `roll.ended` is the last. */
  onEvent(event: StampedEvent): void
  /** Every request of the probe, for metrics only: events have only their totals. */
  onSamples?(samples: readonly Sample[]): void
  /** The first Ctrl-C: finish the write under way, show the state of the node, end. */
  readonly interrupt: AbortSignal
}

/** What the journal of a roll contains. */
export interface RollHistory {
  readonly run: string
  readonly events: readonly StampedEvent[]
  /** A process holds the journal now. */
  readonly running: boolean
  /** The place of the journal, for people. */
  readonly journal: string
  /** The program that began it, and its present settings; absent where its journal ends before. */
  readonly tool?: string
  readonly spec?: RollSpec
  /** How the run reached its cluster; absent in journals of earlier versions. */
  readonly place?: RememberedPlace
  /** Latency of each second, where it was stored. */
  readonly latency?: readonly LatencySecond[]
}

/** One journal of a listing. */
export interface ListedRun extends Pick<RollHistory, 'run'> {
  /** Absent where the journal cannot be read; `problem` says why. */
  readonly history?: RollHistory
  readonly problem?: string
}

/** Where the metrics of a roll are served and written. */
export interface MetricsPlace {
  /** 0: any that is free. */
  readonly at?: { readonly host: string; readonly port: number }
  readonly file?: string
}

export interface OpenMetrics {
  /** The port of the pages; absent where none was asked for. */
  readonly port?: number
  /** Replaces the file, if there is one. Warns once where that fails; never rejects. */
  write(text: string): Promise<void>
}

/**
 * The actions of the roll commands. Wrong input is a UserError and changes nothing. `roll`, `resume` and `abort` settle when
 * nothing is left to do: after `roll.ended`, or later, while a node that must not serve is kept out.
 */
export interface RollActions {
  /** Asks the cluster, the balancers and the machines; changes nothing. */
  plan(request: RollRequest, signal: AbortSignal): Promise<RollPlan>
  roll(request: RollRequest, io: RollIo): Promise<void>
  /** With a file: uses that file from now on, also at a later resume. */
  resume(request: RunRequest, io: RollIo): Promise<void>
  /** With a file it needs no journal: the state before the roll is in the records on the nodes. */
  abort(request: RunRequest, io: RollIo): Promise<void>
  /** The run that has a node of the cluster out, and its journal if it is on this machine. Reads the cluster. */
  leftOut(request: RunRequest, signal: AbortSignal): Promise<Pick<RollHistory, 'run' | 'events'>>
  history(request: RunRequest): Promise<RollHistory>
  /** The Nodes of these names, as the API server has them now; those that exist. Rejects where it cannot be asked. */
  nodesNow(request: RollPlace, nodes: readonly string[], signal: AbortSignal): Promise<readonly Node[]>
  /** The run that was begun for the key of `--once`; undefined where there is none. */
  begunFor(key: string, place: RollPlace): Promise<RollHistory | undefined>
  /** Throws UserError where the port is not free, or the file cannot be written. `text` is the first content. */
  openMetrics(place: MetricsPlace, pages: PageOf): Promise<OpenMetrics>
  /** Every run of the state directory, newest first. */
  list(request: RollPlace): Promise<{ readonly stateDir: string; readonly runs: readonly ListedRun[] }>
}
