import type { MonoMs } from '../../src/ground/model/time.ts'
import type { CheckAnswer } from '../../src/service/actuators/mark/io/ask-check.ts'
import type { EndpointChecks } from '../../src/service/model/health-endpoint.ts'
import { markOn, type NodeMark } from '../../src/service/model/node-mark.ts'
import type { MemoryCluster } from './memory-cluster.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** What becomes of the health checks of nodes. `stuck`: they do not go by the mark. `away`: from the roll's machine none answers. */
type Trouble = 'stuck' | 'away' | undefined

interface BoxParts {
  readonly cluster: MemoryCluster
  readonly clock: VirtualClock
  readonly mark: NodeMark
  readonly checks: EndpointChecks
  /** From the mark until the health check goes by it. */
  readonly lateMs: number
}

/**
 * A load balancer with nothing but a health check, which the nodes answer by a mark on their Node. It is asked nothing, and tells
 * the test when it left a node, and when it sent to it again.
 */
export class MemoryBox {
  trouble: Trouble
  /** As it happened: `n1 left`, `n1 back`, each with its time. */
  readonly changes: { readonly what: string; readonly at: MonoMs }[] = []
  readonly #parts: BoxParts
  readonly #marked = new Map<string, MonoMs>()
  readonly #over = new AbortController()

  constructor(parts: BoxParts) {
    this.#parts = parts
    for (const name of ['n1', 'n2', 'n3']) {
      void this.#follow(name)
      void this.#check(name)
    }
  }

  end(): void {
    this.#over.abort()
  }

  /** As the roll is answered. */
  answer(name: string): CheckAnswer {
    if (this.trouble === 'away' || this.#parts.cluster.node(name).ready !== 'True')
      return { answer: 'unheard', text: 'connect ETIMEDOUT' }
    return this.#isGood(name) ? { answer: 'good', text: 'good' } : { answer: 'refused', text: 'HTTP 503' }
  }

  #isGood(name: string): boolean {
    const since = this.#marked.get(name)
    return since === undefined || this.trouble === 'stuck' || this.#parts.clock.monoMs() - since < this.#parts.lateMs
  }

  async #follow(name: string): Promise<void> {
    const { cluster, clock, mark } = this.#parts
    while (!this.#over.signal.aborted) {
      if (markOn(cluster.node(name), mark) === 'absent') this.#marked.delete(name)
      else if (!this.#marked.has(name)) this.#marked.set(name, clock.monoMs())
      await clock.sleep(50, this.#over.signal).catch(() => undefined)
    }
  }

  async #check(name: string): Promise<void> {
    const { clock, cluster, checks } = this.#parts
    let [isIn, count] = [true, 0]
    while (!this.#over.signal.aborted) {
      await clock.sleep(checks.intervalMs, this.#over.signal).catch(() => undefined)
      const isGood = cluster.node(name).ready === 'True' && this.#isGood(name)
      count = isGood === isIn ? 0 : count + 1
      if (count < (isIn ? checks.fall : checks.rise)) continue
      isIn = !isIn
      count = 0
      this.changes.push({ what: `${name} ${isIn ? 'back' : 'left'}`, at: clock.monoMs() })
    }
  }
}
