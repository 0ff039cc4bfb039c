import type { KuredSettings } from '../../../ground/model/kured-settings.ts'
import type { InstanceAddress } from '../../../service/model/balancer-spec.ts'
import type { InitSnapshot } from '../../decide/init/init-snapshot.ts'

export interface InitPlace {
  readonly kubeconfig?: string
  readonly context?: string
}

export interface BalancerRequest {
  readonly sockets: readonly InstanceAddress[]
  /** A haproxy.cfg. */
  readonly config?: string
  /** Where neither is named, the usual places of this machine are searched. */
  readonly searchHere: boolean
}

export type ClusterPart = Omit<InitSnapshot, 'instances' | 'config' | 'noBalancer' | 'kured' | 'isScheduled'>
export type BalancerPart = Pick<InitSnapshot, 'instances' | 'config'>

interface PlacedFile {
  readonly path: string
  readonly kept?: string
}

export interface InitActions {
  /** Rejects where the API server cannot be reached; a list that it refuses is a result. */
  readonly readCluster: (place: InitPlace, signal: AbortSignal) => Promise<ClusterPart>
  /** Every kured of the cluster. Rejects where the DaemonSets cannot be read. */
  readonly findKured: (place: InitPlace, signal: AbortSignal) => Promise<readonly KuredSettings[]>
  /** A socket that does not answer is a result, too. */
  readonly readBalancers: (request: BalancerRequest, signal: AbortSignal) => Promise<BalancerPart>
  readonly whichExist: (paths: readonly string[]) => Promise<readonly string[]>
  /** All of them, or none; an existing file is kept, or an error. */
  readonly place: (
    files: readonly { readonly path: string; readonly text: string }[],
    options: { readonly replace: boolean },
  ) => Promise<readonly PlacedFile[]>
  readonly absolute: (path: string) => string
}
