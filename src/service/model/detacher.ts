import type { Node } from '../../ground/model/node.ts'
import { type WallMs, wallMs } from '../../ground/model/time.ts'
import type { ServerReading } from './balancer.ts'

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
  /** Where the nodes serve what the load balancers send them. */
  readonly dataPort: number
  /** From its word on until traffic has stopped, and until it has come back. */
  readonly graceMs: number
  readonly attachGraceMs: number
  /** By so much its clock may be behind that of the machine the roll runs on. */
  readonly skewMs: number
}

type Timestamp =
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

export const stampOf = ({ annotations }: Pick<Node, 'annotations'>, key: string): Timestamp =>
  parseTimestamp(annotations[key])

/** Its word that the node is detached stands, and no later one says that it is attached again. */
export function saysDetached(node: Pick<Node, 'annotations'>, { detachedKey, attachedKey }: DetacherSpec): boolean {
  const detached = stampOf(node, detachedKey)
  if (detached.kind === 'absent') return false
  const attached = attachedKey === undefined ? undefined : stampOf(node, attachedKey)
  return !(detached.kind === 'at' && attached?.kind === 'at' && attached.at > detached.at)
}

/** What was asked for is on the node, and so is what came of it. */
export function askedStates(
  node: Pick<Node, 'annotations'>,
  spec: DetacherSpec,
): Pick<ServerReading, 'ownState' | 'adminState'> {
  const isAskedFor = spec.request.key in node.annotations
  const isOut = isAskedFor || saysDetached(node, spec)
  return { ownState: isAskedFor ? 'drain' : 'ready', adminState: isOut ? 'drain' : 'ready' }
}
