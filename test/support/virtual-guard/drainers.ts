import { NODES, PODS } from '../../../src/sim/world/api-resource.ts'
import type { GuardGround } from './guard-ground.ts'
import type { Deed } from './guard-scenario.ts'
import { stateOf } from './held-nodes.ts'

const RELEASES = 'evenkeel.dev/guard-releases'
/** A release counts until it is written that it is over. */
const AFTER_MS = 10_000

/** People, and what happens to machines. */
export class Drainers {
  /** So many deeds are not over. */
  left: number
  readonly #ground: GuardGround
  /** Nodes on which someone is at work: a second person leaves them alone. */
  readonly #at = new Set<string>()
  readonly #releasedUntil = new Map<string, number>()

  constructor(ground: GuardGround, deeds: readonly Deed[]) {
    this.#ground = ground
    this.left = deeds.length
    for (const deed of deeds) ground.cluster.time.later(deed.atMs, () => this.#do(deed))
  }

  isReleased(node: string): boolean {
    return this.#ground.cluster.time.monoMs() < (this.#releasedUntil.get(node) ?? 0)
  }

  #do(deed: Deed): void {
    const { cluster } = this.#ground
    const { node } = deed
    const isFree = !this.#at.has(node) && this.#ground.hasNode(node)
    if (deed.kind === 'join' ? this.#ground.hasNode(node) : !isFree) {
      this.left -= 1
      return
    }
    switch (deed.kind) {
      case 'drain':
        this.#at.add(node)
        this.#drain(deed)
        return
      case 'cordon':
        this.#at.add(node)
        this.#ground.cordon(node, true)
        cluster.time.later(deed.forMs, () => this.#uncordon(node))
        return
      case 'killGuard':
        for (const { metadata } of this.#ground.guardPods().filter(({ spec }) => spec.nodeName === node))
          this.#ground.remove(PODS, { namespace: 'default', name: metadata.name })
        this.left -= 1
        return
      case 'powerCut':
        this.#at.add(node)
        cluster.machines.get(node)?.powerCut()
        cluster.time.later(deed.forMs, () => {
          cluster.machines.get(node)?.powerOn()
          this.#over(node)
        })
        return
      case 'leave':
        if (this.#ground.readyNodes().length > 1) this.#ground.removeNode(node)
        this.left -= 1
        return
      case 'join':
        this.#ground.apply(stateOf(node))
        cluster.machines.add({ name: node, address: `172.17.0.${node.slice(1)}` })
        this.left -= 1
        return
      case 'unlabel':
        this.#at.add(node)
        this.#ground.label(node, 'no')
        cluster.time.later(deed.forMs, () => {
          if (this.#ground.hasNode(node) && !deed.forGood) this.#ground.label(node, undefined)
          this.#over(node)
        })
        return
      case 'release':
        this.#release(node, deed.forMs)
        return
      case 'holdByHand':
        this.#ground.holdByHand(node, true)
        cluster.time.later(deed.forMs, () => {
          this.#ground.holdByHand(node, false)
          this.left -= 1
        })
        return
      case 'otherSlot':
        this.#holdSlot(node, deed.forMs)
        return
    }
  }

  /** Where the first slot is free. */
  #holdSlot(node: string, forMs: number): void {
    if (this.#ground.slotNodes().length > 0) {
      this.left -= 1
      return
    }
    this.#ground.holdSlot(0, node)
    this.#ground.cluster.time.later(forMs, () => {
      this.#ground.holdSlot(0, undefined)
      this.left -= 1
    })
  }

  #release(node: string, forMs: number): void {
    const { time } = this.#ground.cluster
    const until = new Date(time.wallMs() + forMs).toISOString()
    this.#ground.annotateGuard(RELEASES, [{ node, by: 'alice', until }])
    this.#releasedUntil.set(node, time.monoMs() + forMs + AFTER_MS)
    this.left -= 1
  }

  #drain({ node, forMs, reboots, deletes }: Extract<Deed, { kind: 'drain' }>): void {
    const { time, machines } = this.#ground.cluster
    const drain = this.#ground.drain(node, { deletes: deletes === true })
    const look = (): void => {
      if (!this.#ground.hasNode(node)) this.#over(node)
      else if (drain.isOver()) {
        if (reboots) machines.get(node)?.reboot()
        time.later(forMs, () => this.#uncordon(node))
      } else time.later(500, look)
    }
    look()
  }

  #uncordon(node: string): void {
    if (this.#ground.cluster.world.store.get(NODES, { name: node }) !== undefined) this.#ground.cordon(node, false)
    this.#over(node)
  }

  #over(node: string): void {
    this.#at.delete(node)
    this.left -= 1
  }
}
