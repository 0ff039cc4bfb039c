import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { NODE_ANNOTATION } from '../../src/ground/model/slot.ts'
import { listenOn } from '../../src/sim/loopback/listen-on.ts'
import type { ApiObject } from '../../src/sim/world/api-object.ts'
import {
  CONFIG_MAPS,
  DAEMON_SETS,
  DISRUPTION_BUDGETS,
  NODE_GUARDS,
  VOLUME_ATTACHMENTS,
} from '../../src/sim/world/api-resource.ts'
import { createObject } from '../../src/sim/world/create-object.ts'
import { FleetServer } from '../fleet/fleet-server.ts'
import { attachmentObject, GUARD, guardObject, stateObject, storageObject } from './guard-objects.ts'

const HERE = '127.0.0.1'

interface GuardStatus {
  readonly observedGeneration?: number
  readonly desiredNodes?: number
  readonly conditions?: readonly { readonly type: string; readonly reason: string }[]
}

/** An embedded API server with what a NodeGuard of every node reads, and the target of its hold of type http. */
export class GuardFleet {
  readonly server: FleetServer
  readonly #target: Server
  #opened: (node: string, atMs: number) => void = () => undefined

  private constructor(server: FleetServer, target: Server) {
    this.server = server
    this.#target = target
    server.world.store.subscribe(DISRUPTION_BUDGETS, ({ type, object }) => {
      const node = object.metadata.annotations?.[NODE_ANNOTATION]
      if (type !== 'DELETED' && node !== undefined && isOpen(object)) this.#opened(node, performance.now())
    })
  }

  static async open(count: number): Promise<GuardFleet> {
    const server = await FleetServer.open(count)
    const { world } = server
    for (const node of server.nodes) {
      createObject(world, { resource: CONFIG_MAPS, namespace: 'default', body: stateObject(node) })
      createObject(world, { resource: VOLUME_ATTACHMENTS, body: attachmentObject(node) })
    }
    createObject(world, { resource: DAEMON_SETS, namespace: 'default', body: storageObject })
    const target = createServer((_request, response) => response.end('ok'))
    const code = await listenOn(target, { host: HERE, port: 0 })
    if (code !== undefined) throw new Error(`no port of ${HERE} is free (${code})`)
    return new GuardFleet(server, target)
  }

  addGuard(): void {
    const body = guardObject((this.#target.address() as AddressInfo).port)
    createObject(this.server.world, { resource: NODE_GUARDS, namespace: 'default', body })
  }

  /** Each budget that is open, from now on. */
  onOpened(opened: (node: string, atMs: number) => void): void {
    this.#opened = opened
  }

  /** As its status says, every node has its guard. */
  get isSettled(): boolean {
    const { store } = this.server.world
    const guard = store.get(NODE_GUARDS, { namespace: 'default', name: GUARD })
    const { observedGeneration, desiredNodes, conditions = [] } = (guard?.status ?? {}) as GuardStatus
    const isObserved = observedGeneration === guard?.metadata.generation && desiredNodes === this.server.nodes.length
    return isObserved && conditions.some(({ type, reason }) => type === 'Ready' && reason === 'AllGuarded')
  }

  close(): void {
    this.server.close()
    this.#target.close()
    this.#target.closeAllConnections()
  }
}

const isOpen = ({ spec }: ApiObject): boolean => (spec as { readonly minAvailable?: number }).minAvailable === 0
