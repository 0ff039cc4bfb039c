import type { Line } from '../../../ground/text/terminal/style.ts'
import type { StampedEvent } from '../../model/roll-event.ts'
import { outageView } from '../../report/view/outage-view.ts'
import { type RollView, type WindowView, windowViewOf } from '../../report/view/roll-view.ts'
import { causeText, outageClassText, outageSpanText, reloadsText } from '../../report/view/window-text.ts'
import { type OutageNews, OutageTeller } from '../outage-teller.ts'
import { saidLine } from './event-lines.ts'

/** Shows which requests failed: at most one line a second, and both lanes of a probe together. */
export class WindowLines {
  readonly #teller = new OutageTeller<WindowView>()

  note(event: StampedEvent, now: number): void {
    if (event.type === 'window.opened' || event.type === 'window.closed') this.#teller.note(windowViewOf(event), now)
  }

  due(view: RollView, now: number): readonly Line[] {
    const news = this.#teller.due(now)
    return news === undefined ? [] : [windowLine(view, news)]
  }

  /** The remaining lines, where the end is shown next. */
  rest(view: RollView): readonly Line[] {
    return this.#teller.rest().map((news) => windowLine(view, news))
  }
}

function windowLine(view: RollView, { type, windows, outages }: OutageNews<WindowView>): Line {
  const outage = outageView(windows, outages)
  const { window, blame, reloads } = outage
  const reload = reloads.length === 0 ? '' : `; ${reloadsText(reloads)}`
  const text =
    type === 'closed'
      ? `FAILED ${outageSpanText(outage)}, ${outageClassText(outage)}; ${causeText(outage)}`
      : `FAILING ${window.target}: ${outageClassText(outage)}: ${window.firstError}${reload}`
  return saidLine(view, { ...(blame[0] && { node: blame[0].node }), word: 'window', text, tone: 'stop' }, view.lastAt)
}
