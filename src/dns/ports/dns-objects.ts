import type { ObjectRef } from '../../ground/model/object-ref.ts'
import type { DnsEndpoint, DnsNode, DnsPod, DnsService } from '../model/dns-objects.ts'

export interface PodAddress {
  readonly uid: string
  readonly address: string
}

/** What is read of a cluster to find its DNS. Each call rejects with WorldError (code KUBE_*), or with the signal's reason. */
export interface DnsObjects {
  /** Of all namespaces. */
  services(signal: AbortSignal): Promise<readonly DnsService[]>
  pods(
    at: { readonly namespace: string; readonly selector: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<readonly DnsPod[]>
  /** Addresses of running pods of a node, of all namespaces, without those that share the node's own. */
  addressesOfPodsOn(node: string, signal: AbortSignal): Promise<readonly PodAddress[]>
  /** `portName`: which port of the Service their port over UDP is that of. Absent: of the only one. */
  endpoints(service: ObjectRef & { readonly portName?: string }, signal: AbortSignal): Promise<readonly DnsEndpoint[]>
  /** Its data; undefined where it does not exist. */
  configMap(ref: ObjectRef, signal: AbortSignal): Promise<Readonly<Record<string, string>> | undefined>
  nodes(signal: AbortSignal): Promise<readonly DnsNode[]>
}
