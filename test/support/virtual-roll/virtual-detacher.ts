import type { NodeObject } from '../../../src/sim/actors/node-object.ts'
import type { VirtualBalancer } from '../../../src/sim/balancer/virtual-balancer.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { NODES } from '../../../src/sim/world/api-resource.ts'
import { FIRST_INSTANCE } from './checkers/server-word.ts'

export const REQUEST = 'node-detacher.variant.run/detached'
export const STAMP = 'node-detacher.variant.run/detachment-timestamp'
export const ATTACHED_STAMP = 'node-detacher.variant.run/attachment-timestamp'

/**
 * `garbage`, `long ago` and `just before`: it writes that in place of a timestamp and detaches nothing. `never`: it does nothing.
 * `ahead`: it detaches, and its clock is ten minutes ahead.
 */
export type DetacherManner = 'prompt' | 'slow' | 'late' | 'never' | 'garbage' | 'long ago' | 'just before' | 'ahead'

const LOOK_EVERY_MS = 500
const ACTS_AFTER_MS = { prompt: 2_000, slow: 20_000, late: 90_000, ahead: 2_000 } as const
const JUST_BEFORE_MS = 30_000
const LONG_AGO_MS = 3_600_000

/** By so many checks in a row the balancer would have found that the node does not serve. */
const CHECKED_FOR_MS = 4_000

interface DetacherGround {
  readonly cluster: VirtualCluster
  /** Whose server `web` of each node it moves: the first one unless told otherwise. */
  readonly instance?: string
  readonly leavingPods?: () => readonly { readonly node: string; readonly uid: string }[]
}

interface Place {
  askedAt: number | undefined
  /** It is out, and not asked to be out any more. */
  releasedAt: number | undefined
  isOut: boolean
}

/**
 * A program that is asked by an annotation of the Node, and moves its servers in the balancer, which nothing else moves. It answers
 * by a timestamp on the Node, and removes it once the node is attached again.
 */
export class Detacher {
  manner: DetacherManner
  /** It leaves its last timestamp on the Node when the node is attached again. */
  keepsStamps = false
  /** It says with another timestamp that a node is attached again. */
  tellsAttached = false
  /** It does not run. */
  isAway = false
  /** Nodes whose pods were made to leave while the balancer still sent to them. */
  readonly early: string[] = []
  readonly #ground: DetacherGround
  readonly #places = new Map<string, Place>()
  readonly #leaving = new Set<string>()
  #callOff: () => void = () => undefined

  constructor(ground: DetacherGround, manner: DetacherManner) {
    this.#ground = ground
    this.manner = manner
    this.#look()
  }

  end(): void {
    this.#callOff()
  }

  #look(): void {
    for (const name of this.isAway ? [] : this.#ground.cluster.nodes) this.#follow(name)
    for (const { node, uid } of this.#ground.leavingPods?.() ?? []) {
      if (!this.#leaving.has(uid) && this.#places.get(node)?.isOut !== true) this.early.push(node)
      this.#leaving.add(uid)
    }
    this.#callOff = this.#ground.cluster.time.later(LOOK_EVERY_MS, () => this.#look())
  }

  #follow(name: string): void {
    const now = this.#ground.cluster.time.wallMs()
    const isAsked = this.#annotations(name)[REQUEST] !== undefined
    const place = this.#places.get(name) ?? { askedAt: undefined, releasedAt: undefined, isOut: false }
    this.#places.set(name, place)
    if (!isAsked) {
      place.askedAt = undefined
      if (place.isOut) this.#attach(name, place, now)
      return
    }
    place.releasedAt = undefined
    place.askedAt ??= now
    if (!place.isOut) this.#answer(name, place, now)
  }

  #answer(name: string, place: Place, now: number): void {
    const { manner } = this
    switch (manner) {
      case 'never':
        return
      case 'garbage':
        this.#annotate(name, 'done!')
        return
      case 'long ago':
        this.#annotate(name, iso(now - LONG_AGO_MS))
        return
      case 'just before':
        // It stood there before the node was asked to leave: nothing is written now.
        return
      default:
        if (now - (place.askedAt ?? now) < ACTS_AFTER_MS[manner]) return
        this.#setState(name, 'drain')
        place.isOut = true
        this.#annotate(name, iso(manner === 'ahead' ? now + 600_000 : now))
    }
  }

  /** As a load balancer with an API does: it sends to a node that its own checks have found to serve since. */
  #attach(name: string, place: Place, now: number): void {
    place.releasedAt ??= now
    const { servers } = this.#balancer.state
    const { check } = servers.find(({ config }) => config.name === name) ?? {}
    const isWell = check !== undefined && check.health >= check.config.rise
    if (!isWell || now - place.releasedAt < CHECKED_FOR_MS) return
    this.#setState(name, 'ready')
    place.isOut = false
    if (this.tellsAttached) this.#annotate(name, iso(now), ATTACHED_STAMP)
    if (!this.keepsStamps) this.#annotate(name, undefined)
  }

  /** A timestamp of so long ago stands on each Node, as of an earlier cycle. */
  leaveStamps(): void {
    const now = this.#ground.cluster.time.wallMs()
    for (const name of this.#ground.cluster.nodes) this.#annotate(name, iso(now - JUST_BEFORE_MS))
  }

  #setState(name: string, state: 'drain' | 'ready'): void {
    this.#balancer.answer(`set server web/${name} state ${state}`)
  }

  get #balancer(): VirtualBalancer {
    const { instance = FIRST_INSTANCE, cluster } = this.#ground
    return cluster.instances.find(({ name }) => name === instance)?.balancer ?? cluster.balancer
  }

  #node(name: string): NodeObject | undefined {
    return this.#ground.cluster.world.store.get(NODES, { name }) as NodeObject | undefined
  }

  #annotations(name: string): Readonly<Record<string, string>> {
    return this.#node(name)?.metadata.annotations ?? {}
  }

  #annotate(name: string, value: string | undefined, key = STAMP): void {
    const node = this.#node(name)
    const { [key]: before, ...others } = node?.metadata.annotations ?? {}
    if (node === undefined || before === value) return
    const annotations = value === undefined ? others : { ...others, [key]: value }
    this.#ground.cluster.world.store.put(NODES, { ...node, metadata: { ...node.metadata, annotations } })
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()
