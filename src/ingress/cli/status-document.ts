import { present } from '../../ground/model/present.ts'
import type { NextStep } from '../../ground/text/labelled-block.ts'
import type { CheckedIngress } from '../decide/ingress-kind.ts'
import { conditionOf, type RolloutState } from '../decide/rollout/rollout-state.ts'
import type { RolloutReading } from '../run/commands/rollout-watch.ts'
import type { StatusEnd } from './status-end.ts'
import { countsOf, shownNodes } from './status-lines.ts'

const CONDITIONS = ['Available', 'Progressing', 'Stalled', 'Degraded', 'Ready']

interface Ended {
  readonly object: CheckedIngress
  readonly state: RolloutState
  readonly reading: RolloutReading
  readonly end: StatusEnd
  readonly next: readonly NextStep[]
}

/** One document for scripts. */
export function statusDocument({ object, state, reading, end, next }: Ended): object {
  const { group, namespace, name, generation, spec, status } = object
  const { updateRevision, currentRevision, rejectedRevision } = status.fields
  const { kind, code, why } = state
  return {
    ...{ group, namespace, name, generation },
    observedGeneration: status.observedGeneration,
    outcome: kind,
    code,
    why,
    ended: end,
    paused: spec.rollout.paused,
    revisions: { update: updateRevision, current: currentRevision, rejected: rejectedRevision },
    counts: countsOf(object),
    conditions: CONDITIONS.flatMap((type) => conditionOf(object, type) ?? []),
    nodes: shownNodes(state, reading).map(({ since, ...node }) => ({
      ...node,
      ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
    })),
    ...present({ controller: reading.unled }),
    next: next.map(({ command }) => command),
  }
}
