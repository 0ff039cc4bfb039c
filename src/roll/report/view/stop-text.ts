import { formatDuration } from '../../../ground/model/duration.ts'
import { countOf, countText } from '../../../ground/text/count-text.ts'
import type { BlockRow } from '../../../ground/text/labelled-block.ts'
import type { RollPlan } from '../../model/roll-plan.ts'
import type { StopUse } from '../../model/stop-use.ts'
import type { RollView } from './roll-view.ts'

const percentText = (share: number): string => `${Number((share * 100).toPrecision(2))} %`

/** `failed requests`, `downtime of shop`. */
export function ruleText(use: StopUse): string {
  switch (use.rule) {
    case 'failedRequests':
      return 'failed requests'
    case 'failedRequestsOfNode':
      return `failed requests of one node (most: ${use.node})`
    case 'latency':
      return `requests to ${use.target} slower than ${formatDuration(use.slowerThanMs)}, highest share in ${formatDuration(use.overMs)}`
    case 'downtime':
      return `downtime of ${use.target}, at most`
  }
}

/** An amount in the unit of its rule: `2`, `0.4 %`, `3.2 s`. */
export function amountText({ rule }: Pick<StopUse, 'rule'>, amount: number): string {
  if (rule === 'latency') return percentText(amount)
  return rule === 'downtime' ? formatDuration(amount) : countText(amount)
}

/** `failed requests: 2 of 5 allowed`. */
const useText = (use: StopUse): string =>
  `${ruleText(use)}: ${amountText(use, use.used)} of ${amountText(use, use.allowed)} allowed`

/** `5 allowed`; undefined where the file allows no failed request, or does not count them. */
export function allowedText(uses: readonly StopUse[] = []): string | undefined {
  const use = uses.find(({ rule }) => rule === 'failedRequests')
  return use === undefined || use.allowed === 0 ? undefined : `${countText(use.allowed)} allowed`
}

/** The limits of the roll file, and how much of each is used. */
export const stopRows = ({ load }: RollView): readonly BlockRow[] =>
  load?.stop === undefined ? [] : [{ label: 'used', texts: load.stop.map(useText) }]

/** When a roll would stop, for its plan. `shared`: a sentence about controls. */
export function stopsText({ stop, load }: Pick<RollPlan, 'stop' | 'load'>, shared: string): string {
  if (stop === undefined) return `at the first failed request after the baseline${shared}`
  const { failedRequests, latency, downtime } = stop
  const budgeted = new Set(downtime.map(({ target }) => target))
  const counted = load.filter(({ name, control }) => !control && !budgeted.has(name)).map(({ name }) => name)
  const first = counted.length === 0 ? [] : [`at the first failed request to ${counted.join(', ')}${shared}`]
  const failed =
    failedRequests === undefined
      ? first
      : [
          `at more than ${countOf(failedRequests.inAll, 'failed request')} in all${shared}`,
          ...(failedRequests.perNode < failedRequests.inAll
            ? [`at more than ${countOf(failedRequests.perNode, 'failed request')} of one node`]
            : []),
        ]
  const slow = latency.map(
    ({ target, slowerThanMs, share, overMs }) =>
      `at more than ${percentText(share)} of the requests to ${target} slower than ${formatDuration(slowerThanMs)} in ${formatDuration(overMs)}`,
  )
  const down = downtime.map(
    ({ target, downtimeMs }) => `at more than ${formatDuration(downtimeMs)} of downtime of ${target} in all`,
  )
  return [...failed, ...slow, ...down].join('; ')
}
