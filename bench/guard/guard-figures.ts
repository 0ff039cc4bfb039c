import type { Figure } from '../report/figure.ts'
import type { GuardDocument } from './guard-document.ts'

/** The goals are for the largest fleet. */
const GOAL_NODES = 5_000
const GOALS = { firstPassS: 10, idlePercent: 1, residentMb: 300, grantMs: 300, idleWrites: 0 } as const

export function guardFigures({ nodes, holds, firstPassMs, idle, grant }: GuardDocument): readonly Figure[] {
  const goal = (value: number): Pick<Figure, 'goal'> => (nodes === GOAL_NODES ? { goal: value } : {})
  const figure = (what: string, value: number, unit: Figure['unit']): Figure => ({
    part: 'guard',
    name: `${nodes} nodes, ${holds} holds: ${what}`,
    value,
    unit,
  })
  return [
    { ...figure('start and first pass, processor', firstPassMs / 1_000, 's'), ...goal(GOALS.firstPassS) },
    { ...figure(`idle for ${idle.seconds} s, of a core`, idle.percent, '%'), ...goal(GOALS.idlePercent) },
    { ...figure('writes in that time', idle.writes, ''), ...goal(GOALS.idleWrites) },
    { ...figure('resident memory', idle.residentMb, 'MB'), ...goal(GOALS.residentMb) },
    figure(`from a cordon to the grant, p50 of ${grant.count}`, grant.p50Ms, 'ms'),
    { ...figure('from a cordon to the grant, p99', grant.p99Ms, 'ms'), ...goal(GOALS.grantMs) },
    figure('a node granted and back, processor', grant.processorMs, 'ms'),
  ]
}
