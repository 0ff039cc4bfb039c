import { present } from '../../../ground/model/present.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import type { PlannedNode, RollPlan } from '../../model/roll-plan.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import type { TimeSpan } from '../../model/time-window.ts'
import { estimateNode, estimateRoll, type PastNodes } from './estimate.ts'
import { windowFindings, windowForecast } from './window-forecast.ts'

interface Times {
  readonly spec: RollSpec
  readonly past?: PastNodes | undefined
  readonly wall: WallMs
  /** The time windows that end after now. Absent: the roll file has none, or they are ignored. */
  readonly spans?: readonly TimeSpan[]
  /** Of the longest window to come, which may be none of these. Absent: one of these. */
  readonly longestMs?: number
}

/** How many future windows a plan uses. */
export const PLANNED_SPANS = 12

/** Adds to a plan how long its nodes take, and when it may work. How long a machine of a load balancer takes is not known. */
export function withTimes(plan: RollPlan, { spec, past, wall, spans, longestMs }: Times): RollPlan {
  const { hosts = [] } = plan
  if (plan.nodes.length + hosts.length === 0) return plan
  const timed = plan.nodes.length === 0 ? plan : { ...plan, estimate: estimateRoll(plan, spec, past) }
  const { window } = spec
  if (window === undefined || spans === undefined) return timed
  const nodes = plan.nodes.map((node): PlannedNode => ({ ...node, estimateMs: estimateNode(node, spec, past) }))
  const forecasting = { window, spans, now: wall }
  return {
    ...timed,
    nodes,
    findings: [...plan.findings, ...windowFindings(nodes, { ...forecasting, ...present({ longestMs }) })],
    window: windowForecast(nodes, { ...forecasting, baselineMs: spec.probe?.baselineMs ?? 0 }),
  }
}
