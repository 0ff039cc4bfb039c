import { shownJson } from '../../../ground/model/foreign-text.ts'
import { plainly } from '../../../ground/model/sentence.ts'
import type { StampedEvent } from '../../model/roll-event.ts'
import { windowDocument } from '../../report/view/outcome-document.ts'
import { windowViewOf } from '../../report/view/roll-view.ts'
import { reasonsText } from './reasons-text.ts'

/**
 * One event as one line of JSON, for `-o jsonl` and `--events`: the journal's shape, with windows as in the document of
 * `-o json` and holds led by their first reason. `text` is for people and may change.
 */
export function eventJson(event: StampedEvent): string {
  return `${shownJson(shaped(event), plainly)}\n`
}

function shaped(event: StampedEvent): Readonly<Record<string, unknown>> {
  const { v, seq, at, type, ...rest } = event
  const head = { v, seq, at, type }
  switch (event.type) {
    case 'window.opened':
    case 'window.closed':
      return { ...head, ...windowDocument(windowViewOf(event)) }
    case 'hold.started':
    case 'hold.changed': {
      const [first] = event.reasons
      const lead = { code: first?.code, object: first?.object, never: first?.never ?? false }
      return { ...head, ...rest, ...lead, text: reasonsText(event.reasons) }
    }
    case 'roll.ended': {
      const totals = {
        failedRequests: event.load?.failed ?? 0,
        excusedRequests: event.load?.excused ?? 0,
        retriedRequests: event.load?.retried ?? 0,
        sentRequests: event.load?.sent ?? 0,
      }
      return { ...head, ...rest, ...totals }
    }
    default:
      return { ...head, ...rest }
  }
}
