import { asOutage, byOutage, type Outage } from '../../decide/availability/outages.ts'
import type { ReloadSpan } from '../../model/reload-span.ts'
import type { Blame } from '../../model/roll-event.ts'
import type { WindowView } from './roll-view.ts'

/** Windows of one probe as people see them: its lanes together, with all possible causes. */
export interface OutageView {
  readonly window: Outage
  /** The number of outages. */
  readonly outages: number
  readonly blame: readonly Blame[]
  readonly reloads: readonly ReloadSpan[]
}

export function outageView([first, ...others]: readonly [WindowView, ...WindowView[]], outages: number): OutageView {
  const all = [first, ...others]
  const blame = new Map<string, Blame>()
  for (const one of all.flatMap((view) => view.blame).toSorted((a, b) => a.rank - b.rank)) {
    const key = `${one.step} ${one.node}`
    if (!blame.has(key)) blame.set(key, one)
  }
  const reloads = new Map(all.flatMap((view) => view.reloads).map((span) => [`${span.from} ${span.instance}`, span]))
  return {
    window: asOutage(first.window, ...others.map(({ window }) => window)),
    outages,
    blame: [...blame.values()],
    reloads: [...reloads.values()],
  }
}

/** Each outage by itself. */
export const outageViews = (windows: readonly WindowView[]): readonly OutageView[] =>
  byOutage(windows, ({ window }) => window).map((views) => outageView(views, 1))
