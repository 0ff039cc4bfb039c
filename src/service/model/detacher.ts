import type { Node } from '../../ground/model/node.ts'
import { type WallMs, wallMs } from '../../ground/model/time.ts'
import type { ServerReading } from './balancer.ts'

/**
 * A detacher that runs in the cluster. An annotation of the Node asks it, and it answers with timestamps there (node-detacher:
 * `detached`, `detachment-timestamp`, `attachment-timestamp`).
 */
export interface DetacherSpec {
  /** On the Node while it has to be out. The detacher may go by the key alone, whatever the value. */
  readonly request: { readonly key: string; readonly value: string }
  /** Annotation with an RFC 3339 time: set once the node is detached, removed once it is attached again. */
  readonly detachedKey: string
  /**
   * Annotation with an RFC 3339 time: set once the node is attached again. Absent: only the removal of the other one shows it.
   */
  readonly attachedKey?: string
  /** Where the nodes serve what the load balancers send them. */
  readonly dataPort: number
  /** From the detacher's timestamp until traffic has stopped, and until it has come back. */
  readonly graceMs: number
  readonly attachGraceMs: number
  /** How far the detacher's clock may be behind the clock of the roll's machine. */
  readonly skewMs: number
}

type Timestamp =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'at'; readonly at: WallMs }

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i
const LENGTH_MAX = 40

/** Parses a timestamp that another program wrote. */
export function parseTimestamp(text: string | undefined): Timestamp {
  if (text === undefined) return { kind: 'absent' }
  const [, year = '', month = '', day = ''] = (text.length <= LENGTH_MAX ? RFC_3339.exec(text) : null) ?? []
  const at = day === '' ? Number.NaN : Date.parse(text.toUpperCase())
  // `Date` would read a day that the month does not have as a day of the next month.
  const daysOfMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return Number.isNaN(at) || Number(day) > daysOfMonth ? { kind: 'unreadable' } : { kind: 'at', at: wallMs(at) }
}

export const stampOf = ({ annotations }: Pick<Node, 'annotations'>, key: string): Timestamp =>
  parseTimestamp(annotations[key])

/** A timestamp shows that the node is detached, and no later one that it is attached again. */
export function saysDetached(node: Pick<Node, 'annotations'>, { detachedKey, attachedKey }: DetacherSpec): boolean {
  const detached = stampOf(node, detachedKey)
  if (detached.kind === 'absent') return false
  const attached = attachedKey === undefined ? undefined : stampOf(node, attachedKey)
  return !(detached.kind === 'at' && attached?.kind === 'at' && attached.at > detached.at)
}

/** The states by the annotations of the Node: the request and its answer are both there. */
export function askedStates(
  node: Pick<Node, 'annotations'>,
  spec: DetacherSpec,
): Pick<ServerReading, 'ownState' | 'adminState'> {
  const isAskedFor = spec.request.key in node.annotations
  const isOut = isAskedFor || saysDetached(node, spec)
  return { ownState: isAskedFor ? 'drain' : 'ready', adminState: isOut ? 'drain' : 'ready' }
}
