import { unmark } from './by-hand.ts'
import type { IngressGround } from './ingress-ground.ts'
import type { Deed } from './ingress-scenario.ts'

const ASK_EVERY_MS = 1_000

/** People who work on nodes while a rollout is under way. */
export class Persons {
  /** Nodes whose claim of a person was gone before that person withdrew it. */
  readonly robbed: string[] = []
  /** So many deeds are not over. */
  left: number
  readonly #ground: IngressGround
  /** Where someone is at work. No other person begins meanwhile: two of three nodes that are cordoned stop everything. */
  readonly #at = new Set<string>()

  constructor(ground: IngressGround, deeds: readonly Deed[]) {
    this.#ground = ground
    this.left = deeds.length
    for (const deed of deeds) ground.cluster.time.later(deed.atMs, () => this.#do(deed))
  }

  #do(deed: Deed): void {
    const { cluster } = this.#ground
    const { node } = deed
    const takesOut = deed.kind === 'drain' || deed.kind === 'cordon' || deed.kind === 'claim'
    // No brake is there: people look themselves whether another node serves on.
    if (takesOut && this.#ground.object() === undefined) {
      this.left -= 1
      return
    }
    if (takesOut && (this.#at.size > 0 || !this.#ground.servesWithout(node))) {
      cluster.time.later(ASK_EVERY_MS, () => this.#do(deed))
      return
    }
    if (takesOut) this.#at.add(node)
    switch (deed.kind) {
      case 'drain':
        this.#ground.cordon(node, true)
        this.#drain(node, this.#podsOn(node), deed.forMs)
        return
      case 'cordon':
        this.#ground.cordon(node, true)
        cluster.time.later(deed.forMs, () => this.#uncordon(node))
        return
      case 'claim':
        this.#ground.claim(node, true)
        cluster.time.later(deed.forMs, () => {
          if (!this.#ground.isClaimedByPerson(node)) this.robbed.push(node)
          this.#ground.claim(node, false)
          this.#over(node)
        })
        return
      case 'restartAgent':
        this.#ground.restartAgent(node)
        this.left -= 1
        return
      case 'unmark':
        unmark(this.#ground, node)
        this.left -= 1
        return
    }
  }

  #podsOn(node: string) {
    return this.#ground.pods().filter(({ spec }) => spec.nodeName === node)
  }

  /** As kubectl drains: the pods that were there at first, each asked for until it may go; then the work, then the uncordon. */
  #drain(node: string, pods: ReturnType<IngressGround['pods']>, forMs: number): void {
    const { time } = this.#ground.cluster
    const left = pods.filter((pod) => this.#ground.evict(pod) !== 'evicted')
    if (left.length > 0) time.later(ASK_EVERY_MS, () => this.#drain(node, left, forMs))
    else time.later(forMs, () => this.#uncordon(node))
  }

  #uncordon(node: string): void {
    this.#ground.cordon(node, false)
    this.#over(node)
  }

  #over(node: string): void {
    this.#at.delete(node)
    this.left -= 1
  }
}
