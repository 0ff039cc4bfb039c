import type { RollHistory } from '../../roll/cli/roll-actions.ts'
import { rollViewOf } from '../../roll/report/view/reduce-roll.ts'
import { currentHold, currentStep, type NodeView } from '../../roll/report/view/roll-view.ts'
import type { NodeInWork, RunScene } from '../decide/node-scene.ts'
import type { RunHere } from '../run/explain-sources.ts'

/** A run by its journal, as far as it concerns one node. */
export function runHereOf(
  { run, events, running, spec }: Pick<RollHistory, 'run' | 'events' | 'running' | 'spec'>,
  name: string,
  now: number,
): RunHere {
  const { nodes, end } = rollViewOf(events)
  const mine = nodes.find((node) => node.name === name)
  const scene: RunScene = {
    ...{ run, running, node: mine?.state ?? 'notInRun' },
    inWork: nodes.filter(({ state }) => state === 'inWork').map((node) => inWorkOf(node, now)),
    waiting: nodes.filter(({ state }) => state === 'waiting').map((node) => node.name),
    ...(mine?.standing === undefined ? {} : { state: mine.standing.text }),
    ...(end === undefined ? {} : { end: { outcome: end.outcome, reasons: end.reasons } }),
  }
  return { scene, ...(spec === undefined ? {} : { drain: spec.drain }) }
}

function inWorkOf(node: NodeView, now: number): NodeInWork {
  const step = currentStep(node)
  const hold = currentHold(step)
  return {
    name: node.name,
    ...(step === undefined ? {} : { step: step.step, stepForMs: Math.max(0, now - step.startedAt) }),
    ...(hold === undefined ? {} : { hold: { reasons: hold.reasons, forMs: Math.max(0, now - hold.startedAt) } }),
  }
}
