import type { EvictionAnswer } from '../../ground/model/eviction.ts'
import type { RepairReading, RolledWorkload } from '../model/repair-reading.ts'

type Labels = Readonly<Record<string, string>>

export interface PodsOfDns {
  readonly namespace: string
  /** Of the Service. */
  readonly selector: Labels
}

export interface PodOfDns {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** What a repair reads and does. Each call rejects with WorldError (code KUBE_*), or with the signal's reason. */
export interface DnsRepairer {
  read(of: PodsOfDns, signal: AbortSignal): Promise<RepairReading>
  /** What runs these pods now; undefined where that is no single Deployment or DaemonSet. */
  workload(of: PodsOfDns, signal: AbortSignal): Promise<RolledWorkload | undefined>
  /**
   * Takes from a pod all labels, by which Services and its ReplicaSet know it: another one is made in its place, and this one stays, on
   * its own. Resolves with false where the pod is not the one that it was.
   */
  quarantine(pod: PodOfDns, signal: AbortSignal): Promise<boolean>
  evict(pod: PodOfDns, signal: AbortSignal): Promise<EvictionAnswer>
}
