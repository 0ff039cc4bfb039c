import type { RebootAnswer } from '../../../ground/model/host.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import type { MonoMs } from '../../../ground/model/time.ts'
import type { InstanceSnapshot } from '../../../service/decide/instance-snapshot.ts'
import type { MachinePlace, MachineReading, PairMachine } from '../../model/host-pair.ts'
import type { Evidence, Stuck } from '../evidence.ts'
import type { ClusterReading, RollSnapshot } from '../snapshot.ts'
import type { MachineMemory } from './machine-memory.ts'

/** A machine of the pair as it answered last. */
export interface MachineState {
  readonly machine: PairMachine
  /** Absent: it never answered. */
  readonly reading?: MachineReading
  /** When that was asked. */
  readonly askedAt?: MonoMs
  /** 0 when the newest question was answered. */
  readonly silentForMs: number
  readonly error?: string
}

/** Connections that clients have to the instances of the machine in work. */
export interface ConnectionCount {
  readonly count: number
  readonly askedAt: MonoMs
}

/** What this process has seen and done; the next one gathers it anew. */
export interface MachineEvidence
  extends Pick<
      Evidence,
      | 'slotTakenAt'
      | 'gatesHeld'
      | 'gateWait'
      | 'attachingSince'
      | 'attachingSinceWall'
      | 'attachedAt'
      | 'attachedAtWall'
      | 'unattachedAt'
      | 'unattachedAtWall'
      | 'attachDueSince'
      | 'returning'
      | 'lastWork'
    >,
    Stuck {
  /** The last command that moves addresses, and its answer. */
  readonly moved?: { readonly to: 'away' | 'back'; readonly at: MonoMs; readonly error?: string }
  /**
   * Since the first command of this process that moves the addresses away, or since they were seen away last; anew once they were moved
   * back.
   */
  readonly movingSince?: MonoMs
  /** Since the first command of this process that moves the addresses back. */
  readonly movingBackSince?: MonoMs
  /** The addresses are on other machines since. */
  readonly awaySince?: MonoMs | undefined
  readonly reboot?: { readonly at: MonoMs; readonly answer: RebootAnswer }
  /** Since when this process waits for the announced reboot. */
  readonly rebootSince?: MonoMs
  readonly provenSince?: MonoMs
  /** It has been back for the soak time; hooks are left. */
  readonly isSoaked?: true
  /** The last try to take the slot, or to give it back, that failed: another owner has it, or the API server did not answer. */
  readonly slotRefused?: {
    readonly at: MonoMs
    readonly reason: Reason
    /** Its owner is gone, and held it for no machine. */
    readonly isLeft?: true
  }
  /** When a command to a server of its instances failed last. */
  readonly refusedAt?: MonoMs
  /** Server → how often it was put right without that being seen, and when it is next. Absent: none was. */
  readonly restored?: Readonly<Record<string, { readonly times: number; readonly notBefore: MonoMs }>>
}

/** All that a decision about one machine goes by. */
export interface MachineSnapshot
  extends Pick<
      RollSnapshot,
      | 'now'
      | 'wall'
      | 'spec'
      | 'run'
      | 'slot'
      | 'journalWritable'
      | 'window'
      | 'probe'
      | 'reloads'
      | 'steps'
      | 'gates'
      | 'hooks'
      | 'silences'
      | 'kuredLock'
    >,
    MachinePlace {
  readonly machines: readonly MachineState[]
  /** Of all machines of the pair. */
  readonly instances: readonly InstanceSnapshot[]
  /** Absent: not asked, or no balancer can tell. */
  readonly connections?: ConnectionCount
  /** Nodes that are out, or may be, by any roll: they bear a record, also one that cannot be read. */
  readonly nodesOut: readonly string[]
  /** kured's DaemonSet is among them, with its lock. */
  readonly cluster: Pick<ClusterReading, 'workloads'>
  /** The node list is old, or was not read. */
  readonly clusterUnknown: boolean
  readonly memory: MachineMemory
  readonly evidence: MachineEvidence
}

/** It has another boot id than the recorded one, as it says or as the journal has it. */
export function hasRebooted({ memory, machines, host }: MachineSnapshot): boolean {
  if (memory.isProven === true) return true
  const now = machines.find(({ machine }) => machine.name === host.name)?.reading?.bootId
  return memory.record !== undefined && now !== undefined && now !== memory.record.bootId
}

/** It was not given its addresses back yet. A machine that rebooted by itself never gave them away, and settles all the same. */
export const isBeforeAttach = ({ memory, evidence }: MachineSnapshot): boolean =>
  memory.isAway === true || (memory.wasAway !== true && evidence.moved?.to !== 'back')
