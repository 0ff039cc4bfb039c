import { firstOf } from '../../../ground/model/first-of.ts'
import type { Node } from '../../../ground/model/node.ts'
import type { Service } from '../../../ground/model/service.ts'
import { apiServers } from '../../../roll/decide/plan/api-servers.ts'
import { apiPort } from '../../../service/decide/api-backend.ts'
import { leadsTo } from '../../../service/decide/match-servers.ts'
import { type InitSnapshot, readOf, type SeenBackend, type SeenInstance, type SeenServer } from './init-snapshot.ts'
import type { LeftOut } from './roll-file-outline.ts'

export interface KeptBackend {
  readonly backend: SeenBackend
  /** Its servers that lead to nodes of the roll. */
  readonly servers: readonly SeenServer[]
  /** The nodes of the roll that it sends to. */
  readonly nodes: readonly string[]
  /** The targets of its servers, for the comment. */
  readonly about: string
}

/** One instance with the backends of it that the roll file may name. */
export interface KeptInstance {
  readonly instance: SeenInstance
  readonly kept: readonly KeptBackend[]
}

interface BackendChoice {
  readonly kept: readonly KeptBackend[]
  readonly leftOut: readonly LeftOut[]
}

/** Which backends of an instance the roll file may name: those that send to nodes of the roll, and not to the Kubernetes API. */
export function chooseBackends(snapshot: InitSnapshot, instance: SeenInstance, nodes: readonly Node[]): BackendChoice {
  const kept: KeptBackend[] = []
  const leftOut: LeftOut[] = []
  for (const backend of readOf(instance.backends)) {
    const what = `backend ${backend.name} of ${instance.name}`
    const ours = backend.servers.filter((server) => nodes.some((node) => isServerOf(server, node)))
    const why = whyNot(snapshot, backend, ours)
    if (why === undefined) kept.push(keptOf(snapshot, { backend, servers: ours, nodes }))
    else leftOut.push({ what, why })
  }
  return { kept, leftOut }
}

/** The names of the nodes that a backend sends to. */
export function balancedNodes(snapshot: InitSnapshot, nodes: readonly Node[]): readonly string[] {
  const kept = snapshot.instances.flatMap((instance) => chooseBackends(snapshot, instance, nodes).kept)
  return [...new Set(kept.flatMap((backend) => backend.nodes))]
}

const isServerOf = (server: SeenServer, { name, internalAddresses }: Node): boolean =>
  leadsTo(server, { node: name, addresses: internalAddresses })

function whyNot(snapshot: InitSnapshot, backend: SeenBackend, ours: readonly SeenServer[]): string | undefined {
  const { apiServer } = snapshot
  const known = apiServers({ apiServer, cluster: { slices: readOf(snapshot.slices) } })
  if (apiPort(backend, known) !== undefined)
    return 'it looks like the Kubernetes API, which a roll never takes out of service'
  if (ours.length > 0) return backend.disabled ? 'its configuration says "disabled"' : undefined
  const toOthers = readOf(snapshot.nodes).some((node) => backend.servers.some((server) => isServerOf(server, node)))
  if (toOthers) return 'it sends only to nodes that are not rolled'
  if (backend.servers.length === 0) return 'it has no server'
  const unresolved = backend.servers.filter(({ address }) => address === '').map(({ name }) => name)
  if (unresolved.length === backend.servers.length) return `no address of its servers is known (${firstOf(unresolved)})`
  return `none of its servers has the InternalIP of a node: ${firstOf(backend.servers.map(endpointText))}`
}

const endpointText = ({ address, port }: SeenServer): string => `${address}:${port}`

interface Ours {
  readonly backend: SeenBackend
  readonly servers: readonly SeenServer[]
  readonly nodes: readonly Node[]
}

function keptOf(snapshot: InitSnapshot, { backend, servers, nodes }: Ours): KeptBackend {
  const names = nodes.filter((node) => servers.some((server) => isServerOf(server, node))).map(({ name }) => name)
  const ports = [...new Set(servers.map(({ port }) => port))]
  const strangers = backend.servers.filter((server) => !servers.includes(server))
  const unchecked = backend.servers.filter(({ checked }) => !checked).map(({ name }) => name)
  const about = [
    `${servers.length} ${servers.length === 1 ? 'server' : 'servers'} of nodes, port ${ports.map((port) => portText(snapshot, port)).join(', ')}`,
    ...(strangers.length === 0 ? [] : [`${firstOf(strangers.map(({ name }) => name))}: not a node of the roll`]),
    ...(unchecked.length === 0 ? [] : [`no health check: ${firstOf(unchecked)}`]),
    ...(backend.mode === 'tcp' ? ['mode tcp'] : []),
  ].join('; ')
  return { backend, servers, nodes: names, about }
}

/** `30080 (NodePort of Service shop/web)`. */
function portText({ services, pods }: InitSnapshot, port: number): string {
  const service = readOf(services).find(({ nodePorts }) => nodePorts.includes(port))
  if (service !== undefined) return `${port} (NodePort of Service ${service.namespace}/${service.name})`
  const holder = readOf(pods).find(
    ({ placement, controller }) =>
      controller?.kind === 'DaemonSet' && placement?.hostPorts.some((held) => held === `${port}/TCP`),
  )
  const name = holder?.controller?.name
  return name === undefined ? `${port}` : `${port} (hostPort of DaemonSet ${holder?.namespace}/${name})`
}

/** The Services whose NodePorts the balancers send to. */
export function servedServices(snapshot: InitSnapshot, kept: readonly KeptBackend[]): readonly Service[] {
  const ports = new Set(kept.flatMap(({ servers }) => servers.map(({ port }) => port)))
  return readOf(snapshot.services).filter(({ nodePorts }) => nodePorts.some((port) => ports.has(port)))
}
