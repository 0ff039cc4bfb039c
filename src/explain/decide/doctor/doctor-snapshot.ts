import type { Access } from '../../../ground/model/access.ts'
import type { ConfigMap } from '../../../ground/model/config-map.ts'
import type { Endpoint } from '../../../ground/model/endpoint.ts'
import type { Node } from '../../../ground/model/node.ts'
import { present } from '../../../ground/model/present.ts'
import type { ClusterContext } from '../../../ground/model/run-origin.ts'
import type { Sentence } from '../../../ground/model/sentence.ts'
import type { EndpointSlice } from '../../../ground/model/service.ts'
import type { SeenSlot } from '../../../ground/model/slot.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import type { Workload } from '../../../ground/model/workload.ts'
import type { SlotRefusal } from '../../../roll/decide/plan/slot-findings.ts'
import type { GateAnswer } from '../../../roll/model/gate-spec.ts'
import type { RollSpec } from '../../../roll/model/roll-spec.ts'
import type { TimeSpan } from '../../../roll/model/time-window.ts'
import type { InstanceInspection } from '../../../service/model/balancer-inspection.ts'

/** The result of one attempt to read something. */
export type Found<T> =
  | { readonly is: 'found'; readonly value: T }
  | { readonly is: 'failed'; readonly text: string; readonly code?: string; readonly fix?: Sentence }

export interface NamedRollFile {
  readonly name: string
  readonly spec: RollSpec
}

interface ApiAnswer {
  readonly server: Endpoint
  readonly version: string
  /** How far the clock of the API server is ahead of this machine's, at least. Absent: the answer has no time. */
  readonly aheadMs?: number
}

interface Rights {
  /** How many rights were checked. */
  readonly wanted: number
  /** Rights without which no roll begins. */
  readonly forbidden: readonly Access[]
  /** Rights without which a roll knows or shows less. */
  readonly spared: readonly Access[]
}

export interface InstanceFound {
  readonly balancer: string
  readonly instance: string
  /** Absent: it has to be read from the cluster, which was not reached. */
  readonly inspection?: Found<InstanceInspection>
}

export interface TargetFound {
  readonly name: string
  readonly url: string
  readonly answer: Found<undefined>
}

/** What was read of this machine, the cluster and the roll file. Parts that an earlier failure made impossible are absent. */
export interface DoctorSnapshot {
  /** Absent in the single executable, which contains its own. */
  readonly node?: { readonly version: string; readonly wantedMajor: number }
  /** The path of the program. */
  readonly ssh?: string
  readonly stateDirectory: Found<string>
  /** Absent: none was named. */
  readonly file?: Found<NamedRollFile>
  readonly kubeconfig: Found<{ readonly files: readonly string[]; readonly context: ClusterContext }>
  readonly api?: Found<ApiAnswer>
  readonly rights?: Found<Rights>
  /** How a dry run of the first write of a roll was refused; `undefined`: it was not. */
  readonly slot?: Found<SlotRefusal | undefined>
  /** Slots of the node budget that are held. */
  readonly slots?: Found<readonly SeenSlot[]>
  readonly nodes?: Found<readonly Node[]>
  /** Among them the addresses that the API servers write of themselves. */
  readonly slices?: Found<readonly EndpointSlice[]>
  /** ConfigMap evenkeel-budget; `undefined`: there is none, or it may not be read. */
  readonly budget?: Found<ConfigMap | undefined>
  readonly instances?: readonly InstanceFound[]
  readonly targets?: readonly TargetFound[]
  /** Of the ports at which nodes of the file serve, those where nothing answered. Absent: none was asked. */
  readonly silentPorts?: Found<readonly Endpoint[]>
  /** DaemonSets: kured is one of them. Absent: they were not listed. */
  readonly daemonSets?: Found<readonly Workload[]>
  /** When they were listed, for locks that end with time. */
  readonly wall?: WallMs
  /** Absent: the file has no time windows. */
  readonly window?: { readonly zone: string; readonly now: WallMs; readonly next?: TimeSpan }
  readonly gates?: readonly GateFound[]
  readonly programs?: readonly ProgramsFound[]
  readonly silencers?: readonly SilencerFound[]
  readonly receivers?: readonly ReceiverFound[]
}

/** The answer of a gate about one of the nodes. */
export interface GateFound {
  readonly name: string
  readonly node: string
  /** Absent: no node is known. */
  readonly answer?: Found<GateAnswer>
}

/** Whether the commands of a hook are on this machine. */
export interface ProgramsFound {
  readonly name: string
  /** The first that is missing. Absent: none is. */
  readonly missing?: string
}

export interface SilencerFound {
  readonly name: string
  /** What was asked and answered. */
  readonly answer: Found<string>
}

/** Whether the secrets of a receiver of notifications can be read. */
export interface ReceiverFound {
  readonly name: string
  readonly answer: Found<undefined>
}

export interface Check {
  readonly name: string
  /** `skipped`: an earlier check failed, or there is nothing to check. */
  readonly state: 'ok' | 'warning' | 'missing' | 'skipped'
  readonly text: string
  readonly fix?: Sentence
}

export const failedCheck = (
  name: string,
  { text, fix }: { readonly text: string; readonly fix?: Sentence },
): Check => ({
  name,
  state: 'missing',
  text,
  ...present({ fix }),
})

/** A finding of a plan as a check: what keeps a roll from beginning is missing. */
export const findingCheck = (
  name: string,
  { severity, text, fix }: { readonly severity: string; readonly text: string; readonly fix?: Sentence },
): Check => ({
  ...failedCheck(name, { text, ...present({ fix }) }),
  state: severity === 'error' || severity === 'block' ? 'missing' : 'warning',
})
