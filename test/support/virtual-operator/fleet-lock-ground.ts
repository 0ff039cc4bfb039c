import { systemTimers } from '../../../src/ground/machine/system-timers.ts'
import type { OpenDoor } from '../../../src/ground/net/open-door.ts'
import { openFleetLockDoor } from '../../../src/operator/io/fleet-lock-door.ts'
import { LEASES, NODES, PODS } from '../../../src/sim/world/api-resource.ts'
import type { OperatorGround, OperatorOutside, OperatorProcess } from './operator-ground.ts'
import { Zincati } from './zincati.ts'

const TOKEN = 'a token of 24 signs, say'

/** Connections are real, and time in the cluster is not: no limit of real time ends an answer. */
const PATIENT = { requestLimitMs: 0, limits: { total: 64, perAddress: 64, lifeMs: 600_000 } }

interface Replica {
  readonly process: OperatorProcess
  readonly door: OpenDoor
  readonly outside: OperatorOutside
}

/** What the cluster shows at the moment in which a client hears that it may reboot; empty: nothing is wrong. */
function wrongAtYes({ cluster }: OperatorGround, name: string): readonly string[] {
  const { store } = cluster.world
  const { unschedulable } = (store.get(NODES, { name })?.spec ?? {}) as { readonly unschedulable?: boolean }
  const servers = cluster.instances.flatMap(({ name: instance, balancer }) =>
    balancer.state.backends.flatMap(({ name: backend, servers: all }) =>
      all
        .filter((server) => server.config.name === name && (server.admin === 'ready' || server.load.sessions.size > 0))
        .map((server) => `${instance} ${backend} is ${server.admin} with ${server.load.sessions.size} sessions`),
    ),
  )
  const pods = [...store.all(PODS)].filter(({ metadata, spec, status }) => {
    const [owner] = metadata.ownerReferences ?? []
    const isHere = (spec as { readonly nodeName?: string }).nodeName === name
    const { phase } = (status ?? {}) as { readonly phase?: string }
    return isHere && phase === 'Running' && owner?.kind !== 'DaemonSet' && owner?.kind !== 'Node'
  })
  const slots = [...store.all(LEASES)].filter(({ metadata }) => metadata.annotations?.['evenkeel.dev/node'] === name)
  return [
    ...(unschedulable === true ? [] : ['it is not cordoned']),
    ...servers,
    ...pods.map(({ metadata }) => `${metadata.name} is on it`),
    ...(slots.length === 1 ? [] : [`${slots.length} slots are held for it`]),
  ]
}

/** An operator whose controller answers clients over real connections, and clients on the machines. */
export class FleetLockGround {
  readonly here: OperatorGround
  readonly clients = new Map<string, Zincati>()
  /** By node: what was wrong when its client heard a yes. */
  readonly yes: (readonly [node: string, wrong: readonly string[]])[] = []
  readonly #replicas: Replica[] = []
  #asked = 0

  constructor(here: OperatorGround) {
    this.here = here
    for (const node of here.cluster.nodes) {
      const onYes = () => this.yes.push([node, wrongAtYes(here, node)])
      this.clients.set(node, new Zincati({ cluster: here.cluster, node, baseUrl: () => this.#url(), onYes }))
    }
  }

  /** A replica of the controller. */
  async begin(outside: OperatorOutside = {}): Promise<Replica> {
    const process = this.here.begin(outside)
    const answers = process.answers()
    const door = await openFleetLockDoor({
      ...{ place: { port: 0, host: '127.0.0.1' }, timers: systemTimers, ...PATIENT },
      ...{ answers, token: async () => TOKEN },
    })
    // The connections of a process that dies are cut.
    process.ports.lifeline.ended.addEventListener('abort', () => void door.close(), { once: true })
    const replica = { process, door, outside }
    this.#replicas.push(replica)
    return replica
  }

  async kill(replica: Replica): Promise<void> {
    replica.process.kill()
    this.#replicas.splice(this.#replicas.indexOf(replica), 1)
    if (!replica.process.ports.lifeline.isDead) await replica.door.close()
  }

  /** Its kubelet begins a replica anew that has died. */
  async #restart(): Promise<void> {
    const dead = this.#replicas.filter(({ process }) => process.ports.lifeline.isDead)
    for (const replica of dead) {
      await this.kill(replica)
      await this.begin(replica.outside)
    }
  }

  client(node: string): Zincati {
    const client = this.clients.get(node)
    if (client === undefined) throw new Error(`no client runs on ${node}`)
    return client
  }

  /** Clients and cluster go on until this is so. */
  async until(what: string, is: () => boolean, seconds: number): Promise<void> {
    for (let second = 0; second < seconds && !is(); second += 1) {
      await this.#restart()
      for (const client of this.clients.values()) await client.tick()
      await this.here.cluster.time.advance(1_000)
    }
    await this.here.until(`${what}; heard ${JSON.stringify(this.#last())}`, is, 0)
  }

  async end(): Promise<void> {
    for (const replica of [...this.#replicas]) await this.kill(replica)
    this.here.end()
  }

  #last() {
    return [...this.clients].map(([node, { state, heard }]) => [node, state, heard.at(-1)])
  }

  /** As a Service does it: each connection goes to another replica. */
  #url(): string {
    this.#asked += 1
    const replica = this.#replicas[this.#asked % Math.max(1, this.#replicas.length)]
    return `http://node:${encodeURIComponent(TOKEN)}@127.0.0.1:${replica?.door.port ?? 1}/`
  }
}
