import { isReady, type PodObject } from '../../../src/sim/actors/pod-object.ts'
import type { ApiObject } from '../../../src/sim/world/api-object.ts'
import { DISRUPTION_BUDGETS, LEASES, NODES, PODS } from '../../../src/sim/world/api-resource.ts'
import type { GuardGround } from './guard-ground.ts'
import { isWantedOn, type Json } from './guard-manifests.ts'
import type { GuardScenario } from './guard-scenario.ts'
import type { HeldNodes } from './held-nodes.ts'

/** What a controller goes by may be as old as this: answers of the API are late, and watches are behind. */
const OLD_MS = 5_000
const LOOK_EVERY_MS = 200

interface Parts {
  readonly ground: GuardGround
  readonly scenario: GuardScenario
  readonly held: HeldNodes
  /** A person released it, or did a moment ago. */
  readonly isReleased: (node: string) => boolean
  /** What happens to the node by force, since when it may be without its guard. */
  readonly say: (checker: string, text: string) => void
}

/**
 * What the world shows of guards, by budgets, pods and Leases and by nothing that the controller says: which nodes lost their guard by
 * an eviction, and what held a node when its budget was opened.
 */
export class GuardWitness {
  readonly #parts: Parts
  /** Nodes whose guard was evicted and is not back, with when. */
  readonly #evicted = new Map<string, number>()
  /** Of these, those that were uncordoned since: a guard that comes back before tolerates a cordon. */
  readonly #uncordoned = new Set<string>()
  /** Guards that were ready when they were deleted, and resist that: they are there as long as their finalizer. */
  readonly #resisting = new Set<string>()
  /** Nodes that went by the slot of another owner, and when that owner gave it back. */
  readonly #slotEnded = new Map<string, number>()
  /** Nodes that were to have no guard for a while, and since when they are to have one again. */
  readonly #wantedAgain = new Map<string, number>()
  grants = 0

  constructor(parts: Parts) {
    this.#parts = parts
    const { store } = parts.ground.cluster.world
    store.subscribe(DISRUPTION_BUDGETS, ({ type, object, previous }) => {
      if (type === 'DELETED') return
      const was = previous !== undefined && isOpen(previous)
      if (isOpen(object) && !was && isOfGuard(object)) this.#opened(object)
    })
    store.subscribe(PODS, ({ type, object, previous }) => {
      if (previous !== undefined && isLocked(previous) && (type === 'DELETED' || !isLocked(object)))
        this.#unlocked(previous)
      if (previous !== undefined && isLocked(object) && wasDeletedReady(previous, object))
        this.#resisting.add(object.metadata.name)
      const labels = object.metadata.labels ?? {}
      if (type !== 'ADDED' || labels['evenkeel.dev/guard'] === undefined) return
      // A ReplicaSet may make one more before it is collected with its Deployment.
      if (!parts.ground.deployments().some(({ metadata }) => object.metadata.name.startsWith(`${metadata.name}-`)))
        return
      if (!parts.ground.gates().some((gate) => isOfGuard(gate) && selects(gate, labels)))
        parts.say('budget-first', `${object.metadata.name} was made before a budget over it`)
    })
    store.subscribe(LEASES, ({ object, previous }) => {
      const { 'evenkeel.dev/node': node } = previous?.metadata.annotations ?? {}
      if (previous === undefined || node === undefined || isOfController(previous) || holderOf(object) !== '') return
      this.#slotEnded.set(node, parts.ground.cluster.time.monoMs())
    })
    store.subscribe(NODES, ({ object, previous }) => {
      if (previous === undefined || isWantedOn(previous) || !isWantedOn(object)) return
      this.#wantedAgain.set(object.metadata.name, parts.ground.cluster.time.monoMs())
    })
    this.#look()
    parts.ground.onEvicted = (pod, node) => {
      const name = pod.metadata.labels?.['evenkeel.dev/guard']
      // A guard that resists is still there. A guard that was to take its place was evicted before it was ready.
      if (isLocked(pod)) return
      if (name !== undefined && isReady(pod) && !parts.ground.guarded(name).includes(node)) this.#lost(node)
    }
  }

  #look(): void {
    this.#forgetThoseBack()
    this.#parts.ground.cluster.time.later(LOOK_EVERY_MS, () => this.#look())
  }

  /** The controller has removed that pod: in mode Budget, of the node that is granted. */
  removed(podName: string): void {
    const { ground } = this.#parts
    const pod = ground.guardPods().find(({ metadata }) => metadata.name === podName)
    const node = pod?.spec.nodeName
    // A write under an old version is refused.
    if (pod?.metadata.deletionTimestamp === undefined) return
    if (node === undefined || !ground.hasNode(node) || this.#isNeedless(node)) return
    this.#granted(node)
    this.#lost(node)
  }

  /** The controller lets a guard go that was deleted and resisted: its node is granted, or nothing is left to be resisted. */
  #unlocked({ metadata: { labels = {} }, spec }: ApiObject): void {
    const { ground } = this.#parts
    const { nodeName: node } = spec as { readonly nodeName?: string }
    const name = labels['evenkeel.dev/guard'] ?? ''
    if (node === undefined || !ground.hasNode(node) || this.#isNeedless(node)) return
    if (ground.guard(name) === undefined || ground.guarded(name).includes(node)) return
    this.#granted(node)
    this.#lost(node)
  }

  /** It is to have no guard, or was to have none as far as the controller may know. With a slot it goes by a grant all the same. */
  #isNeedless(node: string): boolean {
    const { ground } = this.#parts
    if (!ground.isWanted(node)) return true
    const since = this.#wantedAgain.get(node) ?? Number.NEGATIVE_INFINITY
    return ground.cluster.time.monoMs() - since <= OLD_MS && !ground.slotNodes().includes(node)
  }

  /** A guard was evicted: no other node of the group may be without its own for the same reason. */
  #lost(node: string): void {
    this.#forgetThoseBack()
    const others = [...this.#evicted.keys()].filter((other) => other !== node && !this.#parts.isReleased(other))
    if (others.length > 0)
      this.#parts.say('one-node', `the guard of ${node} was evicted while ${others.join(', ')} is without its own`)
    this.#evicted.set(node, this.#parts.ground.cluster.time.monoMs())
    this.#uncordoned.delete(node)
  }

  #forgetThoseBack(): void {
    const { ground } = this.#parts
    const names = ['guard', ...(this.#parts.scenario.hasSecond ? ['second'] : [])]
    for (const [node] of this.#evicted) {
      const isGone = !ground.hasNode(node) || !ground.isWanted(node)
      if (!isGone && !ground.isCordoned(node)) this.#uncordoned.add(node)
      const isBack = this.#uncordoned.has(node) && names.every((name) => this.#hasGuard(name, node))
      if (isGone || isBack) this.#evicted.delete(node)
    }
  }

  #hasGuard(name: string, node: string): boolean {
    const { ground } = this.#parts
    const resists = ({ metadata, spec }: ApiObject): boolean =>
      (spec as { readonly nodeName?: string }).nodeName === node && this.#resisting.has(metadata.name)
    return ground.guarded(name).includes(node) || ground.guardPods(name).some((pod) => isLocked(pod) && resists(pod))
  }

  #opened(gate: ApiObject): void {
    const { ground, say } = this.#parts
    const node = nodeOf(gate)
    const open = ground.gates().filter((other) => isOfGuard(other) && isOpen(other))
    const nodes = new Set([...open.map(nodeOf), node])
    if (nodes.size > 1) say('one-grant', `budgets of ${[...nodes].join(' and ')} are open at once`)
    this.#granted(node)
  }

  #granted(node: string): void {
    this.grants += 1
    const { ground, scenario, held, isReleased, say } = this.#parts
    const endedAt = this.#slotEnded.get(node) ?? Number.NEGATIVE_INFINITY
    const hadSlot = ground.cluster.time.monoMs() - endedAt <= OLD_MS
    if (!hadSlot && !ground.slotNodes().includes(node)) say('slot-first', `${node} was granted without a slot`)
    const slots = new Set([...ground.slotNodes(), node]).size
    const limit = Math.min(scenario.maxOut ?? 1, Math.max(1, ground.nodeNames().length - 1))
    if (slots > limit) say('budget-kept', `${slots} nodes have a slot, and ${limit} may be out`)
    if (ground.isWanted(node) && ground.heldByHandForMs(node) > OLD_MS && !isReleased(node))
      say('holds-kept', `${node} was granted while a person holds it`)
    this.#forgetThoseBack()
    const now = ground.cluster.time.monoMs()
    for (const [other, at] of this.#evicted)
      if (other !== node && now - at > OLD_MS && !isReleased(other))
        say('one-node', `${node} was granted while the guard of ${other} is gone for ${now - at} ms`)
    // The holds are those of the first guard, which follows the DaemonSet.
    // Once it is gone by a grant, it has nothing left to hold.
    if (isReleased(node) || !ground.isWanted(node) || this.#evicted.has(node)) return
    for (const hold of scenario.holds) {
      const ms = held.heldForMs(hold, node)
      if (ms > OLD_MS) say('holds-kept', `${node} was granted while ${hold} has held it for ${Math.round(ms)} ms`)
    }
  }
}

const isLocked = ({ metadata: { finalizers = [] } }: ApiObject): boolean => finalizers.includes('evenkeel.dev/guard')

/** Its kubelet may say only later that it was ready when it was deleted. */
const wasDeletedReady = (before: ApiObject, object: ApiObject): boolean =>
  object.metadata.deletionTimestamp !== undefined && [before, object].some((pod) => isReady(pod as PodObject))

const holderOf = ({ spec }: ApiObject): string => String((spec as Json).holderIdentity ?? '')

const isOfController = (lease: ApiObject): boolean => holderOf(lease).startsWith('controller/')

const isOfGuard = ({ metadata }: ApiObject): boolean => metadata.labels?.['evenkeel.dev/guard'] !== undefined

function isOpen({ spec }: ApiObject): boolean {
  const { minAvailable, maxUnavailable } = spec as Json
  return minAvailable === undefined ? maxUnavailable !== 0 : minAvailable !== 1
}

const nodeOf = ({ metadata: { annotations = {} } }: ApiObject): string =>
  annotations['evenkeel.dev/node'] ?? 'all nodes'

function selects({ spec }: ApiObject, labels: Readonly<Record<string, string>>): boolean {
  const { matchLabels = {} } =
    (spec as { readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> } }).selector ?? {}
  return Object.entries(matchLabels).every(([key, value]) => labels[key] === value)
}
