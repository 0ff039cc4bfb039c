import { selectorMatches } from '../../../../ground/model/label-selector.ts'
import type { Node } from '../../../../ground/model/node.ts'
import { present } from '../../../../ground/model/present.ts'
import { type MonoMs, monoMs } from '../../../../ground/model/time.ts'
import type { Clock } from '../../../../ground/ports/clock.ts'
import type { Cluster } from '../../../../ground/ports/cluster.ts'
import type { InstanceReading, ServerReading, ServerRef } from '../../../model/balancer.ts'
import type { InstanceInspection } from '../../../model/balancer-inspection.ts'
import type { BalancerSpec } from '../../../model/balancer-spec.ts'
import type { CheckReading } from '../../../model/health-check.ts'
import { markedStates } from '../../../model/marked-states.ts'
import { markOn } from '../../../model/node-mark.ts'
import type { BalancerReader } from '../../../ports/balancer.ts'
import { KnownNodes } from '../../io/known-nodes.ts'
import { NOTHING_COUNTED, oneBackend } from '../../io/no-balancer.ts'
import { type CheckAnswer, NodeChecks } from './ask-check.ts'

interface MarkedNodesParts {
  readonly spec: BalancerSpec<'mark'>
  readonly cluster: Pick<Cluster, 'list'>
  readonly clock: Clock
  /** In place of HTTP. */
  readonly ask?: (node: Node, signal: AbortSignal) => Promise<CheckAnswer>
}

const PROCESS = 'health checks'
/** A node that no decision waits for is asked at least this often, but all of them together at most fifty times a second. */
const OTHERS_EVERY_MS = 1_000
const ASKED_AT_ONCE = 32
const NOT_ASKED: Extract<CheckReading, { asked: true }> = {
  asked: true,
  at: monoMs(Number.NEGATIVE_INFINITY),
  answer: 'unheard',
  text: 'it was not asked yet',
}

/**
 * Load balancers that have nothing but a health check, which a mark on the Node makes fail. Each node is a server: its request
 * is a mark on its Node, and the roll asks the same URL as the load balancers.
 */
export class MarkedNodes implements BalancerReader {
  readonly name: string
  readonly instances: readonly string[]
  readonly #parts: MarkedNodesParts
  readonly #nodes: KnownNodes
  readonly #ask: (node: Node, signal: AbortSignal) => Promise<CheckAnswer>
  readonly #seen = new Map<string, Extract<CheckReading, { asked: true }>>()
  /**
   * Questions about nodes that no decision waits for: they go on beside the polls, since a machine that is off is slow to
   * answer.
   */
  readonly #asking = new Set<string>()

  constructor(parts: MarkedNodesParts) {
    const { spec, clock } = parts
    this.#parts = parts
    this.#nodes = new KnownNodes(parts)
    this.name = spec.name
    this.instances = spec.instances
    const { check } = spec.via
    const checks = check && new NodeChecks(check, clock)
    this.#ask = parts.ask ?? ((node, signal) => checks?.ask(node, signal) ?? Promise.resolve(NO_CHECK))
  }

  /** A check may take as long as the file allows. */
  get answerLimitMs(): number {
    return (this.#parts.spec.via.check?.timeoutMs ?? 0) + 2_000
  }

  async read(instance: string, signal: AbortSignal, own: readonly ServerRef[] = []): Promise<InstanceReading> {
    const nodes = await this.#servers()
    const at = this.#parts.clock.monoMs()
    if (this.#parts.spec.via.check !== undefined) {
      const wanted = new Set(own.map(({ server }) => server))
      const isOwn = ({ name }: Node): boolean => wanted.has(name)
      this.#askBeside(nodes.filter((node) => !isOwn(node)))
      await Promise.all(nodes.filter(isOwn).map((node) => this.#askOne(node, signal)))
    }
    return { instance, process: PROCESS, version: '', at, servers: nodes.map((node) => this.#reading(instance, node)) }
  }

  async inspect(instance: string, signal: AbortSignal): Promise<InstanceInspection> {
    const { via: healthCheck, backends } = this.#parts.spec
    const nodes = await this.#servers()
    for (let from = 0; healthCheck.check !== undefined && from < nodes.length; from += ASKED_AT_ONCE)
      await Promise.all(nodes.slice(from, from + ASKED_AT_ONCE).map((node) => this.#askOne(node, signal)))
    const servers = nodes.map((node) => this.#reading(instance, node))
    return oneBackend({ instance, process: PROCESS, backends, servers })
  }

  async #servers(): Promise<readonly Node[]> {
    const { nodes: selector } = this.#parts.spec.via
    const nodes = await this.#nodes.now()
    return selector === undefined ? nodes : nodes.filter(({ labels }) => selectorMatches(selector, labels))
  }

  #askBeside(nodes: readonly Node[]): void {
    const now = this.#parts.clock.monoMs()
    const everyMs = Math.max(OTHERS_EVERY_MS, nodes.length * 20)
    const askedAt = ({ name }: Node): MonoMs => this.#seen.get(name)?.at ?? NOT_ASKED.at
    const due = nodes
      .filter((node) => !this.#asking.has(node.name) && now - askedAt(node) >= everyMs)
      .toSorted((one, other) => askedAt(one) - askedAt(other))
      .slice(0, ASKED_AT_ONCE - this.#asking.size)
    // Each question ends by the time limit of a check, so nothing has to be aborted.
    const never = new AbortController().signal
    for (const node of due) {
      this.#asking.add(node.name)
      void this.#askOne(node, never).finally(() => this.#asking.delete(node.name))
    }
  }

  async #askOne(node: Node, signal: AbortSignal): Promise<void> {
    const at = this.#parts.clock.monoMs()
    const { answer, text } = await this.#ask(node, signal)
    const before = this.#seen.get(node.name)
    // A node that becomes the one under way may still be asked by an older question: the newer answer counts.
    if (before !== undefined && before.at > at) return
    const goodSince = answer === 'good' ? (before?.goodSince ?? at) : undefined
    this.#seen.set(node.name, { asked: true, at, answer, text, ...present({ goodSince }) })
  }

  #reading(instance: string, node: Node): ServerReading {
    const { backends, via: healthCheck } = this.#parts.spec
    const { mark, check, dataPort } = healthCheck
    const nodeCheck: CheckReading = check === undefined ? { asked: false } : (this.#seen.get(node.name) ?? NOT_ASKED)
    return {
      ...NOTHING_COUNTED,
      ...markedStates(markOn(node, mark) !== 'absent', nodeCheck),
      ref: { instance, backend: backends[0] ?? '', server: node.name },
      address: node.internalAddresses[0] ?? '',
      port: dataPort,
      checkText: nodeCheck.asked ? nodeCheck.text : '',
      nodeCheck,
    }
  }
}

const NO_CHECK: CheckAnswer = { answer: 'unheard', text: 'the file has no check' }
