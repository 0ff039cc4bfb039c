import type { Node, Taint } from '../../model/node.ts'
import { RECORD_ANNOTATION } from '../../model/node-record.ts'

/**
 * Whether a node that was told anew can change a decision. A heartbeat alone can only where it is waited for: on a node
 * that bears a record. Of a thousand others some come every second.
 */
export function isNodeNews(before: Node, now: Node): boolean {
  if (RECORD_ANNOTATION in now.annotations || RECORD_ANNOTATION in before.annotations) return true
  return !(
    before.uid === now.uid &&
    before.ready === now.ready &&
    before.bootId === now.bootId &&
    before.unschedulable === now.unschedulable &&
    before.deleting === now.deleting &&
    isSameList(before.lifecycle ?? [], now.lifecycle ?? []) &&
    isSameMap(before.labels, now.labels) &&
    isSameMap(before.annotations, now.annotations) &&
    isSameList(before.taints.map(taintText), now.taints.map(taintText)) &&
    isSameList(before.internalAddresses, now.internalAddresses) &&
    isSameList(before.volumesAttached, now.volumesAttached)
  )
}

const taintText = ({ key, value = '', effect }: Taint): string => `${key}=${value}:${effect}`

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, at) => text === other[at])

function isSameMap(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key])
}
