import { type WallMs, wallMs } from './time.ts'

/**
 * A detacher that runs in the cluster: asked by an annotation of the Node, it says by timestamps there what it has done
 * (node-detacher: `detached`, `detachment-timestamp`, `attachment-timestamp`).
 */
export interface DetacherSpec {
  /** On the Node while it is to be out. The detacher may go by the key alone, whatever its value is. */
  readonly request: { readonly key: string; readonly value: string }
  /** Annotation with an RFC 3339 time: set once the node is detached, removed once it is attached again. */
  readonly detachedKey: string
  /** Annotation with an RFC 3339 time: set once it is attached again. Absent: the other one’s removal alone tells. */
  readonly attachedKey?: string
  /** From its word on until traffic has stopped, and until it has come back. */
  readonly graceMs: number
  readonly attachGraceMs: number
  /** By so much its clock may be behind that of the machine the roll runs on. */
  readonly skewMs: number
}

export type Timestamp =
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'at'; readonly at: WallMs }

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i
const LENGTH_MAX = 40

/** As another program wrote it: hostile until it is read. */
export function parseTimestamp(text: string | undefined): Timestamp {
  if (text === undefined) return { kind: 'absent' }
  const [, year = '', month = '', day = ''] = (text.length <= LENGTH_MAX ? RFC_3339.exec(text) : null) ?? []
  const at = day === '' ? Number.NaN : Date.parse(text.toUpperCase())
  // A day that the month does not have would be read as one of the next.
  const daysOfMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return Number.isNaN(at) || Number(day) > daysOfMonth ? { kind: 'unreadable' } : { kind: 'at', at: wallMs(at) }
}
