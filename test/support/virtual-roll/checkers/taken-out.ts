import type { NodeObject } from '../../../../src/sim/actors/node-object.ts'
import type { EngineRequest } from '../engine-request.ts'
import type { Scene, ServerFact } from './scene.ts'

/** From a reload, or a command that no roll gave, until a roll can have heard of it. */
const UNHEARD_OF_MS = 1_500
/** What was asked for before that may be carried out late, by an API server that is slow. */
const UNDER_WAY_MS = 8_000

const bearsRecord = ({ metadata }: NodeObject): boolean => metadata.annotations?.['evenkeel.dev/record'] !== undefined

/**
 * Servers that served until a roll took them out, and that none has put back, whatever others say of them. Once a node
 * bears no record any more the roll is done with it, and what is out stays out for another reason.
 */
export class TakenOut {
  readonly #scene: Scene
  readonly #keys = new Set<string>()
  /** Since when they are in again by no command of a roll. */
  readonly #undoneSince = new Map<string, number>()

  constructor(scene: Scene) {
    this.#scene = scene
  }

  get keys(): ReadonlySet<string> {
    return this.#keys
  }

  note(request: EngineRequest): void {
    if (request.kind !== 'balancer') return
    const words = this.#scene.words(request)
    if (words.length === 0) return
    const bySocket = this.#scene.servers().filter(({ by }) => by === 'socket')
    const serving = new Set(bySocket.flatMap(({ key, admin }) => (admin === 'ready' ? [key] : [])))
    for (const { key, to } of words) {
      if (to === 'ready') this.#keys.delete(key)
      else if (serving.has(key)) this.#keys.add(key)
    }
  }

  look(): void {
    const recorded = new Set(this.#scene.nodes().flatMap((node) => (bearsRecord(node) ? [node.metadata.name] : [])))
    for (const { key, node, admin, by } of this.#scene.servers()) {
      const isToldByNode = by !== 'socket'
      if (isToldByNode && this.#scene.isAskedToLeave(node)) this.#keys.add(key)
      else if (isToldByNode || !recorded.has(node)) this.#keys.delete(key)
      if (admin !== 'ready' || !this.#keys.has(key)) this.#undoneSince.delete(key)
      else if (!this.#undoneSince.has(key)) this.#undoneSince.set(key, this.#scene.nowMs)
    }
  }

  /** The balancer sends to it, and not just since a moment ago by a reload or a command that no roll gave. */
  isSentTo(server: ServerFact): boolean {
    const { key, admin, instance, by } = server
    if (admin !== 'ready') return false
    const { nowMs, reloads } = this.#scene
    // It was out before the roll, so that a reload or people have put it in.
    if (!this.#keys.has(key) && nowMs - (this.#scene.handSetMs.get(key) ?? Number.NEGATIVE_INFINITY) <= UNHEARD_OF_MS)
      return false
    if (!this.#keys.has(key))
      return !reloads.some((reload) => reload.instance === instance && nowMs - reload.atMs <= UNHEARD_OF_MS)
    // A roll that takes a node out waits until its balancers have noticed.
    if (by !== 'socket') return true
    // What a roll leaves in service is not out again a moment later, as all else is.
    const limitMs = this.#scene.servesOn(server) ? UNDER_WAY_MS : UNHEARD_OF_MS
    return nowMs - (this.#undoneSince.get(key) ?? nowMs) > limitMs
  }
}
