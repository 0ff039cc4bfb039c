import type { FoundDeployment } from '../../core/ingress/found.ts'
import { OP_ANNOTATION, parseOp } from '../../core/ingress/op.ts'
import type { IngressNode } from '../../core/ingress/snapshot.ts'
import { claimsOf, MAINTENANCE_ANNOTATION } from '../../model/claims.ts'
import type { Node } from '../../model/node.ts'
import { NODE_ANNOTATION } from '../../model/slot.ts'
import type { WallMs } from '../../model/time.ts'
import type { Agents } from '../../ports/agents.ts'
import type { Clock } from '../../ports/clock.ts'
import { mapAtOnce } from '../../runtime/map-at-once.ts'

interface AgentWordsParts {
  readonly agents: Agents
  readonly clock: Clock
}

const AT_ONCE = 64
const LIMIT_MS = 900

/**
 * What agents say of the claims of nodes that are being detached. An agent that is cut off from the API goes on with a good answer, so
 * a grace runs from its acknowledgement and not from the claim.
 */
export class AgentWords {
  readonly #parts: AgentWordsParts
  /** By node: the claim that its agent has acknowledged, and when that was first heard. */
  readonly #heard = new Map<string, { readonly id: string; readonly seen: WallMs }>()

  constructor(parts: AgentWordsParts) {
    this.#parts = parts
  }

  /** Asks those whose acknowledgement is awaited, and nobody else. */
  async ask(nodes: readonly Node[], deployments: readonly FoundDeployment[], signal: AbortSignal): Promise<void> {
    const awaited = new Map(deployments.flatMap(awaitedOf))
    const asked = nodes.flatMap((node) => {
      const id = awaited.get(node.name)
      const isClaimed = claimsOf(node.annotations[MAINTENANCE_ANNOTATION]).some((claim) => claim.id === id)
      return id === undefined || !isClaimed || this.#heard.get(node.name)?.id === id ? [] : [{ node, id }]
    })
    await mapAtOnce(asked, AT_ONCE, ({ node, id }) => this.#askOne(node, id, signal))
  }

  of(node: string): NonNullable<IngressNode['agent']> {
    const heard = this.#heard.get(node)
    return heard === undefined ? {} : { acknowledged: { ...heard, isNoticed: false } }
  }

  async #askOne(node: Node, id: string, signal: AbortSignal): Promise<void> {
    const { agents, clock } = this.#parts
    const over = new AbortController()
    const limited = AbortSignal.any([signal, over.signal])
    const late = clock.sleep(LIMIT_MS, limited).then(
      () => 'unheard' as const,
      () => 'unheard' as const,
    )
    try {
      const ids = await Promise.race([agents.acknowledged(node.internalAddresses[0] ?? '', limited), late])
      if (ids !== 'unheard' && ids.includes(id)) this.#heard.set(node.name, { id, seen: clock.wallMs() })
    } finally {
      over.abort()
    }
    signal.throwIfAborted()
  }
}

function awaitedOf({ annotations }: FoundDeployment): readonly (readonly [string, string])[] {
  const node = annotations[NODE_ANNOTATION]
  const word = parseOp(annotations[OP_ANNOTATION])
  return node !== undefined && word.kind === 'op' && word.op.phase === 'Detaching' ? [[node, word.op.id]] : []
}
