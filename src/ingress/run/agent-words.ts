import { mapAtOnce } from '../../ground/loop/map-at-once.ts'
import { claimsOf, MAINTENANCE_ANNOTATION } from '../../ground/model/claims.ts'
import { INGRESS_LABEL } from '../../ground/model/ingress-keys.ts'
import type { Node } from '../../ground/model/node.ts'
import type { FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import { present } from '../../ground/model/present.ts'
import { NODE_ANNOTATION } from '../../ground/model/slot.ts'
import { type WallMs, wallMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { HEALTH_ANNOTATION, parseHealthOrder } from '../../service/model/health-order.ts'
import type { AgentAnswer, Agents } from '../../service/ports/agents.ts'
import { type IngressOp, OP_ANNOTATION, parseOp } from '../decide/op.ts'
import type { IngressNode } from '../decide/snapshot.ts'

interface AskingParts {
  readonly agents: Agents
  readonly clock: Clock
}

interface AgentWordsParts extends AskingParts {
  /** The UID of the IngressDaemonSet. Two of them may have a node out at once. */
  readonly of: string
}

const AT_ONCE = 64
const LIMIT_MS = 900
/** Within that limit: silence of a port, as by a firewall, is no answer. */
const CHECK_LIMIT_MS = 400
/** Shared by the nodes of which nothing was heard, which are most. */
const NOTHING_HEARD: NonNullable<IngressNode['agent']> = {}

/** The answers of agents on nodes on their way out or back. A grace runs from the answer: an agent without the API keeps its last one. */
class AgentWords {
  readonly #parts: AgentWordsParts
  /** By node: the claim that the agent has acknowledged, and when that was first heard. */
  readonly #heard = new Map<string, { readonly id: string; readonly seen: WallMs }>()
  /** By node: the withdrawn claim since which the agent's answer is good again, and since when. */
  readonly #released = new Map<string, { readonly id: string; readonly since: WallMs }>()
  /** By node: the claim that was withdrawn while the agent's answer was bad. */
  readonly #awaited = new Map<string, string>()
  /** By node on its way back: the owners of claims that the agent keeps from a Node before this one. */
  readonly #kept = new Map<string, readonly string[]>()

  constructor(parts: AgentWordsParts) {
    this.#parts = parts
  }

  /** Asks only the agents whose answers are awaited. */
  async ask(nodes: readonly Node[], deployments: readonly FoundDeployment[], signal: AbortSignal): Promise<void> {
    const awaited = new Map(deployments.filter(({ controller }) => controller?.uid === this.#parts.of).flatMap(opOf))
    for (const words of [this.#heard, this.#released, this.#awaited, this.#kept])
      for (const node of words.keys()) if (!awaited.has(node)) words.delete(node)
    // The same claim may be made again. An answer from before its withdrawal does not count any more.
    for (const [node, { op }] of awaited) (op.phase === 'Attaching' ? this.#heard : this.#kept).delete(node)
    const asked = nodes.flatMap((node) => {
      const way = awaited.get(node.name)
      return way === undefined || !this.#isAwaited(node, way.op) ? [] : [{ node, way }]
    })
    await mapAtOnce(asked, AT_ONCE, ({ node, way }) => this.#askOne(node, way, signal))
  }

  of(node: string): NonNullable<IngressNode['agent']> {
    const [heard, released, kept] = [this.#heard.get(node), this.#released.get(node), this.#kept.get(node)]
    if (heard === undefined && released === undefined && kept === undefined) return NOTHING_HEARD
    return {
      ...present({ acknowledged: heard, released, keptFor: kept }),
    }
  }

  #isAwaited(node: Node, op: IngressOp): boolean {
    const { name } = node
    const { id, phase } = op
    const isClaimed = isClaimedBy(node, op)
    if (phase === 'Detaching') return isClaimed && this.#heard.get(name)?.id !== id
    return phase === 'Attaching' && (!isClaimed || this.#kept.has(name))
  }

  async #askOne(node: Node, way: UnderWay, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts
    const { id, phase } = way.op
    const over = new AbortController()
    const limited = AbortSignal.any([signal, over.signal])
    const late = clock.sleep(LIMIT_MS, limited).then(
      () => 'unheard' as const,
      () => 'unheard' as const,
    )
    try {
      const [address] = node.internalAddresses
      const answer = address === undefined ? 'unheard' : await Promise.race([this.#answer(address, way, limited), late])
      if (phase === 'Attaching') this.#onWayBack(node, way, answer)
      else if (answer !== 'unheard' && answer.acknowledged.includes(id))
        this.#heard.set(node.name, { id, seen: clock.wallMs() })
    } finally {
      over.abort()
    }
    signal.throwIfAborted()
  }

  /** Asks the agent, or the pods of the health checker. Those know no claims; their answer shows whether they know of the mark. */
  async #answer(
    address: string,
    { op, ports, isByPods }: UnderWay,
    signal: AbortSignal,
  ): Promise<AgentAnswer | 'unheard'> {
    const { agents } = this.#parts
    const [port] = ports
    if (!isByPods || port === undefined) {
      const answer = await agents.ask(address, signal)
      return answer !== 'unheard' && answer.acknowledged.includes(op.id) && (await this.#passes(address, ports, signal))
        ? { ...answer, acknowledged: [] }
        : answer
    }
    const heard = await agents.check({ address, port }, signal)
    if (heard === 'unheard') return heard
    return { acknowledged: heard === 'out' && op.phase === 'Detaching' ? [op.id] : [], isUp: heard === 'up' }
  }

  /** A program that is no agent of ours may hold a health port, and go on to answer well. */
  async #passes(address: string, ports: readonly number[], signal: AbortSignal): Promise<boolean> {
    const { agents, clock } = this.#parts
    const late = clock.sleep(CHECK_LIMIT_MS, signal).then(
      () => 'unheard' as const,
      () => 'unheard' as const,
    )
    const checks = ports.map((port) => Promise.race([agents.check({ address, port }, signal), late]))
    return (await Promise.all(checks)).includes('up')
  }

  #onWayBack(node: Node, way: UnderWay, answer: AgentAnswer | 'unheard'): void {
    if (answer !== 'unheard') {
      const owners = answer.kept?.flatMap(({ owner, uid }) => (uid === node.uid ? [] : [owner])) ?? []
      if (owners.length > 0) this.#kept.set(node.name, owners)
      else this.#kept.delete(node.name)
    }
    // Claimed once more, it is not to be back yet.
    if (!isClaimedBy(node, way.op)) this.#back(node, way, answer)
  }

  /** Judges each answer anew, since an agent that finds nothing to serve gives a bad answer again. */
  #back(node: Node, way: UnderWay, answer: Awaited<ReturnType<Agents['ask']>>): void {
    const { id } = way.op
    const isBack =
      answer !== 'unheard' &&
      !answer.acknowledged.includes(id) &&
      (isOutByOthers(node) || (answer.isUp && answersFor(answer, way)))
    const isNew = this.#released.get(node.name)?.id !== id
    if (!isBack) {
      this.#released.delete(node.name)
      this.#awaited.set(node.name, id)
    } else if (isNew) {
      // Only a process that has seen the bad answer knows when the good answers began. Otherwise the written time counts.
      const since = this.#awaited.get(node.name) === id ? this.#parts.clock.wallMs() : wallMs(0)
      this.#released.set(node.name, { id, since })
    }
  }
}

/** The answers for each IngressDaemonSet, by its UID. */
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

  /** Forgets all other objects. */
  keep(uids: ReadonlySet<string>): void {
    for (const uid of this.#words.keys()) if (!uids.has(uid)) this.#words.delete(uid)
  }
}

const isClaimedBy = ({ annotations }: Node, { id }: IngressOp): boolean =>
  claimsOf(annotations[MAINTENANCE_ANNOTATION]).some((claim) => claim.id === id)

/** Others keep the node out. It comes back with the last of them, and this object does not wait for that. */
const isOutByOthers = ({ unschedulable, annotations }: Node): boolean =>
  unschedulable || claimsOf(annotations[MAINTENANCE_ANNOTATION]).length > 0

/** What is under way on a node, and the health ports that its Deployment asks for. */
interface UnderWay {
  readonly op: IngressOp
  readonly namespace: string
  readonly name: string
  readonly ports: readonly number[]
  /** Pods of a health checker answer on these ports, and not the agent. */
  readonly isByPods: boolean
}

/** Whether the agent answers well for these ports. An agent that knows no IngressDaemonSets answers for the whole node, which is enough. */
function answersFor({ ingresses }: AgentAnswer, { namespace, name, ports }: UnderWay): boolean {
  if (ingresses === undefined || ports.length === 0) return true
  const found = ingresses.find((one) => one.namespace === namespace && one.name === name)
  return found?.isUp === true && ports.every((port) => found.ports.includes(port))
}

function opOf({ namespace, labels, annotations }: FoundDeployment): readonly (readonly [string, UnderWay])[] {
  const node = annotations[NODE_ANNOTATION]
  const word = parseOp(annotations[OP_ANNOTATION])
  if (node === undefined || word.kind !== 'op') return []
  const order = parseHealthOrder(annotations[HEALTH_ANNOTATION] ?? '')
  const { ports, by } = typeof order === 'string' ? { ports: [], by: undefined } : order
  return [[node, { op: word.op, namespace, name: labels[INGRESS_LABEL] ?? '', ports, isByPods: by === 'pods' }]]
}
