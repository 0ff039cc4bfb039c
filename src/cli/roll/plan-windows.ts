import type { RollPlan, WindowForecast } from '../../model/roll-plan.ts'
import { zonedTimeText } from '../../model/zoned-time.ts'
import { countOf } from '../text/count-text.ts'

type PlannedWindow = WindowForecast['windows'][number]

const WINDOWS_SHOWN = 4
const NAMED_MAX = 5

/** Which nodes are expected to be done in which time window; nothing where the file has none. */
export function windowTexts({ window, windowIgnoredBy }: RollPlan): readonly string[] {
  if (windowIgnoredBy !== undefined) return [`time windows are ignored, as ${windowIgnoredBy} requested`]
  if (window === undefined) return []
  const { zone, windows, isOpen, later } = window
  const shown = windows.slice(0, WINDOWS_SHOWN)
  const left = [...windows.slice(WINDOWS_SHOWN).flatMap(({ nodes }) => nodes), ...later]
  const closing = window.onClose === 'restore' ? 'is put back' : 'is finished'
  return [
    ...shown.map((span, index) => `${spanText(span, zone, isOpen && index === 0)}: ${fitText(span)}`),
    ...(left.length === 0 ? [] : [`after these windows: ${nodesText(left)}`]),
    `if a window closes before the reboot of the current node is announced, the node ${closing}`,
  ]
}

const spanText = ({ from, to }: PlannedWindow, zone: string, isOpen: boolean): string =>
  isOpen
    ? `open now, closes ${zonedTimeText(to, zone)}`
    : `opens ${zonedTimeText(from, zone)}, closes ${zonedTimeText(to, zone)}`

const fitText = ({ nodes }: PlannedWindow): string =>
  nodes.length === 0 ? 'too short for the next node' : `${nodesText(nodes)} by estimate`

const nodesText = (nodes: readonly string[]): string =>
  nodes.length <= NAMED_MAX ? nodes.join(', ') : `${countOf(nodes.length, 'node')}, ${nodes[0]} to ${nodes.at(-1)}`
