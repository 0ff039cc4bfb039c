import { formatMinSec } from '../ground/model/duration.ts'
import { countText } from '../ground/text/count-text.ts'
import { type Line, type Piece, padCells } from '../ground/text/terminal/style.ts'
import type { ProbeReading } from '../roll/cli/probe/probe-reading.ts'
import type { DemoScreen } from './demo-screen.ts'

const PLAN_CELLS = 10
const NODE_CELLS = 6

interface Under {
  readonly node: string
  readonly step: string
  readonly sinceMs: number
  /** When the first step of the node began, and the judge's counts at that time. */
  readonly nodeSinceMs: number
  readonly sentBefore: number
  readonly failedBefore: number
}

/** One plan on the screen: a line for each node that is done, and one for the present step. */
export class PlanPrinter {
  readonly #screen: DemoScreen
  readonly #name: Piece
  #nodes: readonly string[] = []
  #now: Under | undefined
  #sent = 0
  #failed = 0

  constructor(screen: DemoScreen, plan: string, cells = PLAN_CELLS) {
    this.#screen = screen
    this.#name = { text: padCells(plan, cells), tone: 'name' }
    screen.show(() => this.#live())
  }

  opened(nodes: readonly string[], about: string): void {
    this.#nodes = nodes
    this.note(about)
  }

  step(node: string, step: string): void {
    if (step === 'done') this.#nodeDone(node)
    else this.#now = this.#under(node, step)
    this.#screen.refresh()
  }

  reading({ sent, failed }: ProbeReading): void {
    this.#sent = sent
    this.#failed = failed
    this.#screen.refresh()
  }

  /** A line that stays. */
  note(text: string): void {
    this.#screen.say([this.#name, text])
  }

  #under(node: string, step: string): Under {
    const nowMs = this.#screen.nowMs
    const same = this.#now?.node === node ? this.#now : undefined
    return {
      node,
      step,
      sinceMs: nowMs,
      nodeSinceMs: same?.nodeSinceMs ?? nowMs,
      sentBefore: same?.sentBefore ?? this.#sent,
      failedBefore: same?.failedBefore ?? this.#failed,
    }
  }

  #nodeDone(node: string): void {
    const now = this.#now
    this.#now = undefined
    if (now === undefined) return
    const took = formatMinSec(this.#screen.nowMs - now.nodeSinceMs)
    const failed = this.#failed - now.failedBefore
    this.#screen.say([
      this.#name,
      `${padCells(node, NODE_CELLS)}done  ${took}, `,
      failedPiece(failed),
      ` of ${countText(this.#sent - now.sentBefore)}`,
    ])
  }

  #live(): Line | undefined {
    const now = this.#now
    if (now === undefined) return undefined
    return [
      this.#name,
      `${this.#nodes.length} nodes  `,
      { text: `${now.node} ${now.step}`, tone: 'work' },
      ` ${formatMinSec(this.#screen.nowMs - now.sinceMs)}   ${countText(this.#sent)} sent  `,
      failedPiece(this.#failed),
    ]
  }
}

const failedPiece = (failed: number): string | Piece =>
  failed === 0 ? '0 failed' : { text: `${countText(failed)} failed`, tone: 'stop' }
