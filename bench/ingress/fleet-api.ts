import { INGRESS_DAEMON_SETS, PODS } from '../../src/sim/world/api-resource.ts'
import { createObject } from '../../src/sim/world/create-object.ts'
import { FleetServer } from '../fleet/fleet-server.ts'
import { ingressObject } from './fleet-objects.ts'
import { type IngressFleet, isInService, type StatusWrite, statusWrite } from './ingress-fleet.ts'

/** An embedded API server for IngressDaemonSets. */
export class FleetApi implements IngressFleet {
  readonly nodes: readonly string[]
  /** Stand-ins are done at once. */
  readonly changes = 0
  readonly #server: FleetServer
  #heard: (write: StatusWrite) => void = () => undefined

  private constructor(server: FleetServer) {
    this.#server = server
    this.nodes = server.nodes
    server.world.store.subscribe(INGRESS_DAEMON_SETS, ({ object }) =>
      this.#heard(statusWrite(object, performance.now())),
    )
  }

  static async open(count: number): Promise<FleetApi> {
    return new FleetApi(await FleetServer.open(count))
  }

  get kubeconfig(): string {
    return this.#server.kubeconfig
  }

  enter(argv: readonly string[]): readonly string[] {
    return this.#server.enter(argv)
  }

  reach(port: number): Promise<number> {
    return this.#server.reach(port)
  }

  get pods(): number {
    return [...this.#server.world.store.all(PODS)].length
  }

  async addObject(name: string): Promise<void> {
    createObject(this.#server.world, {
      resource: INGRESS_DAEMON_SETS,
      namespace: 'default',
      body: ingressObject(name),
    })
  }

  onStatus(heard: (write: StatusWrite) => void): void {
    this.#heard = heard
  }

  async isSettled(): Promise<boolean> {
    return [...this.#server.world.store.all(INGRESS_DAEMON_SETS)].every(isInService)
  }

  async writes(): Promise<number> {
    return this.#server.writes
  }

  async cordon(name: string, unschedulable: boolean): Promise<number> {
    return this.#server.cordon(name, unschedulable)
  }

  claimsOn(name: string): number {
    return this.#server.claimsOn(name)
  }

  async heartbeat(name: string): Promise<void> {
    this.#server.heartbeat(name)
  }

  async close(): Promise<void> {
    this.#server.close()
  }
}
