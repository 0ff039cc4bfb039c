import { DAEMON_SETS, NODES, PODS } from '../world/api-resource.ts'
import { deleteObject } from '../world/delete-object.ts'
import type { World } from '../world/world.ts'
import { affinityTo, daemonPlacement, daemonTolerations } from './daemon-placement.ts'
import type { DaemonSetObject } from './daemon-set-object.ts'
import { type DaemonNode, type DaemonRules, DaemonTally, daemonCounts } from './daemon-tally.ts'
import type { NodeObject } from './node-object.ts'
import { createOwnedPod } from './owned-pods.ts'
import { availabilityOf, isAvailable } from './pod-availability.ts'
import { isFinished, isGoing, type PodObject } from './pod-object.ts'
import { shareOf } from './share-of.ts'
import { templateHash } from './template-hash.ts'

const AGAIN_MS = 1_000
const HASH = 'controller-revision-hash'

interface DaemonSetSynced {
  readonly status: Readonly<Record<string, number>>
  readonly againMs: number | undefined
}

/** The work on one DaemonSet: only nodes with changes are visited. */
export class DaemonSetSync {
  readonly #world: World
  readonly #podsOn: (node: string) => readonly PodObject[]
  readonly #touched = new Set<string>()
  readonly #tally = new DaemonTally()

  constructor(world: World, podsOn: (node: string) => readonly PodObject[]) {
    this.#world = world
    // Finished pods that are being deleted do not count (daemon_controller.go, getNodesToDaemonPods).
    this.#podsOn = (node) => podsOn(node).filter((pod) => !isGoing(pod) || !isFinished(pod))
  }

  touch(node: string): void {
    this.#touched.add(node)
  }

  /** The node lacks its pod, or has a pod that must leave. A terminating pod counts as none. */
  isDue(set: DaemonSetObject, name: string): boolean {
    const node = this.#nodeOf(set, name)
    if (node === undefined) return true
    return node.pods.every(isGoing) ? node.shouldRun : !node.shouldStay
  }

  touchAll(): void {
    for (const { metadata } of this.#world.store.all(NODES)) this.touch(metadata.name)
  }

  run(set: DaemonSetObject): DaemonSetSynced {
    const hash = templateHash(set.spec.template)
    const rules: DaemonRules = {
      isCurrent: ({ metadata }) => metadata.labels?.[HASH] === hash,
      minReadySeconds: set.spec.minReadySeconds ?? 0,
      nowMs: this.#world.clock.wallMs(),
    }
    const waits = this.#visit(set, { rules, hash })
    const { current, updated } = this.#tally.total
    if (updated < current && set.spec.updateStrategy?.type !== 'OnDelete') {
      for (const pod of this.#toReplace(set, rules)) remove(this.#world, pod)
      waits.push(...this.#visit(set, { rules, hash }))
    }
    return { status: this.#tally.status(set), againMs: waits.length === 0 ? undefined : Math.min(...waits) }
  }

  /** Works on the nodes with changes, also with changes of its own; returns how long to wait for nodes that are not settled. */
  #visit(set: DaemonSetObject, { rules, hash }: { readonly rules: DaemonRules; readonly hash: string }): number[] {
    const waits: number[] = []
    const unsettled: string[] = []
    for (const name of this.#touched) {
      this.#touched.delete(name)
      const node = this.#nodeOf(set, name)
      const isRefused = node !== undefined && this.#manage(set, { name, node, hash }) === 'refused'
      const after = this.#nodeOf(set, name)
      this.#tally.set(name, after && daemonCounts(after, rules))
      const { againMs } = availabilityOf(after?.pods ?? [], rules.minReadySeconds, rules.nowMs)
      const wait = isRefused ? AGAIN_MS : againMs
      // Our own write marks the node as changed again: that change is known.
      this.#touched.delete(name)
      if (wait === undefined) continue
      waits.push(wait)
      unsettled.push(name)
    }
    for (const name of unsettled) this.touch(name)
    return waits
  }

  #nodeOf({ spec }: DaemonSetObject, name: string): DaemonNode | undefined {
    const node = this.#world.store.get(NODES, { name }) as NodeObject | undefined
    return node === undefined ? undefined : { pods: this.#podsOn(name), ...daemonPlacement(node, spec.template) }
  }

  /** daemon_controller.go, podsShouldBeOnNode. */
  #manage(
    set: DaemonSetObject,
    { name, node, hash }: { readonly name: string; readonly node: DaemonNode; readonly hash: string },
  ): 'refused' | 'done' {
    const staying = node.pods.filter((pod) => !isGoing(pod))
    if (!node.shouldStay) {
      for (const pod of staying) remove(this.#world, pod)
      return 'done'
    }
    const [, ...excess] = staying.filter((pod) => !isFinished(pod))
    for (const pod of [...staying.filter(isFinished), ...excess]) remove(this.#world, pod)
    // A terminating pod still occupies the node: the next pod is created after it has ended.
    if (!node.shouldRun || this.#podsOn(name).length > 0) return 'done'
    const { template } = set.spec
    const isMade = createOwnedPod(this.#world, {
      resource: DAEMON_SETS,
      owner: set,
      template,
      labels: { [HASH]: hash, 'pod-template-generation': String(set.metadata.generation ?? 1) },
      spec: { tolerations: daemonTolerations(template.spec), affinity: affinityTo(name, template.spec) },
    })
    return isMade ? 'done' : 'refused'
  }

  /**
   * Old pods that may be removed now: all that are not available, and as many others as may be missing (update.go,
   * rollingUpdate).
   */
  #toReplace(set: DaemonSetObject, rules: DaemonRules): readonly PodObject[] {
    const nodes = [...this.#world.store.all(NODES)].map(({ metadata }) => this.#podsOn(metadata.name))
    const { desired } = this.#tally.total
    const limit = shareOf(set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, desired, Math.ceil)
    const isWell = (pod: PodObject): boolean => !isGoing(pod) && isAvailable(pod, rules.minReadySeconds, rules.nowMs)
    const missing = desired - nodes.filter((pods) => pods.some(isWell)).length
    const old = nodes.flat().filter((pod) => !rules.isCurrent(pod) && !isGoing(pod))
    return [...old.filter((pod) => !isWell(pod)), ...old.filter(isWell).slice(0, Math.max(0, limit - missing))]
  }
}

function remove(world: World, pod: PodObject): void {
  deleteObject(world, { resource: PODS, old: pod, options: {} })
}
