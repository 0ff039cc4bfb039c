import type { NodeObject } from '../../../../src/sim/actors/node-object.ts'
import { NODES } from '../../../../src/sim/world/api-resource.ts'
import { claimants, MAINTENANCE } from '../checkers/claimants.ts'
import type { Scene } from '../checkers/scene.ts'

const ALICE = 'person/alice'
const RECORD = 'evenkeel.dev/record'
const LOOK_EVERY_MS = 200
/** Longer than a node needs to settle after its uncordon. */
const STAYS_MS = 20_000

interface Claims {
  readonly version: 2
  readonly claims: readonly { readonly owner: string; readonly id: string }[]
}

/**
 * A person who claims a node once a roll has begun it, beside whatever claims stand, and withdraws that claim alone: in the
 * middle of the reboot, or long after the roll could have put the node back.
 */
export class PersonClaims {
  /** When the claim stood, on the monotonic clock. */
  claimedAtMs = Number.POSITIVE_INFINITY
  withdrawnAtMs = Number.POSITIVE_INFINITY
  /** When the node was sent to again for the first time after it was out. */
  backAtMs = Number.POSITIVE_INFINITY
  readonly #scene: Scene
  readonly #node: string
  readonly #last: 'roll' | 'person'
  readonly #onWithdrawn: () => void
  readonly #boots: number
  #uncordonedSinceMs: number | undefined
  #wasOut = false
  #callOff: () => void = () => undefined

  constructor(scene: Scene, node: string, { last, onWithdrawn }: { last: 'roll' | 'person'; onWithdrawn: () => void }) {
    this.#scene = scene
    this.#node = node
    this.#last = last
    this.#onWithdrawn = onWithdrawn
    this.#boots = this.#bootsNow
    this.#look()
  }

  get times() {
    const { claimedAtMs, withdrawnAtMs, backAtMs } = this
    return { claimedAtMs, withdrawnAtMs, backAtMs }
  }

  end(): void {
    this.#callOff()
  }

  #look(): void {
    const { nowMs, cluster } = this.#scene
    const node = cluster.world.store.get(NODES, { name: this.#node }) as NodeObject | undefined
    if (node !== undefined) this.#act(node)
    const serves = this.#scene.servers().filter((server) => server.node === this.#node && server.admin === 'ready')
    if (serves.length === 0) this.#wasOut = true
    else if (this.#wasOut) this.backAtMs = Math.min(this.backAtMs, nowMs)
    this.#callOff = cluster.time.later(LOOK_EVERY_MS, () => this.#look())
  }

  #act(node: NodeObject): void {
    const { nowMs } = this.#scene
    const isTaken = node.metadata.annotations?.[RECORD] !== undefined && node.spec?.unschedulable === true
    if (this.claimedAtMs > nowMs && isTaken) {
      this.claimedAtMs = nowMs
      this.#write(node, [...claimsOf(node), { owner: ALICE, id: 'disk' }])
    }
    if (!claimants(node).includes(ALICE) || !this.#isThrough(node)) return
    this.withdrawnAtMs = nowMs
    this.#write(
      node,
      claimsOf(node).filter(({ owner }) => owner !== ALICE),
    )
    this.#onWithdrawn()
  }

  #isThrough(node: NodeObject): boolean {
    const isBooted = this.#bootsNow > this.#boots
    if (this.#last === 'roll') return isBooted
    const isUncordoned = isBooted && node.spec?.unschedulable !== true
    this.#uncordonedSinceMs ??= isUncordoned ? this.#scene.nowMs : undefined
    return this.#uncordonedSinceMs !== undefined && this.#scene.nowMs - this.#uncordonedSinceMs >= STAYS_MS
  }

  get #bootsNow(): number {
    return this.#scene.cluster.machines.get(this.#node)?.boots ?? 0
  }

  #write(node: NodeObject, claims: Claims['claims']): void {
    const { [MAINTENANCE]: _, ...others } = node.metadata.annotations ?? {}
    const text = JSON.stringify({ version: 2, claims } satisfies Claims)
    const annotations = claims.length === 0 ? others : { ...others, [MAINTENANCE]: text }
    this.#scene.cluster.world.store.put(NODES, { ...node, metadata: { ...node.metadata, annotations } })
  }
}

function claimsOf({ metadata }: NodeObject): Claims['claims'] {
  const text = metadata.annotations?.[MAINTENANCE]
  return text === undefined ? [] : (JSON.parse(text) as Claims).claims
}
