import assert from 'node:assert/strict'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { NodeObject } from '../../../src/sim/actors/node-object.ts'
import { isGoing, isReady, type PodObject } from '../../../src/sim/actors/pod-object.ts'
import type { ActorParts } from '../../../src/sim/actors/run-reconciler.ts'
import { withCondition } from '../../../src/sim/actors/with-condition.ts'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { VirtualTime } from '../../../src/sim/clocks/virtual-time.ts'
import type { ApiObject } from '../../../src/sim/world/api-object.ts'
import { API_RESOURCES, type ApiResource, NAMESPACES, NODES, PODS } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { withDefaults } from '../../../src/sim/world/defaults.ts'
import { mergePatch } from '../../../src/sim/world/merge-patch.ts'
import { Store } from '../../../src/sim/world/store.ts'
import { stampOf } from '../../../src/sim/world/world.ts'
import { turnsOfLoop } from '../../support/turns-of-loop.ts'

const START = wallMs(Date.parse('2026-01-01T00:00:00Z'))

const ALLOCATABLE: Readonly<Record<string, string>> = { cpu: '4', memory: '8Gi', pods: '110' }

/** A world whose kubelets are played by the test: nothing happens to a pod that it does not do. */
export class ControlledWorld implements ActorParts {
  readonly timers = new VirtualTime({ startAt: START, turns: turnsOfLoop })
  readonly world = { store: new Store(), clock: this.timers, random: new SeededRandom('controlled') }
  #addresses = 0

  constructor(nodes: readonly string[]) {
    for (const name of ['default', 'kube-node-lease']) this.#create(NAMESPACES, { metadata: { name } })
    for (const name of nodes) this.addNode(name)
  }

  addNode(name: string, labels: Readonly<Record<string, string>> = {}, allocatable = ALLOCATABLE): void {
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: this.#now() }]
    const metadata = { name, labels: { 'kubernetes.io/hostname': name, ...labels } }
    this.#create(NODES, { metadata, spec: {}, status: { conditions, allocatable } })
  }

  /** A manifest, as it is written. */
  apply(manifest: object): ApiObject {
    const { apiVersion, kind } = manifest as ApiObject
    const [version = '', group = ''] = apiVersion.split('/').toReversed()
    const resource = API_RESOURCES.find(
      (each) => each.kind === kind && each.group === group && each.version === version,
    )
    assert.ok(resource, `${apiVersion} ${kind}`)
    return this.#create(resource, manifest)
  }

  /** As a merge patch on the whole object, status and all. */
  patch(resource: ApiResource, name: string, patch: object): void {
    const old = this.get(resource, name)
    const merged = withDefaults(resource, mergePatch(old, patch) as ApiObject, old)
    const isSpec = 'spec' in patch && resource.counted
    const generation = isSpec ? { generation: (merged.metadata.generation ?? 0) + 1 } : {}
    this.world.store.put(resource, { ...merged, metadata: { ...merged.metadata, ...generation } })
  }

  get<T extends ApiObject = ApiObject>(resource: ApiResource, name: string): T {
    const object = this.find<T>(resource, name)
    assert.ok(object, `${resource.kind} ${name} is there`)
    return object
  }

  find<T extends ApiObject = ApiObject>(resource: ApiResource, name: string): T | undefined {
    const place = resource.namespaced ? { namespace: 'default' } : {}
    return this.world.store.get(resource, { ...place, name }) as T | undefined
  }

  all<T extends ApiObject = ApiObject>(resource: ApiResource): readonly T[] {
    return ([...this.world.store.all(resource)] as T[]).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  }

  node = (name: string): NodeObject => this.get(NODES, name)

  /** By label `app`, in the order of their names. */
  pods(app?: string): readonly PodObject[] {
    return this.all<PodObject>(PODS).filter(({ metadata }) => app === undefined || metadata.labels?.app === app)
  }

  /** Where they are, one entry each, sorted. */
  placesOf(app: string): readonly string[] {
    return this.pods(app)
      .map(({ spec }) => spec.nodeName ?? '-')
      .toSorted()
  }

  setReady({ metadata }: PodObject, isIt = true): void {
    const pod = this.get<PodObject>(PODS, metadata.name)
    const status = isIt ? 'True' : 'False'
    const conditions = withCondition(pod.status?.conditions, { type: 'Ready', status, lastTransitionTime: this.#now() })
    this.#addresses += 1
    const podIP = pod.status?.podIP ?? `10.0.0.${this.#addresses}`
    this.world.store.put(PODS, { ...pod, status: { ...pod.status, phase: 'Running', podIP, conditions } })
  }

  /** Every kubelet has done all there was for it to do: what is placed is Ready, what is going is gone. */
  kubelets(): void {
    for (const pod of this.pods()) {
      if ((pod.spec.nodeName ?? '') === '') continue
      if (isGoing(pod)) this.world.store.remove(PODS, pod.metadata)
      else if (!isReady(pod)) this.setReady(pod)
    }
  }

  async after(ms: number): Promise<void> {
    await this.timers.advance(ms)
  }

  /** Controllers and kubelets until nothing is left for either. */
  async settle(): Promise<void> {
    for (let round = 0; round < 30; round += 1) {
      await this.after(500)
      this.kubelets()
    }
  }

  #now(): string {
    return stampOf(this.timers.wallMs())
  }

  #create(resource: ApiResource, body: object): ApiObject {
    const place = resource.namespaced ? { namespace: 'default' } : {}
    return createObject(this.world, { resource, ...place, body })
  }
}
