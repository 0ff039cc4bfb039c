import { formatMinSec } from '../../ground/model/duration.ts'
import { type Line, padCells } from '../../ground/text/terminal/style.ts'
import type { DemoScreen } from '../demo-screen.ts'
import type { NodeRow } from './guard-demo-actions.ts'

const WHO_CELLS = 9
const WAITING: readonly string[] = ['Held', 'Requested']

/** Lines that stay, each with its node, and below them the present state of each node. */
export class GuardPrinter {
  /** The texts of the NodeGuard, in their order. */
  readonly words: { readonly node: string; readonly text: string }[] = []
  readonly #screen: DemoScreen
  readonly #now = new Map<string, { readonly state: string; readonly text: string; readonly sinceMs: number }>()

  constructor(screen: DemoScreen) {
    this.#screen = screen
    screen.show(() => this.#live())
  }

  say(who: string, ...line: Line): void {
    this.#screen.say([{ text: padCells(who, WHO_CELLS), tone: 'name' }, ...line])
  }

  /** The nodes that the status of the NodeGuard lists. */
  show(rows: readonly NodeRow[]): void {
    const names = new Set(rows.map(({ name }) => name))
    for (const name of this.#now.keys()) if (!names.has(name)) this.#now.delete(name)
    for (const { name, state, message } of rows) {
      const text = message === undefined ? state : `${state}: ${message}`
      if (this.#now.get(name)?.text === text) continue
      this.#now.set(name, { state, text, sinceMs: this.#screen.nowMs })
      this.words.push({ node: name, text })
      this.say(name, { text: state, tone: WAITING.includes(state) ? 'hold' : 'work' }, text.slice(state.length))
    }
    this.#screen.refresh()
  }

  #live(): Line | undefined {
    if (this.#now.size === 0) return undefined
    const states = [...this.#now].map(
      ([name, { state, sinceMs }]) => `${name} ${state} ${formatMinSec(this.#screen.nowMs - sinceMs)}`,
    )
    return [{ text: padCells('guard', WHO_CELLS), tone: 'name' }, states.toSorted().join('   ')]
  }
}
