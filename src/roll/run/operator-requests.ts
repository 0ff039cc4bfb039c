import { present } from '../../ground/model/present.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { Programs } from '../../ground/ports/programs.ts'
import type { Random } from '../../ground/ports/random.ts'
import { gatesWanted } from '../decide/gates/gates-held.ts'
import { silencesWanted } from '../decide/silences/silences-due.ts'
import type { AnySnapshot, Subject } from '../decide/subject.ts'
import type { AnyDecision } from '../model/decision.ts'
import type { SecretRef } from '../model/notify-spec.ts'
import type { RollEvent } from '../model/roll-event.ts'
import type { GateSource } from '../ports/gate-source.ts'
import type { Silencer } from '../ports/silencer.ts'
import { ConditionKeeper } from './announce/condition-keeper.ts'
import type { ClusterView } from './cluster-view.ts'
import type { EventLog } from './event-log.ts'
import { GateWatch } from './gates/gate-watch.ts'
import type { GatherParts } from './gather.ts'
import { endHooks } from './hooks/end-hooks.ts'
import { HookRunner } from './hooks/hook-runner.ts'
import { recordOf } from './last-seen.ts'
import type { RunState } from './run-state.ts'
import { SilenceKeeper } from './silences/silence-keeper.ts'

/** What asks and runs what the operator wrote in the file. */
export interface RequestPorts {
  /** Absent: no gate of the file passes. */
  readonly gates?: GateSource
  /** Absent: no hook can run. */
  readonly programs?: Programs
  /** Absent: no alert is silenced. */
  readonly silencing?: { readonly silencer: Silencer; readonly secret: (ref: SecretRef) => Promise<string> }
}

interface RequestParts extends RequestPorts {
  readonly run: RunState
  readonly events: EventLog
  readonly clock: Clock
  readonly random: Random
  readonly signal: AbortSignal
  readonly onNews: () => void
}

/** The hooks of the file, of all nodes and machines together. */
export function hooksOf(parts: RequestParts): Pick<GatherParts, 'hooks'> {
  const { run, programs } = parts
  const { hooks } = run.spec
  if (programs === undefined || hooks === undefined) return {}
  const left = { before: run.hooksBefore ?? {}, isLost: run.restoresAs !== undefined }
  return { hooks: new HookRunner({ ...parts, ...left, hooks, programs }) }
}

export type LaneRequests = Pick<GatherParts, 'gates' | 'silences'> & {
  /** Absent: the file has nothing announced. */
  readonly conditions?: ConditionKeeper
}

interface LaneParts extends RequestParts {
  readonly cluster: Pick<Cluster, 'setConditions'>
  /** Whether the slot of the lane is renewed. */
  readonly mayAct: () => boolean
}

/** What of them runs beside the passes. */
export const loopsOf = ({ gates, silences, conditions }: LaneRequests) =>
  [gates, silences, conditions].filter((loop) => loop !== undefined)

/** What the file has asked and kept for the node of one lane. */
export function laneRequests(parts: LaneParts): LaneRequests {
  const { run, gates: source, silencing } = parts
  const { gates, silences, announce } = run.spec
  return {
    ...(source === undefined || gates === undefined ? {} : { gates: new GateWatch({ ...parts, gates, source }) }),
    ...(silencing === undefined || silences === undefined
      ? {}
      : { silences: new SilenceKeeper({ ...parts, ...silencing, ...ofRun(run), silences }) }),
    ...(announce === undefined ? {} : { conditions: new ConditionKeeper(parts) }),
  }
}

const ofRun = ({ id, origin, resumed, silencesBefore = {} }: RunState) => ({
  comment: `rolled by Even Keel, run ${id}${origin?.reason === undefined ? '' : `: ${origin.reason}`}`,
  before: silencesBefore,
  isResumed: resumed,
})

/** After each pass over a node or a machine: what is to be known, or kept, next. */
export function wantRequests(
  { gates, silences }: Pick<GatherParts, 'gates' | 'silences'>,
  snapshot: AnySnapshot | undefined,
  decision: AnyDecision,
): void {
  gates?.want(snapshot && gatesWanted(snapshot, decision))
  silences?.want(snapshot && decision.kind !== 'settled' ? silencesWanted(snapshot) : undefined)
}

/** Where the journal is lost it is not known that any of them was begun: a machine bears no record. */
function machinesOf({ spec, restoresAs }: RunState): readonly Subject[] {
  if (restoresAs !== undefined) return []
  const machines = (spec.hosts?.pairs ?? []).flatMap((pair) => pair.machines)
  return machines.map(({ name, ssh: address }) => ({ scope: 'hosts', name, address }))
}

interface EndParts {
  readonly run: RunState
  /** Of each lane. */
  readonly silences: readonly SilenceKeeper[]
  readonly hooks?: HookRunner
  readonly view: Pick<ClusterView, 'node'>
  readonly clock: Clock
  readonly emit: (event: RollEvent) => void
}

/** A roll that people interrupted goes on later, and its hooks with it. */
export async function endRequests(
  { run, hooks: runner, silences, view, clock, emit }: EndParts,
  interrupt: AbortSignal,
) {
  if (interrupt.aborted) return
  const nodes = run.order.map((name): Subject => {
    const [address] = view.node(name)?.internalAddresses ?? []
    return { scope: 'nodes', name, ...present({ address }) }
  })
  const otherRun = (name: string): string | undefined => {
    const node = view.node(name)
    const owner = node && recordOf(node)?.run
    return owner === run.id ? undefined : owner
  }
  const say = (text: string): void => emit({ type: 'warning', text })
  try {
    if (runner !== undefined)
      await endHooks(
        { hooks: run.spec.hooks ?? [], runner, clock, subjects: [...nodes, ...machinesOf(run)], otherRun, say },
        interrupt,
      )
    await Promise.all(silences.map((keeper) => keeper.close(interrupt)))
  } catch (error) {
    if (!interrupt.aborted) throw error
  }
}
