import type { FoundDeployment } from '../../core/ingress/found.ts'
import { type IngressOp, OP_ANNOTATION, parseOp } from '../../core/ingress/op.ts'
import type { IngressNode } from '../../core/ingress/snapshot.ts'
import { claimsOf, MAINTENANCE_ANNOTATION } from '../../model/claims.ts'
import type { Node } from '../../model/node.ts'
import { NODE_ANNOTATION } from '../../model/slot.ts'
import { type WallMs, wallMs } from '../../model/time.ts'
import type { Agents } from '../../ports/agents.ts'
import type { Clock } from '../../ports/clock.ts'
import { mapAtOnce } from '../../runtime/map-at-once.ts'

interface AskingParts {
  readonly agents: Agents
  readonly clock: Clock
}

interface AgentWordsParts extends AskingParts {
  /** The UID of the IngressDaemonSet whose operations they are asked for: two may have a node out at once. */
  readonly of: string
}

const AT_ONCE = 64
const LIMIT_MS = 900

/**
 * What agents say of the claims of nodes that are on their way out or back. An agent that is cut off from the API goes on with the
 * answer that it had, so a grace runs from its word and not from what was written.
 */
class AgentWords {
  readonly #parts: AgentWordsParts
  /** By node: the claim that its agent has acknowledged, and when that was first heard. */
  readonly #heard = new Map<string, { readonly id: string; readonly seen: WallMs }>()
  /** By node: the claim without which its agent gives a good answer again, and since when it has. */
  readonly #released = new Map<string, { readonly id: string; readonly since: WallMs }>()
  /** By node: the claim that was withdrawn while its agent gave a bad answer. */
  readonly #awaited = new Map<string, string>()

  constructor(parts: AgentWordsParts) {
    this.#parts = parts
  }

  /** Asks those whose word is awaited, and no others. */
  async ask(nodes: readonly Node[], deployments: readonly FoundDeployment[], signal: AbortSignal): Promise<void> {
    const awaited = new Map(deployments.filter(({ controller }) => controller?.uid === this.#parts.of).flatMap(opOf))
    for (const words of [this.#heard, this.#released, this.#awaited])
      for (const node of words.keys()) if (!awaited.has(node)) words.delete(node)
    // The same claim may be made once more. What was said of it before it was withdrawn counts no more.
    for (const [node, { phase }] of awaited) if (phase === 'Attaching') this.#heard.delete(node)
    const asked = nodes.flatMap((node) => {
      const op = awaited.get(node.name)
      return op === undefined || !this.#isAwaited(node, op) ? [] : [{ node, op }]
    })
    await mapAtOnce(asked, AT_ONCE, ({ node, op }) => this.#askOne(node, op, signal))
  }

  of(node: string): NonNullable<IngressNode['agent']> {
    const [heard, released] = [this.#heard.get(node), this.#released.get(node)]
    return {
      ...(heard === undefined ? {} : { acknowledged: { ...heard, isNoticed: false } }),
      ...(released === undefined ? {} : { released }),
    }
  }

  #isAwaited({ name, annotations }: Node, { id, phase }: IngressOp): boolean {
    const isClaimed = claimsOf(annotations[MAINTENANCE_ANNOTATION]).some((claim) => claim.id === id)
    if (phase === 'Detaching') return isClaimed && this.#heard.get(name)?.id !== id
    return phase === 'Attaching' && !isClaimed
  }

  async #askOne(node: Node, { id, phase }: IngressOp, signal: AbortSignal): Promise<void> {
    const { agents, clock } = this.#parts
    const over = new AbortController()
    const limited = AbortSignal.any([signal, over.signal])
    const late = clock.sleep(LIMIT_MS, limited).then(
      () => 'unheard' as const,
      () => 'unheard' as const,
    )
    try {
      const [address] = node.internalAddresses
      const told = address === undefined ? 'unheard' : await Promise.race([agents.ask(address, limited), late])
      if (phase === 'Attaching') this.#back(node, id, told)
      else if (told !== 'unheard' && told.acknowledged.includes(id))
        this.#heard.set(node.name, { id, seen: clock.wallMs() })
    } finally {
      over.abort()
    }
    signal.throwIfAborted()
  }

  /** Each time anew, since an agent that finds nothing that serves gives a bad answer again. */
  #back(node: Node, id: string, told: Awaited<ReturnType<Agents['ask']>>): void {
    const isBack = told !== 'unheard' && !told.acknowledged.includes(id) && (told.isUp || isOutByOthers(node))
    const isNew = this.#released.get(node.name)?.id !== id
    if (!isBack) {
      this.#released.delete(node.name)
      this.#awaited.set(node.name, id)
    } else if (isNew) {
      // Only who has seen the bad answer knows since when the good one is given; else the time that was written counts.
      const since = this.#awaited.get(node.name) === id ? this.#parts.clock.wallMs() : wallMs(0)
      this.#released.set(node.name, { id, since })
    }
  }
}

/** The words for each IngressDaemonSet, by its UID. */
export class AgentsOfObjects {
  readonly #parts: AskingParts
  readonly #words = new Map<string, AgentWords>()

  constructor(parts: AskingParts) {
    this.#parts = parts
  }

  of(uid: string): AgentWords {
    const words = this.#words.get(uid) ?? new AgentWords({ ...this.#parts, of: uid })
    this.#words.set(uid, words)
    return words
  }

  /** Forgets those of objects that are gone. */
  keep(uids: ReadonlySet<string>): void {
    for (const uid of this.#words.keys()) if (!uids.has(uid)) this.#words.delete(uid)
  }
}

/** It comes back with the last who wants it out, and that one is not waited for. */
const isOutByOthers = ({ unschedulable, annotations }: Node): boolean =>
  unschedulable || claimsOf(annotations[MAINTENANCE_ANNOTATION]).length > 0

function opOf({ annotations }: FoundDeployment): readonly (readonly [string, IngressOp])[] {
  const node = annotations[NODE_ANNOTATION]
  const word = parseOp(annotations[OP_ANNOTATION])
  return node !== undefined && word.kind === 'op' ? [[node, word.op]] : []
}
