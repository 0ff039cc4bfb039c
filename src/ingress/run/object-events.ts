import { EventsOnce, type Saying } from '../../ground/loop/owned/events-once.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { Finding } from '../../ground/model/schema/finding.ts'
import type { ObjectNotices } from '../../ground/ports/object-notices.ts'
import { type CheckedIngress, ingressKind } from '../decide/ingress-kind.ts'

/** Tells of an IngressDaemonSet what a person is to know, each thing once. */
export class ObjectEvents {
  readonly #events: EventsOnce

  constructor(notices: ObjectNotices) {
    this.#events = new EventsOnce(notices)
  }

  /** `doubts`: findings that do not refuse the object. */
  async tell(
    { group, name, namespace, uid }: CheckedIngress,
    { reasons, doubts }: { readonly reasons: readonly Reason[]; readonly doubts: readonly Finding[] },
    signal: AbortSignal,
  ): Promise<void> {
    const ofReasons = reasons.flatMap((reason) => {
      const type = EVENTS[reason.code]
      return type === undefined ? [] : [{ key: keyOf(reason), type, reason }]
    })
    const ofDoubts = doubts.map(({ rule, field, severity, message, fix }): Saying => {
      const code = severity === 'error' ? 'IngressConflict' : 'IngressDoubtful'
      const reason: Reason = { code, object: name, text: `${field}: ${message}`, next: fix }
      return { key: `${rule} ${field}`, type: 'Warning', reason }
    })
    await this.#events.tell({ kind: ingressKind(group), name, namespace, uid }, [...ofReasons, ...ofDoubts], signal)
  }

  /** Only these objects are there. */
  keepObjects(uids: ReadonlySet<string>): void {
    this.#events.keepObjects(uids)
  }
}

/** What is refused stands beside what is said of the same node in the same pass. */
const keyOf = ({ code, object = '' }: Reason): string => (code === 'WriteRefused' ? `${code} ${object}` : object)

/** Which reasons are worth an Event, and whether a person is to look. */
const EVENTS: Readonly<Partial<Record<Reason['code'], 'Normal' | 'Warning'>>> = {
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
  PodsRejected: 'Warning',
  NameTaken: 'Warning',
  WriteRefused: 'Warning',
  IngressRefused: 'Warning',
  OperationUnreadable: 'Warning',
  ClaimsUnreadable: 'Warning',
}
