import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { Program, type ProgramEnd } from '../roll-bed/program.ts'

const REFUSED = /error when evicting pods\/"([^"]+)".*will retry after 5s.*disruption budget/

/** An unmodified `kubectl drain` of a node, as people run it. */
export class KubectlDrain {
  readonly node: string
  readonly #program: Program
  readonly #startedMs = performance.now()
  readonly #ended: Promise<ProgramEnd>
  #isOver = false
  #tookMs = 0

  /** `kubectl`: the command line without its arguments. */
  constructor(node: string, kubectl: readonly string[], kubeconfig: string) {
    this.node = node
    const words = ['drain', node, '--ignore-daemonsets', '--delete-emptydir-data']
    this.#program = new Program([...kubectl, ...words], { env: { KUBECONFIG: kubeconfig } })
    this.#ended = this.#program.ended().then((end) => {
      this.#isOver = true
      this.#tookMs = Math.round(performance.now() - this.#startedMs)
      return end
    })
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Until it ended. */
  get tookMs(): number {
    return this.#tookMs
  }

  /** The pods whose eviction was refused because of a budget, each time that it said so. */
  get refused(): readonly string[] {
    return this.#program.stderr.split('\n').flatMap((line) => REFUSED.exec(line)?.[1] ?? [])
  }

  /** Resolves when one more eviction was refused than by now. */
  async refusedAgain(): Promise<void> {
    const before = this.refused.length
    const explain = (): string => this.#program.stderr
    await waitFor({ what: `an eviction from ${this.node} to be refused`, limitMs: 30_000, explain }, () => {
      if (this.#isOver) throw new Error(`the drain of ${this.node} is over`)
      return this.refused.length > before || undefined
    })
  }

  /** Rejects where it failed or did not end in time. */
  async drained(limitMs = 60_000): Promise<this> {
    const explain = (): string => this.#program.stderr
    await waitFor({ what: `${this.node} to be drained`, limitMs, explain }, () => this.#isOver || undefined)
    const { code, stderr } = await this.#ended
    if (code !== 0) throw new Error(`the drain of ${this.node} ended with ${code}: ${stderr}`)
    return this
  }

  kill(): void {
    this.#program.kill('SIGKILL')
  }
}
