import { DAEMON_SETS, NODES, PODS } from '../world/api-resource.ts'
import { templateGeneration } from '../world/defaults.ts'
import { deleteObject } from '../world/delete-object.ts'
import type { World } from '../world/world.ts'
import { affinityTo, daemonPlacement, daemonTolerations } from './daemon-placement.ts'
import { daemonLimits, daemonRollout, excessPods } from './daemon-rollout.ts'
import type { DaemonSetObject } from './daemon-set-object.ts'
import { type DaemonNode, type DaemonRules, DaemonTally, daemonCounts } from './daemon-tally.ts'
import { FailedDaemons } from './failed-daemons.ts'
import type { NodeObject } from './node-object.ts'
import { createOwnedPod } from './owned-pods.ts'
import { availabilityOf } from './pod-availability.ts'
import { isFinished, isGoing, type PodObject } from './pod-object.ts'
import { templateHash } from './template-hash.ts'

const HASH = 'controller-revision-hash'

interface DaemonSetSynced {
  readonly status: Readonly<Record<string, number>>
  /** As for `ReconcilerSpec.sync`. */
  readonly again: number | 'failed' | undefined
}

/** The work on one DaemonSet: only nodes with changes are visited. */
export class DaemonSetSync {
  readonly #world: World
  readonly #podsOn: (node: string) => readonly PodObject[]
  readonly #touched = new Set<string>()
  readonly #tally = new DaemonTally()
  readonly #failed = new FailedDaemons()

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
    const work = { rules, hash }
    let again = this.#visit(set, work)
    const { current, updated, desired } = this.#tally.total
    if (updated < current && set.spec.updateStrategy?.type !== 'OnDelete') {
      const { outdated, surged } = daemonRollout({ set, nodes: this.#nodes(set), rules, desired })
      for (const pod of outdated) remove(this.#world, pod)
      const isRefused = surged.map((name) => this.#make(set, { name, hash })).includes(false)
      again = isRefused ? 'failed' : sooner(again, this.#visit(set, work))
    }
    return { status: this.#tally.status(set), again }
  }

  /** Works on the nodes with changes, also with changes of its own; returns when nodes that are not settled are to be seen. */
  #visit(set: DaemonSetObject, work: Work): DaemonSetSynced['again'] {
    let again: DaemonSetSynced['again']
    const unsettled: string[] = []
    for (const name of this.#touched) {
      this.#touched.delete(name)
      const node = this.#nodeOf(set, name)
      if (node === undefined) this.#forsake(name)
      const failedMs = node === undefined ? undefined : this.#clear(set, { ...work, name, node })
      const isRefused = node !== undefined && !this.#fill(set, { ...work, name, node })
      const after = this.#nodeOf(set, name)
      this.#tally.set(name, after && daemonCounts(after, work.rules))
      const { againMs: readyMs } = availabilityOf(after?.pods ?? [], work.rules.minReadySeconds, work.rules.nowMs)
      const againMs = failedMs === undefined ? readyMs : Math.min(failedMs, readyMs ?? failedMs)
      // Our own write marks the node as changed again: that change is known.
      this.#touched.delete(name)
      if (!isRefused && againMs === undefined) continue
      again = isRefused ? 'failed' : sooner(again, againMs)
      unsettled.push(name)
    }
    for (const name of unsettled) this.touch(name)
    return again
  }

  #nodeOf({ spec }: DaemonSetObject, name: string): DaemonNode | undefined {
    const node = this.#world.store.get(NODES, { name }) as NodeObject | undefined
    return node === undefined ? undefined : { pods: this.#podsOn(name), ...daemonPlacement(node, spec.template) }
  }

  #nodes({ spec }: DaemonSetObject): readonly (DaemonNode & { readonly name: string })[] {
    return ([...this.#world.store.all(NODES)] as NodeObject[]).map((node) => {
      const { name } = node.metadata
      return { name, pods: this.#podsOn(name), ...daemonPlacement(node, spec.template) }
    })
  }

  /** Removes what must leave (daemon_controller.go, podsShouldBeOnNode). Returns when a failed pod is to be seen again. */
  #clear(set: DaemonSetObject, { name, node, rules }: Work & Managed): number | undefined {
    if (!node.shouldStay) {
      for (const pod of node.pods) if (!isGoing(pod)) remove(this.#world, pod)
      return undefined
    }
    let againMs: number | undefined
    for (const pod of excessPods(set, node.pods, rules)) {
      const waitMs = pod.status?.phase === 'Failed' ? this.#failed.waitMs(name, rules.nowMs) : undefined
      if (waitMs === undefined) remove(this.#world, pod)
      else againMs = Math.min(waitMs, againMs ?? waitMs)
    }
    return againMs
  }

  /** Deletes unscheduled pods whose node is gone. No other controller deletes them (getUnscheduledPodsWithoutNode). */
  #forsake(node: string): void {
    if (node === '') return
    for (const pod of this.#podsOn(node))
      if ((pod.spec.nodeName ?? '') === '' && !isGoing(pod)) remove(this.#world, pod)
  }

  /** False: the API refused a pod. */
  #fill(set: DaemonSetObject, { name, node, hash }: Work & Managed): boolean {
    const left = this.#podsOn(name)
    // A terminating pod still occupies the node, and the next pod is created after it has ended. Under a surge it does not.
    const isMissing = daemonLimits(set, 1).surge > 0 ? left.every(isGoing) : left.length === 0
    return !node.shouldStay || !node.shouldRun || !isMissing || this.#make(set, { name, hash })
  }

  #make(set: DaemonSetObject, { name, hash }: { readonly name: string; readonly hash: string }): boolean {
    const { template } = set.spec
    return createOwnedPod(this.#world, {
      resource: DAEMON_SETS,
      owner: set,
      template,
      labels: { [HASH]: hash, 'pod-template-generation': templateGeneration(set) },
      spec: { tolerations: daemonTolerations(template.spec), affinity: affinityTo(name, template.spec) },
    })
  }
}

interface Work {
  readonly rules: DaemonRules
  readonly hash: string
}

interface Managed {
  readonly name: string
  readonly node: DaemonNode
}

function sooner(a: DaemonSetSynced['again'], b: DaemonSetSynced['again']): DaemonSetSynced['again'] {
  if (a === 'failed' || b === 'failed') return 'failed'
  if (a === undefined || b === undefined) return a ?? b
  return Math.min(a, b)
}

function remove(world: World, pod: PodObject): void {
  deleteObject(world, { resource: PODS, old: pod, options: {} })
}
