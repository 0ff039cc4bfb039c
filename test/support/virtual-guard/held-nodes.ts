import { CONFIG_MAPS, NODES, PODS, VOLUME_ATTACHMENTS } from '../../../src/sim/world/api-resource.ts'
import type { GuardGround } from './guard-ground.ts'
import { type Json, volumeAttachment } from './guard-manifests.ts'
import type { GuardScenario, HoldKind, MemberState } from './guard-scenario.ts'

const ANNOTATION = 'storage.example.com/busy'

/** As a NodeGuard has them. */
const SPECS: Readonly<Record<HoldKind, Json>> = {
  volumes: { volumes: { drivers: ['driver.example.com'] } },
  pods: { pods: { namespace: 'default', selector: { app: 'busy' } } },
  http: { http: { url: 'http://{address}:9500/drain/{node}', timeoutSeconds: 5 } },
  object: {
    object: {
      version: 'v1',
      resource: 'configmaps',
      namespace: 'default',
      name: 'state-{node}',
      clearWhen: "object.data.state == 'clean'",
    },
  },
  annotation: { annotation: { key: ANNOTATION } },
}

export const holdSpecs = (holds: readonly HoldKind[]): readonly Json[] =>
  holds.map((hold) => ({ name: hold, ...SPECS[hold] }))

/** What holds which node at which time, as the scenario has it; the world is made so. */
export class HeldNodes {
  readonly #ground: GuardGround
  readonly #standing: readonly MemberState[]
  readonly #begunAt: number

  constructor(ground: GuardGround, { standing }: GuardScenario) {
    this.#ground = ground
    this.#standing = standing
    const { time } = ground.cluster
    this.#begunAt = time.monoMs()
    ground.target = (node) => {
      const found = this.#now('http', node)
      if (found === undefined) return { kind: 'clear', evidence: 'answered 200' }
      if (found.manner === 'hangs') return 'hangs'
      return found.manner === 'held'
        ? { kind: 'held', evidence: 'answered red' }
        : { kind: 'unknown', why: 'answered 500' }
    }
    standing.forEach((one, i) => {
      time.later(one.fromMs, () => this.#set(one, i, true))
      time.later(one.toMs, () => this.#set(one, i, false))
    })
  }

  /** For how long, up to now, this hold has not been clear for the node; 0 where it is. */
  heldForMs(hold: HoldKind, node: string): number {
    const now = this.#atMs()
    // It may have gone with its node, or by a taint of it.
    const isBusy = this.#ground
      .pods()
      .some(({ spec, metadata }) => spec.nodeName === node && metadata.labels?.app === 'busy')
    if (hold === 'pods' && !isBusy) return 0
    if (hold === 'annotation' && this.#ground.node(node).metadata.annotations?.[ANNOTATION] === undefined) return 0
    let since = now
    // Windows that meet are one.
    for (;;) {
      const earlier = this.#standing.find(
        (one) => one.hold === hold && one.node === node && one.fromMs < since && one.toMs >= since,
      )
      if (earlier === undefined) return now - since
      since = earlier.fromMs
    }
  }

  #now(hold: HoldKind, node: string): MemberState | undefined {
    const now = this.#atMs()
    return this.#standing.find((one) => one.hold === hold && one.node === node && now >= one.fromMs && now < one.toMs)
  }

  #atMs(): number {
    return this.#ground.cluster.time.monoMs() - this.#begunAt
  }

  #set({ hold, node, manner }: MemberState, i: number, stands: boolean): void {
    const { store } = this.#ground.cluster.world
    // A window that another one goes on from is not over.
    if (!stands && this.#now(hold, node) !== undefined && hold !== 'volumes' && hold !== 'pods') return
    switch (hold) {
      case 'volumes':
        if (stands) this.#ground.apply(volumeAttachment(`busy-${i}`, node))
        else this.#ground.remove(VOLUME_ATTACHMENTS, { name: `busy-${i}` })
        return
      case 'pods':
        if (stands && store.get(NODES, { name: node }) !== undefined) this.#ground.apply(busyPod(`busy-${i}`, node))
        else this.#ground.remove(PODS, { namespace: 'default', name: `busy-${i}` })
        return
      case 'object': {
        const data = stands ? (manner === 'held' ? { state: 'dirty' } : { other: 'x' }) : { state: 'clean' }
        this.#state(node, data)
        return
      }
      case 'annotation':
        if (store.get(NODES, { name: node }) !== undefined)
          this.#ground.annotateNode(node, ANNOTATION, stands ? 'yes' : undefined)
        return
      case 'http':
        return
    }
  }

  /** Of a node that is there from the beginning, or joins. */
  #state(node: string, data: Json): void {
    this.#ground.remove(CONFIG_MAPS, { namespace: 'default', name: `state-${node}` })
    this.#ground.apply(stateOf(node, data))
  }
}

export const stateOf = (node: string, data: Json = { state: 'clean' }): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name: `state-${node}` },
  data,
})

/** It stays where it is, whatever a drain does: kubectl leaves it. */
const busyPod = (name: string, nodeName: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name, labels: { app: 'busy' } },
  spec: { nodeName, terminationGracePeriodSeconds: 0, containers: [{ name: 'a', image: 'testbed.local/app:1' }] },
})
