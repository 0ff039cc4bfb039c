import type { Decision } from '../../src/roll/model/decision.ts'
import type { Action } from '../../src/service/model/action.ts'

/** `act cordon: cordon`, `act detach: setServer drain` or `hold drain: PodLeaving`: what was decided, in one line. */
export function shortDecision(decision: Decision): string {
  if (decision.kind === 'settled') return `settled: ${decision.reasons.map((reason) => reason.code).join(' ')}`
  const what = decision.kind === 'act' ? decision.actions.map(shortAction) : decision.reasons.map(({ code }) => code)
  return `${decision.kind} ${decision.step}: ${what.join(' ')}`
}

/** A word to a balancer says which: each of them is another thing to do. */
const shortAction = (action: Action): string =>
  action.kind === 'setServer' || action.kind === 'setNodeMark' ? `${action.kind} ${action.state}` : action.kind
