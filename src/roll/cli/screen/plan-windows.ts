import { zonedTimeText } from '../../../ground/model/zoned-time.ts'
import { countOf } from '../../../ground/text/count-text.ts'
import type { RollPlan, WindowForecast } from '../../model/roll-plan.ts'

type PlannedWindow = WindowForecast['windows'][number]

const WINDOWS_SHOWN = 4
const NAMED_MAX = 5

/** Which nodes are expected to be done in which time window, and what of machines; nothing where the file has none. */
export function windowTexts(plan: RollPlan): readonly string[] {
  const { window, windowIgnoredBy, nodes, hosts = [] } = plan
  if (windowIgnoredBy !== undefined) return [`time windows are ignored, as ${windowIgnoredBy} requested`]
  if (window === undefined) return []
  const { zone, windows, isOpen, later } = window
  const shown = windows.slice(0, WINDOWS_SHOWN)
  const left = [...windows.slice(WINDOWS_SHOWN).flatMap(({ nodes }) => nodes), ...later]
  const fits = (span: PlannedWindow): string => (nodes.length === 0 ? '' : `: ${fitText(span)}`)
  return [
    ...shown.map((span, index) => `${spanText(span, zone, isOpen && index === 0)}${fits(span)}`),
    ...(left.length === 0 ? [] : [`after these windows: ${nodesText(left)}`]),
    ...(hosts.length === 0
      ? []
      : ['a machine is begun in any window that is open: how long it takes is not estimated']),
    closingText(plan, window),
  ]
}

function closingText({ nodes, hosts = [] }: RollPlan, { onClose }: WindowForecast): string {
  const kinds = [...(nodes.length === 0 ? [] : ['node']), ...(hosts.length === 0 ? [] : ['machine'])]
  const it = kinds.length > 1 ? 'it' : `the ${kinds.join()}`
  const becomes = onClose === 'restore' ? 'is put back' : 'is finished'
  return `if a window closes before the reboot of the current ${kinds.join(' or ')} is announced, ${it} ${becomes}`
}

const spanText = ({ from, to }: PlannedWindow, zone: string, isOpen: boolean): string =>
  isOpen
    ? `open now, closes ${zonedTimeText(to, zone)}`
    : `opens ${zonedTimeText(from, zone)}, closes ${zonedTimeText(to, zone)}`

const fitText = ({ nodes }: PlannedWindow): string =>
  nodes.length === 0 ? 'too short for the next node' : `${nodesText(nodes)} by estimate`

const nodesText = (nodes: readonly string[]): string =>
  nodes.length <= NAMED_MAX ? nodes.join(', ') : `${countOf(nodes.length, 'node')}, ${nodes[0]} to ${nodes.at(-1)}`
