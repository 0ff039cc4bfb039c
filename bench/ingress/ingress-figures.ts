import type { Figure } from '../report/figure.ts'
import type { IngressDocument } from './ingress-document.ts'

/** The goals are for the largest fleet. */
const GOAL_NODES = 5_000
export const GOALS = { firstPassS: 10, idlePercent: 1, residentMb: 300, decidedMs: 200, idleWrites: 0 } as const

export function ingressFigures(document: IngressDocument): readonly Figure[] {
  const { api, nodes, objects, way, firstPassMs, idle, cordon } = document
  const goal = (value: number): Pick<Figure, 'goal'> => (nodes === GOAL_NODES ? { goal: value } : {})
  const ways = [...(api === 'real' ? ['real API server'] : []), ...(way === 'chart' ? [] : ['without a compiler'])]
  const fleet = [`${nodes} nodes`, `${objects} objects`, ...ways].join(', ')
  const figure = (what: string, value: number, unit: Figure['unit']): Figure => ({
    part: 'ingress',
    name: `${fleet}: ${what}`,
    value,
    unit,
  })
  const decided = `a node's change is decided upon`
  return [
    { ...figure('start and first pass, processor', firstPassMs / 1_000, 's'), ...goal(GOALS.firstPassS) },
    { ...figure(`idle for ${idle.seconds} s, of a core`, idle.percent, '%'), ...goal(GOALS.idlePercent) },
    { ...figure('writes in that time', idle.writes, ''), ...goal(GOALS.idleWrites) },
    { ...figure('resident memory', idle.residentMb, 'MB'), ...goal(GOALS.residentMb) },
    figure(`${decided}, p50 of ${cordon.count}`, cordon.p50Ms, 'ms'),
    { ...figure(`${decided}, p99`, cordon.p99Ms, 'ms'), ...goal(GOALS.decidedMs) },
    figure('a node out and back, processor', cordon.processorMs, 'ms'),
  ]
}
