import assert from 'node:assert/strict'
import { wallMs } from '../../../src/ground/model/time.ts'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { VirtualTime } from '../../../src/sim/clocks/virtual-time.ts'
import type { ApiAccess } from '../../../src/sim/machines/api-access.ts'
import type { KubeletSettings } from '../../../src/sim/machines/kubelet-settings.ts'
import { Machines } from '../../../src/sim/machines/machines.ts'
import type { NodePod, RunStatus } from '../../../src/sim/machines/node-pod.ts'
import type { ApiObject } from '../../../src/sim/world/api-object.ts'
import { LEASES, NAMESPACES, NODES, PODS } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { deleteObject } from '../../../src/sim/world/delete-object.ts'
import { Store } from '../../../src/sim/world/store.ts'
import type { World } from '../../../src/sim/world/world.ts'
import { turnsOfLoop } from '../../support/turns-of-loop.ts'
import { MemoryPlane, type MemoryProcess } from './memory-plane.ts'

interface RoomOptions {
  readonly seed?: string
  readonly settings?: KubeletSettings
}

interface PodOptions {
  readonly name?: string
  readonly node?: string
  readonly env?: Readonly<Record<string, string>>
  readonly graceSeconds?: number
  readonly spec?: object
  readonly container?: object
}

/** Machines with their kubelets and kube-proxies in virtual time, and no other component. */
export class MachineRoom {
  readonly time = new VirtualTime({
    startAt: wallMs(Date.parse('2026-01-01T00:00:00Z')),
    turns: turnsOfLoop,
  })
  readonly plane = new MemoryPlane(this.time)
  readonly world: World
  readonly machines: Machines
  /** Of nodes that can reach the API. */
  readonly #reach = new Map<string, AbortController>()

  constructor({ seed = 'room', settings }: RoomOptions = {}) {
    const random = new SeededRandom(seed)
    this.world = { store: new Store(), clock: this.time, random: random.fork('world') }
    for (const name of ['default', 'kube-node-lease']) {
      createObject(this.world, { resource: NAMESPACES, body: { metadata: { name } } })
    }
    this.machines = new Machines({
      world: this.world,
      timers: this.time,
      random: random.fork('machines'),
      plane: this.plane,
      accessOf: (node) => this.#accessOf(node),
      ...(settings === undefined ? {} : { settings }),
    })
  }

  /** A cluster of one node that has been up for a while, with one pod. */
  static async withPod(options: RoomOptions & PodOptions = {}): Promise<MachineRoom> {
    const room = new MachineRoom(options)
    room.machines.add({ name: 'n1', address: '10.77.0.11' })
    await room.time.advance(5_000)
    room.place(options)
    await room.time.advance(5_000)
    return room
  }

  #accessOf(node: string): ApiAccess {
    const reach = this.#reach
    reach.set(node, new AbortController())
    return {
      get life() {
        return reach.get(node)?.signal
      },
    }
  }

  /** A node cannot reach the API any more. */
  cutOff(node = 'n1'): void {
    const life = this.#reach.get(node)
    this.#reach.delete(node)
    life?.abort(new Error('ECONNRESET'))
  }

  reconnect(node = 'n1'): void {
    this.#reach.set(node, new AbortController())
  }

  machine(name = 'n1') {
    const machine = this.machines.get(name)
    assert.ok(machine, `there is a machine ${name}`)
    return machine
  }

  /** As a scheduler leaves it. */
  place({
    name = 'web',
    node = 'n1',
    env = { GRACE: '2s' },
    graceSeconds = 30,
    spec,
    container,
  }: PodOptions = {}): void {
    const app = {
      name: 'app',
      env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
      ports: [{ containerPort: 8080 }],
      readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1 },
      ...container,
    }
    const body = {
      metadata: { name },
      spec: { nodeName: node, terminationGracePeriodSeconds: graceSeconds, containers: [app], ...spec },
    }
    createObject(this.world, { resource: PODS, namespace: 'default', body })
  }

  pod(name = 'web'): NodePod | undefined {
    return this.world.store.get(PODS, { namespace: 'default', name }) as NodePod | undefined
  }

  container(name = 'web'): RunStatus {
    const [status] = (this.pod(name)?.status?.containerStatuses ?? []) as readonly RunStatus[]
    assert.ok(status, `${name} has a container`)
    return status
  }

  isReady(name = 'web'): boolean {
    const ready = this.pod(name)?.status?.conditions?.find(({ type }) => type === 'Ready')
    return ready?.status === 'True'
  }

  delete(options: { readonly gracePeriodSeconds?: number } = {}, name = 'web'): void {
    const old = this.pod(name)
    assert.ok(old)
    deleteObject(this.world, { resource: PODS, old, options })
  }

  node(name = 'n1'): ApiObject | undefined {
    return this.world.store.get(NODES, { name })
  }

  lease(name = 'n1'): ApiObject | undefined {
    return this.world.store.get(LEASES, { namespace: 'kube-node-lease', name })
  }

  shownBootId(name = 'n1'): string | undefined {
    return (this.node(name)?.status as { nodeInfo?: { bootID?: string } } | undefined)?.nodeInfo?.bootID
  }

  nodeReady(name = 'n1'): string | undefined {
    const status = this.node(name)?.status as { conditions?: { type: string; status: string }[] } | undefined
    return status?.conditions?.find(({ type }) => type === 'Ready')?.status
  }

  get lastProcess(): MemoryProcess {
    const process = this.plane.processes.at(-1)
    assert.ok(process)
    return process
  }

  /** How many ms pass until it holds; looked at every 10 ms. */
  async until(holds: () => boolean, limitMs = 60_000): Promise<number> {
    const startedAt = this.time.monoMs()
    while (!holds()) {
      assert.ok(this.time.monoMs() - startedAt < limitMs, `it came to pass within ${limitMs} ms`)
      await this.time.advance(10)
    }
    return this.time.monoMs() - startedAt
  }
}
