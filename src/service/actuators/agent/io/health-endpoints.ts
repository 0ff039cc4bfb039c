import { asksToLeave, MAINTENANCE_ANNOTATION } from '../../../../ground/model/claims.ts'
import type { Node } from '../../../../ground/model/node.ts'
import { OVER } from '../../../../ground/model/over.ts'
import { present } from '../../../../ground/model/present.ts'
import { type MonoMs, monoMs } from '../../../../ground/model/time.ts'
import type { Clock } from '../../../../ground/ports/clock.ts'
import type { Cluster } from '../../../../ground/ports/cluster.ts'
import type { InstanceReading, ServerReading } from '../../../model/balancer.ts'
import type { InstanceInspection } from '../../../model/balancer-inspection.ts'
import type { BalancerSpec } from '../../../model/balancer-spec.ts'
import { endpointAdminState } from '../../../model/endpoint-admin-state.ts'
import type { EndpointReading } from '../../../model/health-endpoint.ts'
import type { BalancerReader } from '../../../ports/balancer.ts'
import { KnownNodes } from '../../io/known-nodes.ts'
import { NOTHING_COUNTED, oneBackend } from '../../io/no-balancer.ts'
import { type AskedAgent, askAgent } from './ask-agent.ts'

interface HealthEndpointsParts {
  readonly spec: BalancerSpec<'agent'>
  readonly cluster: Pick<Cluster, 'list'>
  readonly clock: Clock
  /** Replaces HTTP for agents that live in this process. */
  readonly ask?: typeof askAgent
}

/** A node that serves is asked at least this often, but all of them together at most fifty times a second. */
const SERVING_EVERY_MS = 1_000
const ASKED_AT_ONCE = 64
/** Shorter than the time that one poll of all nodes may take. */
const ASK_LIMIT_MS = 900

/** A node that misses a few questions is asked as often as before; a node without an agent is not. */
const MISSES_MAX = 5

/** A node that has begun to serve is asked more often for this long: its ingress may fail again, and a roll should not wait. */
const CHANGED_FOR_MS = 60_000

interface Seen {
  readonly askedAt: MonoMs
  /** When the agent last began or ceased to say that it serves. Absent: it has said the same since the first question. */
  readonly changedAt?: MonoMs
  /** Since when the agent says without a break that it serves. Absent: it does not. */
  readonly upSince?: MonoMs
  readonly answer: AskedAgent
  /** The last answer that told of the node. */
  readonly lastHeard?: NonNullable<EndpointReading['lastHeard']>
  /** Questions in a row without an answer. */
  readonly misses: number
}

const NEVER = monoMs(Number.NEGATIVE_INFINITY)
const NOT_ASKED: Seen = { askedAt: NEVER, answer: { error: 'not asked yet' }, misses: 0 }

/** The order in which nodes are asked when there are too many for one poll. */
const RANKS = { unasked: 0, away: 1, missed: 2, changed: 2, serving: 3, silent: 3 } as const
type Rank = keyof typeof RANKS

/**
 * Load balancers that have nothing but a health check, as the agents of the nodes report them. Each node is a server. A request
 * to it is a claim on its Node: see `askAgent` of the actions.
 */
export class HealthEndpoints implements BalancerReader {
  readonly name: string
  readonly instances: readonly string[]
  readonly #parts: HealthEndpointsParts
  readonly #nodes: KnownNodes
  readonly #seen = new Map<string, Seen>()

  constructor(parts: HealthEndpointsParts) {
    this.#parts = parts
    this.#nodes = new KnownNodes(parts)
    this.name = parts.spec.name
    this.instances = parts.spec.instances
  }

  async read(instance: string, signal: AbortSignal): Promise<InstanceReading> {
    const nodes = await this.#nodes.now()
    const at = this.#parts.clock.monoMs()
    await Promise.all(this.#due(nodes, at).map((node) => this.#ask(node, signal)))
    return { instance, process: 'agents', version: '', at, servers: nodes.map((node) => this.#reading(instance, node)) }
  }

  /** Asks every node, in as many polls as that takes. */
  async inspect(instance: string, signal: AbortSignal): Promise<InstanceInspection> {
    let { servers } = await this.read(instance, signal)
    while (servers.some(({ ref }) => !this.#seen.has(ref.server))) servers = (await this.read(instance, signal)).servers
    return oneBackend({ instance, process: 'agents', backends: this.#parts.spec.backends, servers })
  }

  /**
   * Half of a poll is for nodes that were never asked, then for nodes that answer and do not serve: a roll works there. The
   * other half is for all nodes in turn, so that no node waits for ever behind many that are down.
   */
  #due(nodes: readonly Node[], now: MonoMs): readonly Node[] {
    const restMs = Math.max(SERVING_EVERY_MS, nodes.length * 20)
    const askedAt = ({ name }: Node): number => (this.#seen.get(name) ?? NOT_ASKED).askedAt
    const rank = (node: Node): number => RANKS[this.#rankOf(node)]
    const inTurn = nodes
      .filter((node) => this.#rankOf(node) !== 'serving' || now - askedAt(node) >= restMs)
      .sort((one, other) => askedAt(one) - askedAt(other))
    const first = inTurn
      .filter((node) => rank(node) < RANKS.serving)
      .sort((one, other) => rank(one) - rank(other))
      .slice(0, ASKED_AT_ONCE / 2)
    const isFirst = new Set(first)
    return [...first, ...inTurn.filter((node) => !isFirst.has(node))].slice(0, ASKED_AT_ONCE)
  }

  #rankOf({ name }: Node): Rank {
    const seen = this.#seen.get(name)
    if (seen === undefined) return 'unasked'
    if ('error' in seen.answer) return seen.misses <= MISSES_MAX ? 'missed' : 'silent'
    if (seen.answer.health.answer !== 'up') return 'away'
    return this.#parts.clock.monoMs() - (seen.changedAt ?? NEVER) < CHANGED_FOR_MS ? 'changed' : 'serving'
  }

  async #ask(node: Node, signal: AbortSignal): Promise<void> {
    const { clock, spec, ask = askAgent } = this.#parts
    const askedAt = clock.monoMs()
    const over = new AbortController()
    const limited = AbortSignal.any([signal, over.signal])
    const at = { address: node.internalAddresses[0] ?? '', port: spec.via.agentPort }
    const limit = clock.sleep(ASK_LIMIT_MS, limited).then((): AskedAgent => ({ error: 'it did not answer in time' }))
    try {
      const answer = await Promise.race([ask(at, limited), limit])
      const said = ofThisNode(node, answer)
      this.#seen.set(node.name, seenAfter(this.#seen.get(node.name), { askedAt, answer: said }))
    } finally {
      over.abort(OVER)
    }
  }

  #reading(instance: string, node: Node): ServerReading {
    const { spec } = this.#parts
    const asked = asksToLeave(node.annotations[MAINTENANCE_ANNOTATION])
    const state = stateOf(this.#seen.get(node.name) ?? NOT_ASKED)
    return {
      ...NOTHING_COUNTED,
      ...state,
      adminState: endpointAdminState(state.endpoint, asked),
      ref: { instance, backend: spec.backends[0] ?? '', server: node.name },
      address: node.internalAddresses[0] ?? '',
      port: spec.via.dataPort,
      ownState: asked ? 'drain' : 'ready',
    }
  }
}

function seenAfter(before: Seen | undefined, { askedAt, answer }: Pick<Seen, 'askedAt' | 'answer'>): Seen {
  const misses = 'error' in answer ? (before?.misses ?? 0) + 1 : 0
  const isOther = before !== undefined && isUp(before.answer) !== isUp(answer)
  const changedAt = isOther ? askedAt : before?.changedAt
  // A node that says so in its first answer may have begun just now, and its balancers may not use it yet.
  const upSince = isUp(answer) ? (before?.upSince ?? askedAt) : undefined
  return {
    askedAt,
    answer,
    misses,
    ...present({ changedAt, upSince, lastHeard: 'error' in answer ? before?.lastHeard : wordOf(answer.health) }),
  }
}

const wordOf = ({ answer, onlyClosed }: NonNullable<Seen['lastHeard']>) => ({ answer, onlyClosed })

const isUp = (answer: AskedAgent): boolean => !('error' in answer) && answer.health.answer === 'up'

/** The agent at the node's address may be that of another node. */
function ofThisNode({ name }: Node, answer: AskedAgent): AskedAgent {
  if ('error' in answer || answer.health.node === name) return answer
  return { error: `it is the agent of node ${answer.health.node}` }
}

type State = Pick<ServerReading, 'operational' | 'check' | 'checkText'> & { readonly endpoint: EndpointReading }

function stateOf({ answer, askedAt: at, upSince, lastHeard }: Seen): State {
  if ('error' in answer) {
    const endpoint = { at, ...UNHEARD, ...present({ lastHeard }) }
    const checkText = `its agent does not answer: ${answer.error}`
    return { operational: 'down', check: 'failing', checkText, endpoint }
  }
  const { node: _node, dataPort, ...health } = answer.health
  return {
    operational: OPERATIONAL[health.answer],
    check: CHECKS[dataPort],
    checkText: `its agent answers ${health.answer}`,
    endpoint: { at, heard: true, ...health, ...present({ upSince }) },
  }
}

const UNHEARD: Omit<EndpointReading, 'at'> = {
  heard: false,
  answer: 'down',
  onlyClosed: false,
  acknowledged: [],
  connections: 'unknown',
  polls: {},
}

const OPERATIONAL = { up: 'up', drain: 'stopping', down: 'down' } as const
const CHECKS = { open: 'passing', closed: 'failing', unknown: 'none' } as const
