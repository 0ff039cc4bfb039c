import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { systemTimers as timers } from '../../src/ground/machine/system-timers.ts'
import { claimsOf, MAINTENANCE_ANNOTATION } from '../../src/ground/model/claims.ts'
import { httpDoor } from '../../src/sim/doors/http-door.ts'
import { listenOn } from '../../src/sim/loopback/listen-on.ts'
import type { ApiObject } from '../../src/sim/world/api-object.ts'
import { CONFIG_MAPS, NAMESPACES, NODES } from '../../src/sim/world/api-resource.ts'
import { createObject } from '../../src/sim/world/create-object.ts'
import { Store } from '../../src/sim/world/store.ts'
import type { World } from '../../src/sim/world/world.ts'
import { nodeAt, nodeObject } from '../ingress/fleet-objects.ts'
import { beating, type ControllerPlace } from '../ingress/ingress-fleet.ts'
import { standInDeployments } from '../ingress/stand-in-deployments.ts'

const HERE = '127.0.0.1'
/** So many changes are kept for watches that begin anew. */
const KEPT_CHANGES = 20_000
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE']
const LEADER_LEASE = '/leases/evenkeel-controller'

/** An embedded API server over plain HTTP with a fleet of Nodes that no machine stands for, and Deployments that are done at once. */
export class FleetServer implements ControllerPlace {
  readonly world: World
  readonly nodes: readonly string[]
  readonly #server: Server
  #writes = 0

  private constructor(count: number) {
    this.world = { store: new Store(), clock, random }
    this.nodes = Array.from({ length: count }, (_, at) => nodeAt(at))
    const door = httpDoor({ world: this.world, timers })
    this.#server = createServer((request, response) => {
      const { method = 'GET', url = '' } = request
      if (WRITES.includes(method) && !url.includes(LEADER_LEASE)) this.#writes += 1
      door.emit('request', request, response)
    })
  }

  static async open(count: number): Promise<FleetServer> {
    const made = new FleetServer(count)
    for (const name of ['default', 'kube-system', 'evenkeel'])
      createObject(made.world, { resource: NAMESPACES, body: { metadata: { name } } })
    createObject(made.world, {
      resource: CONFIG_MAPS,
      namespace: 'evenkeel',
      body: { metadata: { name: 'evenkeel-budget' }, data: { maxOut: '2' } },
    })
    for (const name of made.nodes) createObject(made.world, { resource: NODES, body: nodeObject(name) })
    standInDeployments(made.world)
    const code = await listenOn(made.#server, { host: HERE, port: 0 })
    if (code !== undefined) throw new Error(`no port of ${HERE} is free (${code})`)
    return made
  }

  get kubeconfig(): string {
    const { port } = this.#server.address() as AddressInfo
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'fleet', cluster: { server: `http://${HERE}:${port}` } }],
      users: [{ name: 'fleet', user: { token: 'bench' } }],
      contexts: [{ name: 'fleet', context: { cluster: 'fleet', user: 'fleet' } }],
      'current-context': 'fleet',
    })
  }

  enter(argv: readonly string[]): readonly string[] {
    return argv
  }

  async reach(port: number): Promise<number> {
    return port
  }

  /** That clients asked for up to now, but those of the leader's Lease. */
  get writes(): number {
    return this.#writes
  }

  /** Returns when. */
  cordon(name: string, unschedulable: boolean): number {
    const node = this.#node(name)
    const atMs = performance.now()
    this.world.store.put(NODES, { ...node, spec: { ...(node.spec as object), unschedulable } })
    return atMs
  }

  claimsOn(name: string): number {
    return claimsOf(this.#node(name).metadata.annotations?.[MAINTENANCE_ANNOTATION]).length
  }

  heartbeat(name: string): void {
    const node = this.#node(name)
    const { conditions, ...status } = node.status as { readonly conditions: readonly object[] }
    const { store } = this.world
    store.put(NODES, { ...node, status: { ...status, conditions: beating(conditions) } })
    store.compact(store.revision - KEPT_CHANGES)
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #node(name: string): ApiObject {
    const node = this.world.store.get(NODES, { name })
    if (node === undefined) throw new Error(`there is no node ${name}`)
    return node
  }
}
