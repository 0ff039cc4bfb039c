import type { InstanceReading, ServerReading } from '../../model/balancer.ts'
import type { InstanceInspection } from '../../model/balancer-inspection.ts'
import { MAINTENANCE_ANNOTATION } from '../../model/maintenance.ts'
import type { Node } from '../../model/node.ts'
import { OVER } from '../../model/over.ts'
import type { EndpointBalancerSpec } from '../../model/roll-spec.ts'
import type { MonoMs } from '../../model/time.ts'
import { WorldError } from '../../model/world-error.ts'
import type { BalancerReader } from '../../ports/balancer.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Cluster } from '../../ports/cluster.ts'
import { type AskedAgent, askAgent } from './ask-agent.ts'

export interface HealthEndpointsParts {
  readonly spec: EndpointBalancerSpec
  readonly cluster: Pick<Cluster, 'list'>
  readonly clock: Clock
}

/** Nodes come and go seldom. */
const NODES_EVERY_MS = 30_000
/** A node that serves is looked at so often at least, and no more than fifty of them a second. */
const SERVING_EVERY_MS = 1_000
const ASKED_AT_ONCE = 64
/** Shorter than a poll of the whole may take. */
const ASK_LIMIT_MS = 900

interface Seen {
  readonly askedAt: MonoMs
  readonly answer: AskedAgent
}

/**
 * Load balancers that have nothing but a health check, as the agents of the nodes tell of them. Each node is a server, and
 * what is told to it stands on its Node: see `askAgent` of the actions.
 */
export class HealthEndpoints implements BalancerReader {
  readonly name: string
  readonly instances: readonly string[]
  readonly #parts: HealthEndpointsParts
  #nodes: { readonly at: MonoMs; readonly list: readonly Node[] } | undefined
  readonly #seen = new Map<string, Seen>()

  constructor(parts: HealthEndpointsParts) {
    this.#parts = parts
    this.name = parts.spec.name
    this.instances = parts.spec.instances.map(({ name }) => name)
  }

  async read(instance: string, signal: AbortSignal): Promise<InstanceReading> {
    const nodes = await this.#nodesNow(signal)
    const at = this.#parts.clock.monoMs()
    await Promise.all(this.#due(nodes, at).map((node) => this.#ask(node, signal)))
    return { instance, process: 'agents', version: '', at, servers: nodes.map((node) => this.#reading(instance, node)) }
  }

  async inspect(instance: string, signal: AbortSignal): Promise<InstanceInspection> {
    const { servers } = await this.read(instance, signal)
    const backends = this.#parts.spec.backends.map((name) => ({
      name,
      mode: 'other' as const,
      servers,
      stickTable: false,
      redispatch: 'unknown' as const,
    }))
    return {
      instance,
      process: 'agents',
      version: '',
      level: 'admin',
      processes: 1,
      missingBackends: [],
      disabledBackends: [],
      backends,
      outside: [],
    }
  }

  /** Of an API server that does not answer, the last list is as good as it gets: nodes are told by their agents. */
  async #nodesNow(signal: AbortSignal): Promise<readonly Node[]> {
    const { cluster, clock } = this.#parts
    const known = this.#nodes
    if (known !== undefined && clock.monoMs() - known.at < NODES_EVERY_MS) return known.list
    try {
      const list = (await cluster.list('nodes', signal)).filter(({ internalAddresses }) => internalAddresses.length > 0)
      this.#nodes = { at: clock.monoMs(), list }
      return list
    } catch (error) {
      if (known === undefined || !(error instanceof WorldError)) throw error
      this.#nodes = { ...known, at: clock.monoMs() }
      return known.list
    }
  }

  /** Whoever does not serve, each time; those that do, in turn. */
  #due(nodes: readonly Node[], now: MonoMs): readonly Node[] {
    const restMs = Math.max(SERVING_EVERY_MS, nodes.length * 20)
    const askedAt = ({ name }: Node): number => this.#seen.get(name)?.askedAt ?? Number.NEGATIVE_INFINITY
    return nodes
      .filter((node) => !this.#serves(node) || now - askedAt(node) >= restMs)
      .sort((one, other) => askedAt(one) - askedAt(other))
      .slice(0, ASKED_AT_ONCE)
  }

  #serves({ name }: Node): boolean {
    const answer = this.#seen.get(name)?.answer
    return answer !== undefined && 'health' in answer && answer.health.answer === 'up'
  }

  async #ask(node: Node, signal: AbortSignal): Promise<void> {
    const { clock, spec } = this.#parts
    const askedAt = clock.monoMs()
    const over = new AbortController()
    const limited = AbortSignal.any([signal, over.signal])
    const at = { address: node.internalAddresses[0] ?? '', port: spec.healthEndpoint.agentPort }
    const limit = clock.sleep(ASK_LIMIT_MS, limited).then((): AskedAgent => ({ error: 'it did not answer in time' }))
    try {
      const answer = await Promise.race([askAgent(at, limited), limit])
      this.#seen.set(node.name, { askedAt, answer: ofThisNode(node, answer) })
    } finally {
      over.abort(OVER)
    }
  }

  #reading(instance: string, node: Node): ServerReading {
    const { spec } = this.#parts
    const answer = this.#seen.get(node.name)?.answer ?? { error: 'not asked yet' }
    const asked = MAINTENANCE_ANNOTATION in node.annotations
    return {
      ...NOTHING_COUNTED,
      ...stateOf(answer),
      ref: { instance, backend: spec.backends[0] ?? '', server: node.name },
      address: node.internalAddresses[0] ?? '',
      port: spec.healthEndpoint.dataPort,
      ownState: asked ? 'drain' : 'ready',
    }
  }
}

/** What is at the node's address may be another node's agent, or none. */
function ofThisNode({ name }: Node, answer: AskedAgent): AskedAgent {
  if ('error' in answer || answer.health.node === name) return answer
  return { error: `it speaks for node ${answer.health.node}` }
}

type State = Pick<ServerReading, 'adminState' | 'operational' | 'check' | 'checkText' | 'endpoint'>

function stateOf(answer: AskedAgent): State {
  if ('error' in answer) {
    const endpoint = { heard: false, answer: 'down', acknowledged: [], connections: 'unknown', told: {} } as const
    const checkText = `its agent does not answer: ${answer.error}`
    return { adminState: 'ready', operational: 'down', check: 'failing', checkText, endpoint }
  }
  const { node: _node, dataPort, ...told } = answer.health
  return {
    adminState: told.answer === 'up' ? 'ready' : 'drain',
    operational: OPERATIONAL[told.answer],
    check: CHECKS[dataPort],
    checkText: `its agent answers ${told.answer}`,
    endpoint: { heard: true, ...told },
  }
}

const OPERATIONAL = { up: 'up', drain: 'stopping', down: 'down' } as const
const CHECKS = { open: 'passing', closed: 'failing', unknown: 'none' } as const

/** No balancer is asked: what it counts is not known, and counts for nothing. */
const NOTHING_COUNTED = {
  inherited: false,
  agent: false,
  persistent: false,
  currentSessions: 0,
  queued: 0,
  totalSessions: 0,
  idleConnections: 0,
  weight: 1,
  backup: false,
} as const
