import { apiVersionOf } from '../../ground/model/object-kind.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { Finding } from '../../ground/model/schema/finding.ts'
import type { ObjectNotices } from '../../ground/ports/object-notices.ts'
import { type CheckedIngress, ingressKind } from '../decide/ingress-kind.ts'
import type { IngressMemory } from './ingress-memory.ts'

interface EventsParts {
  readonly notices: ObjectNotices
  readonly memory: Pick<IngressMemory, 'isNews'>
}

/** Tells of an IngressDaemonSet what a person is to know, each thing once. */
export class ObjectEvents {
  readonly #parts: EventsParts

  constructor(parts: EventsParts) {
    this.#parts = parts
  }

  /** `doubts`: findings that do not refuse the object. */
  async tell(
    object: CheckedIngress,
    { reasons, doubts }: { readonly reasons: readonly Reason[]; readonly doubts: readonly Finding[] },
    signal: AbortSignal,
  ): Promise<void> {
    const { kind, group, version } = ingressKind(object.group)
    const { name, namespace, uid } = object
    const about = { apiVersion: apiVersionOf({ group, version }), kind, namespace, name, uid }
    const { memory, notices } = this.#parts
    for (const reason of reasons) {
      const type = EVENTS[reason.code]
      if (type === undefined || !memory.isNews(uid, newsOf(reason))) continue
      await notices.tell({ ...about, type, reason }, signal)
    }
    for (const { rule, field, severity, message, fix } of doubts) {
      const code = severity === 'error' ? 'IngressConflict' : 'IngressDoubtful'
      const reason: Reason = { code, object: name, text: `${field}: ${message}`, next: fix }
      if (!memory.isNews(uid, { ...reason, object: `${rule} ${field}` })) continue
      await notices.tell({ ...about, type: 'Warning', reason }, signal)
    }
  }
}

/** What is refused stands beside what is said of the same node in the same pass. */
const newsOf = (reason: Reason): Reason =>
  reason.code === 'WriteRefused' ? { ...reason, object: `${reason.code} ${reason.object}` } : reason

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
