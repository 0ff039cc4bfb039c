import { present } from '../../ground/model/present.ts'
import type { Family } from '../machines/families.ts'
import type { ApiObject } from '../world/api-object.ts'
import { isFinished, isGoing, isReady, type PodObject } from './pod-object.ts'

interface ServicePort {
  readonly name?: string
  readonly port: number
  readonly protocol?: string
  readonly targetPort?: number | string
}

export interface ServiceObject extends ApiObject {
  readonly spec: {
    readonly clusterIP?: string
    readonly clusterIPs?: readonly string[]
    readonly ipFamilies?: readonly Family[]
    readonly selector?: Readonly<Record<string, string>>
    readonly ports?: readonly ServicePort[]
    readonly publishNotReadyAddresses?: boolean
  }
}

/** `discovery.k8s.io/v1`, one entry of `endpoints`. */
export interface SliceEndpoint {
  readonly addresses: readonly string[]
  readonly conditions: { readonly ready: boolean; readonly serving: boolean; readonly terminating: boolean }
  readonly hostname?: string
  readonly nodeName?: string
  readonly targetRef: { readonly kind: 'Pod'; readonly namespace: string; readonly name: string; readonly uid: string }
}

export interface SlicePort {
  readonly name: string
  readonly port?: number
  readonly protocol: string
}

const familyOf = (address: string): Family => (address.includes(':') ? 'IPv6' : 'IPv4')

/** For each of them it has slices of its own. */
export function familiesOf({ spec: { ipFamilies, clusterIPs = [] } }: ServiceObject): readonly Family[] {
  if (ipFamilies !== undefined) return ipFamilies
  const found = new Set(clusterIPs.filter((address) => address !== 'None').map(familyOf))
  return found.size === 0 ? ['IPv4'] : [...found]
}

/** The endpoint of a pod that has an address and has not ended; undefined: none (endpointslice/utils.go, podToEndpoint). */
export function endpointOf(service: ServiceObject, pod: PodObject, family: Family): SliceEndpoint | undefined {
  const known = KNOWN[family].get(pod)
  if (known?.service === service) return known.endpoint
  const endpoint = newEndpoint(service, pod, family)
  KNOWN[family].set(pod, { service, endpoint })
  return endpoint
}

/** A pod object never changes, and is used with each change of any other: its endpoint is the same object until then. */
type Known = WeakMap<PodObject, { readonly service: ServiceObject; readonly endpoint: SliceEndpoint | undefined }>
const KNOWN: Readonly<Record<Family, Known>> = { IPv4: new WeakMap(), IPv6: new WeakMap() }

function newEndpoint(service: ServiceObject, pod: PodObject, family: Family): SliceEndpoint | undefined {
  const { podIP = '', podIPs = [{ ip: podIP }] } = pod.status ?? {}
  const address = podIPs.find(({ ip }) => familyOf(ip) === family)?.ip ?? ''
  if (address === '' || isFinished(pod)) return undefined
  const { namespace = '', name, uid } = pod.metadata
  const { hostname, subdomain, nodeName } = pod.spec
  const serving = isReady(pod)
  const terminating = isGoing(pod)
  const isPublished = service.spec.publishNotReadyAddresses === true
  const isNamed = hostname !== undefined && subdomain === service.metadata.name
  return {
    addresses: [address],
    conditions: { ready: isPublished || (serving && !terminating), serving, terminating },
    ...(isNamed ? { hostname } : {}),
    ...present({ nodeName }),
    targetRef: { kind: 'Pod', namespace, name, uid },
  }
}

/** A named port is looked up in the pods; all pods of one slice have the same. */
export const slicePorts = ({ spec }: ServiceObject, pods: readonly PodObject[]): readonly SlicePort[] =>
  (spec.ports ?? []).map(({ name = '', port, protocol = 'TCP', targetPort = port }) => {
    const found = typeof targetPort === 'number' ? targetPort : containerPort(targetPort, pods)
    return { name, ...present({ port: found }), protocol }
  })

const containerPort = (name: string, pods: readonly PodObject[]): number | undefined =>
  pods
    .flatMap(({ spec }) => spec.containers)
    .flatMap(({ ports = [] }) => ports)
    .find((port) => port.name === name)?.containerPort
