import type { IngressGround } from './ingress-ground.ts'

const LOOK_EVERY_MS = 50

/**
 * What the world shows in the course of a rollout, by what stands on Nodes and pods and by nothing that the controller says: how
 * many nodes are claimed at once, and which pods were made to leave before their node had been claimed for its grace.
 */
export class RolloutWitness {
  mostClaimed = 0
  /** `n1 after 1200 ms`, or `n1 without a claim`. */
  readonly early: string[] = []
  readonly #ground: IngressGround
  readonly #graceMs: number
  /** Nodes that others work on: their pods go for another reason, and they are not out for the rollout alone. */
  readonly #isOfOthers: (node: string) => boolean
  readonly #claimedAt = new Map<string, number>()
  readonly #leaving = new Set<string>()

  constructor(ground: IngressGround, graceMs: number, isOfOthers: (node: string) => boolean = () => false) {
    this.#ground = ground
    this.#graceMs = graceMs
    this.#isOfOthers = isOfOthers
    this.#look()
  }

  #look(): void {
    const { time } = this.#ground.cluster
    const now = time.wallMs()
    const claimed = this.#ground.claimed()
    this.mostClaimed = Math.max(this.mostClaimed, claimed.filter((node) => !this.#isOfOthers(node)).length)
    for (const node of this.#claimedAt.keys()) if (!claimed.includes(node)) this.#claimedAt.delete(node)
    for (const node of claimed) if (!this.#claimedAt.has(node)) this.#claimedAt.set(node, now)
    for (const { node, uid } of this.#ground.leavingPods()) this.#left(node, uid, now)
    time.later(LOOK_EVERY_MS, () => this.#look())
  }

  #left(node: string, uid: string, now: number): void {
    if (this.#leaving.has(uid)) return
    this.#leaving.add(uid)
    if (this.#isOfOthers(node)) return
    const since = this.#claimedAt.get(node)
    if (since === undefined) this.early.push(`${node} without a claim`)
    else if (now - since < this.#graceMs) this.early.push(`${node} after ${now - since} ms`)
  }
}
