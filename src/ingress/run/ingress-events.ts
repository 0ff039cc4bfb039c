import { type EventTypes, type Saying, sayingsOf } from '../../ground/loop/owned/events-once.ts'
import type { Reason } from '../../ground/model/reason.ts'
import { type FieldFinding, findingReason } from '../../ground/model/schema/field-finding.ts'

/** The Events of an IngressDaemonSet. `doubts`: findings that do not refuse it. */
export const ingressSayings = (
  name: string,
  reasons: readonly Reason[],
  doubts: readonly FieldFinding[],
): readonly Saying[] => [
  ...sayingsOf(reasons, EVENTS, keyOf),
  ...doubts.map((finding): Saying => {
    const code = finding.severity === 'error' ? 'IngressConflict' : 'IngressDoubtful'
    const reason = findingReason({ code, object: name }, finding)
    return { key: `${finding.code} ${finding.field}`, type: 'Warning', reason }
  }),
]

/** A write that is refused or set back gets an Event of its own beside other Events of the same node. */
const keyOf = ({ code, object = '' }: Reason): string => (code.startsWith('Write') ? `${code} ${object}` : object)

const EVENTS: EventTypes = {
  NodeBegun: 'Normal',
  NodeDetached: 'Normal',
  NodeUpdated: 'Normal',
  NodeAttached: 'Normal',
  RollbackAsked: 'Normal',
  RollbackUnneeded: 'Normal',
  RollbackRefused: 'Warning',
  HealthCheckersMissing: 'Normal',
  RolledBack: 'Warning',
  RolloutStalled: 'Warning',
  MassDisruption: 'Warning',
  DetachTimedOut: 'Warning',
  ProgressDeadlineExceeded: 'Warning',
  HealthCheckFails: 'Warning',
  PodsRejected: 'Warning',
  NameTaken: 'Warning',
  WriteRefused: 'Warning',
  WriteUndone: 'Warning',
  IngressRefused: 'Warning',
  OperationUnreadable: 'Warning',
  ClaimsUnreadable: 'Warning',
}
