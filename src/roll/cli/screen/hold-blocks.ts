import { blockLines } from '../../../ground/text/labelled-block.ts'
import type { Line } from '../../../ground/text/terminal/style.ts'
import { currentHold, currentStep, type RollView } from '../../report/view/roll-view.ts'
import { holdBlock } from './hold-block.ts'
import { reasonsText } from './reasons-text.ts'

/** A shorter hold is normal during a drain, and has its one line already. */
const LASTS_MS = 30_000
const COLUMNS_MAX = 100

/** Shows each hold in full once it has lasted, and again only when its reasons change. */
export class HoldBlocks {
  readonly #said = new Map<string, string>()

  due(view: RollView, now: number, columns: number): readonly Line[] {
    return view.nodes.flatMap((node) => {
      const step = currentStep(node)
      const hold = currentHold(step)
      if (hold === undefined || now - hold.startedAt < LASTS_MS) return []
      const reason = `${step?.step} ${hold.startedAt} ${reasonsText(hold.reasons)}`
      if (this.#said.get(node.name) === reason) return []
      this.#said.set(node.name, reason)
      const block = holdBlock(view, node, now)
      return block === undefined ? [] : blockLines(block, Math.min(columns - 1, COLUMNS_MAX))
    })
  }
}
