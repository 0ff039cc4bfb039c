import { Wakeup } from '../../ground/loop/wakeup.ts'
import { canonicalAddress } from '../../ground/model/ip-address.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { FollowEvent } from '../../ground/ports/cluster.ts'
import type { Caller } from '../../ground/ports/http-door.ts'
import type { Log } from '../../ground/ports/log.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import type { Answer } from '../../service/model/answer.ts'
import type { AgentDecision } from '../decide/decide.ts'
import { ingressAnswer } from '../decide/ingress-answer.ts'
import { formatIngressMemory, parseIngressMemory } from '../decide/ingress-memory.ts'
import { type IngressReading, ingressName } from '../decide/ingress-reading.ts'
import type { AgentStore } from '../ports/agent-store.ts'
import { type DeploymentReading, deploymentsOf, isAnsweredHere, type OneIngress } from './ingress-deployments.ts'
import { PollLog, type Polls } from './poll-log.ts'
import { TimelyStore } from './timely-store.ts'

interface IngressWatchParts {
  readonly node: string
  /** Only this one is answered for, by a pod of its own; absent: all that the agent has to answer for. */
  readonly only?: OneIngress
  readonly objects: Pick<Objects, 'follow'>
  readonly store: AgentStore
  readonly bootId: string
  readonly clock: Clock
  readonly log: Log
  /** A Deployment, or the order of one, has changed. */
  readonly onChange: () => void
}

/** One IngressDaemonSet on this node, as its checks are answered. */
export interface AnsweredIngress {
  readonly reading: IngressReading
  readonly decision: Pick<AgentDecision, 'answer' | 'reasons'>
  /** Of the answer. */
  readonly since: MonoMs
  readonly polls: readonly Polls[]
}

interface Answered extends Omit<AnsweredIngress, 'polls'> {
  readonly log: PollLog
}

const WRITE_AGAIN_MS = 1_000

/**
 * What is known of the IngressDaemonSets of one node, and the answer for each. The last known state stays in force while the
 * API server is away, also after a restart of the agent in the same boot of the machine.
 */
export class IngressWatch {
  readonly #parts: IngressWatchParts
  readonly #store: TimelyStore
  readonly #wakeup: Wakeup
  #node: Pick<AgentDecision, 'answer' | 'reasons'> = { answer: 'down', reasons: [] }
  #answered: ReadonlyMap<string, Answered> = new Map()
  /** By UID: the last answer for a Deployment that another process answers for now. */
  readonly #handedOver = new Map<string, Answer>()
  #heard = false
  #isRecalled = false
  #isAsked = false
  #remembered = ''
  #storeTrouble: string | undefined
  #apiTrouble: string | undefined

  constructor(parts: IngressWatchParts) {
    this.#parts = parts
    this.#store = new TimelyStore(parts.store, parts.clock)
    this.#wakeup = new Wakeup(parts.clock)
  }

  /** The API server has sent all Deployments of the node to this process. */
  get heard(): boolean {
    return this.#heard
  }

  /** Something is known, at least from the previous agent. */
  get isKnown(): boolean {
    return this.#heard || this.#isRecalled
  }

  get readings(): readonly IngressReading[] {
    return [...this.#answered.values()].map(({ reading }) => reading)
  }

  get answered(): readonly AnsweredIngress[] {
    return [...this.#answered.values()].map(({ log, ...rest }) => ({ ...rest, polls: log.all() }))
  }

  /** For people. */
  get trouble(): readonly string[] {
    const unreadable = this.readings.flatMap(({ namespace, deployment, unreadable: why }) =>
      why === undefined ? [] : [`the health order of Deployment ${namespace}/${deployment} cannot be read: ${why}`],
    )
    return [this.#apiTrouble, this.#storeTrouble, ...unreadable].filter((line) => line !== undefined)
  }

  /** Reads what the previous process left. Rejects with the signal's reason. */
  async begin(signal: AbortSignal): Promise<void> {
    const text = await this.#inStore(() => this.#store.read('ingress', signal))
    const known = text === undefined ? undefined : parseIngressMemory(text, this.#parts.bootId)
    if (known === undefined) return
    this.#isRecalled = true
    this.#replace(known)
  }

  /** From now on checkers ask this agent. While it waited beside another one it overwrote nothing. */
  takeOver(): void {
    this.#isAsked = true
    this.#wakeup.wake()
  }

  /** Follows and writes until aborted; rejects with the signal's reason. */
  async run(signal: AbortSignal): Promise<void> {
    const { objects, node, only } = this.#parts
    const following = objects.follow(deploymentsOf(node, only), (event) => this.#heardOf(event), signal)
    await Promise.all([following, this.#writes(signal)])
    signal.throwIfAborted()
  }

  /** The answer for the node has changed. */
  nodeAnswers(decision: Pick<AgentDecision, 'answer' | 'reasons'>): void {
    this.#node = decision
    this.#judge(this.readings)
  }

  /**
   * Answers one health check, and counts it. At a port that is about to close: the last answer where others go on, otherwise
   * `down`.
   */
  asked(uid: string | undefined, { address, port }: Caller): Answer {
    const answered = uid === undefined ? undefined : this.#answered.get(uid)
    if (answered === undefined) return this.#handedOver.get(uid ?? '') ?? 'down'
    const { answer } = answered.decision
    answered.log.noted({ address: canonicalAddress(address), port }, answer, this.#parts.clock.monoMs())
    return answer
  }

  #heardOf(event: FollowEvent<DeploymentReading>): void {
    switch (event.type) {
      case 'fresh':
        break
      case 'broken':
        if (event.error.code === 'KUBE_FORBIDDEN') this.#forbidden(event.error)
        break
      case 'listed':
        this.#heard = true
        this.#apiTrouble = undefined
        this.#replace(event.objects.flatMap((deployment) => this.#answeredFor(deployment)))
        break
      case 'applied':
        this.#replace([...this.#but(event.object), ...this.#answeredFor(event.object)])
        break
      case 'deleted':
        this.#handedOver.delete(event.object.uid)
        this.#replace(this.#but(event.object))
    }
  }

  #but({ uid }: DeploymentReading): readonly IngressReading[] {
    return this.readings.filter((readings) => readings.uid !== uid)
  }

  /** If the order cannot be read, the ports are those of the last one that could. */
  #answeredFor(deployment: DeploymentReading): readonly IngressReading[] {
    const was = this.#answered.get(deployment.uid)
    if (!isAnsweredHere(deployment, this.#parts.node, this.#parts.only)) {
      if (was !== undefined) this.#handedOver.set(deployment.uid, was.decision.answer)
      return []
    }
    this.#handedOver.delete(deployment.uid)
    const { node: _node, group: _group, by: _by, ...known } = deployment
    const before = was?.reading.order
    return [known.order === undefined && before !== undefined ? { ...known, order: before } : known]
  }

  #forbidden(error: WorldError): void {
    const trouble = `the IngressDaemonSets of this node are not known: ${error.message}`
    if (trouble !== this.#apiTrouble) this.#parts.log.warn(trouble)
    this.#apiTrouble = trouble
  }

  #replace(readings: readonly IngressReading[]): void {
    this.#judge(readings)
    this.#wakeup.wake()
    this.#parts.onChange()
  }

  /** Counted at once and not when the next checker asks: polls before a change do not count for the answer after it. */
  #judge(readings: readonly IngressReading[]): void {
    const before = this.#answered
    this.#answered = new Map(readings.map((one) => [one.uid, this.#answeredNow(one, before.get(one.uid))]))
  }

  #answeredNow(reading: IngressReading, before: Answered | undefined): Answered {
    const decision = ingressAnswer(this.#node, reading)
    if (before?.decision.answer === decision.answer) return { ...before, reading, decision }
    before?.log.answerChanged()
    if (reading.order !== undefined && reading.order.ports.length > 0)
      this.#parts.log.warn(`answers ${decision.answer} for ${ingressName(reading)}`, {
        reasons: decision.reasons.map(({ text }) => text),
      })
    return { reading, decision, since: this.#parts.clock.monoMs(), log: before?.log ?? new PollLog() }
  }

  async #writes(signal: AbortSignal): Promise<void> {
    for (;;) {
      const isWritten = !this.#isAsked || !this.isKnown || (await this.#remember(signal))
      await this.#wakeup.next(isWritten ? undefined : WRITE_AGAIN_MS, signal)
    }
  }

  /** After a restart no memory is better than an old one: a file that cannot be replaced is removed. */
  async #remember(signal: AbortSignal): Promise<boolean> {
    const text = formatIngressMemory(this.#parts.bootId, this.readings)
    if (text === this.#remembered) return true
    const isWritten = await this.#inStore(async () => {
      await this.#store.write('ingress', text, signal)
      return true
    })
    this.#remembered = isWritten === true ? text : ''
    if (isWritten === undefined) await this.#store.write('ingress', undefined, signal).catch(ofWorld)
    return isWritten === true
  }

  async #inStore<T>(call: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await call()
      this.#storeTrouble = undefined
      return result
    } catch (error) {
      ofWorld(error)
      const { message } = error as WorldError
      if (this.#storeTrouble === undefined) this.#parts.log.warn(message)
      this.#storeTrouble = message
      return undefined
    }
  }
}

function ofWorld(error: unknown): void {
  if (!(error instanceof WorldError)) throw error
}
