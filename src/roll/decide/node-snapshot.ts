import type { NodeRecord, RebootIntent } from '../../service/model/node-record.ts'
import type { NodeReading, RollSnapshot } from './snapshot.ts'

/** A snapshot with a node under way. */
export type NodeSnapshot = RollSnapshot & { readonly current: NodeReading }

/** A snapshot of a node that bears a readable record of this run. */
export type RecordedSnapshot = NodeSnapshot & { readonly record: NodeRecord }

export function hasCurrent(s: RollSnapshot): s is NodeSnapshot {
  return s.current !== undefined
}

/** The record of this run on the node. A record of another run, or one that cannot be read, is left to `foreignRecord`. */
export function ownRecord(s: NodeSnapshot): NodeRecord | undefined {
  const parsed = s.current.record
  return parsed?.ok && parsed.value.run === s.run.id ? parsed.value : undefined
}

export function ownIntent(s: NodeSnapshot): RebootIntent | undefined {
  const parsed = s.current.intent
  return parsed?.ok && parsed.value.run === s.run.id ? parsed.value : undefined
}

export const hasRebooted = (s: RecordedSnapshot): boolean => s.current.node.bootId !== s.record.bootId
