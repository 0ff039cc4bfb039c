import type { Figure } from '../report/figure.ts'
import type { ControllerDocument } from './controller-document.ts'

const PASS_GOAL_MS = 5

export function controllerFigures(document: ControllerDocument): readonly Figure[] {
  const { nodes, pods, fleetMs, cachedMs, keyMs, queueMs } = document
  const part = 'controller'
  const name = (what: string): string => `a pass over ${what}, one change`
  return [
    {
      part,
      name: name(`${nodes} cached nodes`),
      value: fleetMs,
      unit: 'ms',
      beside: { name: 'the change cached, no pass', value: cachedMs },
      goal: PASS_GOAL_MS,
    },
    {
      part,
      name: name(`one key of ${nodes} nodes and ${pods} pods`),
      value: keyMs,
      unit: 'ms',
      beside: { name: 'the queue alone', value: queueMs },
      goal: PASS_GOAL_MS,
    },
  ]
}
