import { byOutage } from '../../decide/availability/outages.ts'
import { outageView } from '../view/outage-view.ts'
import { type WindowDocument, windowDocument } from '../view/outcome-document.ts'
import type { WindowView } from '../view/roll-view.ts'

/** The failure windows of all lanes that overlap: one fault for people. */
export interface OutageDocument extends Omit<WindowDocument, 'lane'> {
  readonly lanes: readonly string[]
  /** A control target excuses the whole outage. */
  readonly excused: boolean
  /** The indexes of its windows in `windows`, in the order in which they began. */
  readonly windows: readonly number[]
}

/** `documents` are the windows of these views, in the same order. */
export function outagesOf(
  views: readonly WindowView[],
  documents: readonly { readonly excused: boolean }[],
): readonly OutageDocument[] {
  return byOutage(views, ({ window }) => window).map((group) => {
    const { window, blame, reloads } = outageView(group, 1)
    const { lanes, ...joined } = window
    const { lane: _, ...document } = windowDocument({
      window: { ...joined, lane: group[0].window.lane },
      blame,
      reloads,
    })
    const places = group.map((view) => views.indexOf(view))
    return {
      ...document,
      blame: ranked(document.blame),
      lanes,
      excused: places.every((place) => documents[place]?.excused === true),
      windows: places,
    }
  })
}

/** Each lane has ranks of its own; together each step has one rank. */
const ranked = (blame: WindowDocument['blame']): WindowDocument['blame'] =>
  blame.map((one, index) => ({ ...one, rank: index + 1 }))
