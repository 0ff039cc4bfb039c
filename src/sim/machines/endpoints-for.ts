import type { Destination } from '../network/network.ts'
import type { ApiObject } from '../world/api-object.ts'

interface SliceEndpoint {
  readonly addresses: readonly string[]
  readonly conditions?: { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean }
  readonly nodeName?: string
}

/** `discovery.k8s.io/v1`, as kube-proxy reads it. */
export interface SliceObject extends ApiObject {
  readonly endpoints?: readonly SliceEndpoint[] | null
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null
}

interface EndpointChoice {
  /** The name of the Service's port; empty where it has none. */
  readonly port: string
  /** `externalTrafficPolicy: Local`. */
  readonly onlyOn?: string
}

/** Where kube-proxy sends: to endpoints that are ready, else to those that still serve while they end (KEP-1669). */
export function endpointsFor(
  slices: readonly SliceObject[],
  { port: wanted, onlyOn }: EndpointChoice,
): readonly Destination[] {
  const found = slices.flatMap(({ endpoints, ports }) => {
    const port = ports?.find(({ name = '' }) => name === wanted)?.port
    if (port === undefined) return []
    return (endpoints ?? [])
      .filter(({ nodeName }) => onlyOn === undefined || nodeName === onlyOn)
      .map((endpoint) => ({ endpoint, port }))
  })
  const ready = found.filter(({ endpoint }) => isReady(endpoint))
  const chosen = ready.length > 0 ? ready : found.filter(({ endpoint }) => isLast(endpoint))
  return chosen.flatMap(({ endpoint: { addresses }, port }) => addresses.slice(0, 1).map((host) => ({ host, port })))
}

/** An absent `ready` counts as true, an absent `serving` as `ready`. */
const isReady = ({ conditions = {} }: SliceEndpoint): boolean => conditions.ready ?? true

const isLast = (endpoint: SliceEndpoint): boolean =>
  endpoint.conditions?.terminating === true && (endpoint.conditions.serving ?? isReady(endpoint))
