import { present } from '../../../ground/model/present.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import type { FailedRequestsLimit } from '../../model/stop-spec.ts'
import type { StopUse } from '../../model/stop-use.ts'
import { blameText, type JudgedFailure, type StopSnapshot } from './judged-failures.ts'

/** The state of a stop rule. */
export interface RuleState {
  readonly use: StopUse
  /** Why the roll stops, once more is used than is allowed. */
  readonly reason: () => Reason
  /** When it was broken last, as far as is known. */
  readonly lastAt: WallMs | undefined
}

/** How many requests have failed, in all and for the node that is blamed for most. */
export function countRules(
  { spec: { probe, stop } }: StopSnapshot,
  failures: readonly JudgedFailure[],
): readonly RuleState[] {
  if (stop === undefined) return []
  const budgeted = new Set(stop.downtime.map(({ target }) => target))
  const { failedRequests: limits } = stop
  const counted = limits === undefined ? failures.filter(({ window }) => !budgeted.has(window.target)) : failures
  // In a file with an error budget for each target, the time of failures counts, not their number.
  const isTimed = (probe?.targets ?? []).every(({ name, control }) => control || budgeted.has(name))
  if (limits === undefined) return isTimed ? [] : [ruleInAll(counted, 0)]
  return [ruleInAll(counted, limits.inAll), ...(limits.perNode < limits.inAll ? rulePerNode(counted, limits) : [])]
}

function ruleInAll(failures: readonly JudgedFailure[], allowed: number): RuleState {
  const used = failedOf(failures)
  return {
    use: { rule: 'failedRequests', used, allowed },
    reason: () => ({
      code: 'TooManyFailed',
      text: `${requestsText(used)} failed, and stop.failedRequests.inAll allows ${allowed}: ${blamed(failures)}`,
    }),
    lastAt: lastBadAt(failures),
  }
}

function rulePerNode(failures: readonly JudgedFailure[], { perNode }: FailedRequestsLimit): readonly RuleState[] {
  const byNode = Map.groupBy(failures, ({ blame }) => blame?.node)
  byNode.delete(undefined)
  const worst = [...byNode].toSorted(([, a], [, b]) => failedOf(b) - failedOf(a))[0]
  if (worst?.[0] === undefined) return []
  const [node, own] = worst
  const used = failedOf(own)
  return [
    {
      use: { rule: 'failedRequestsOfNode', node, used, allowed: perNode },
      reason: () => ({
        code: 'TooManyFailed',
        object: node,
        text: `${requestsText(used)} failed for which ${node} is blamed, and stop.failedRequests.perNode allows ${perNode}: ${blamed(own)}`,
      }),
      lastAt: lastBadAt(own),
    },
  ]
}

const failedOf = (failures: readonly JudgedFailure[]): number => failures.reduce((sum, { failed }) => sum + failed, 0)

const requestsText = (count: number): string => (count === 1 ? '1 request' : `${count} requests`)

const blamed = (failures: readonly JudgedFailure[]): string =>
  blameText(failures.map(({ failed, blame }) => ({ amount: failed, ...present({ blame }) })))

export const lastBadAt = (failures: readonly JudgedFailure[]): WallMs | undefined =>
  failures.map(({ window }) => window.lastBadAt).toSorted((a, b) => b - a)[0]
