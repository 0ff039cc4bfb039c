import type { Node, Taint } from './node.ts'

/**
 * Whether both are equal except for the heartbeat and the version. Kubelets write the heartbeat every few minutes without any
 * other change.
 */
export const isSameNode = (one: Node, other: Node): boolean =>
  one.name === other.name &&
  one.uid === other.uid &&
  one.ready === other.ready &&
  one.bootId === other.bootId &&
  one.unschedulable === other.unschedulable &&
  one.deleting === other.deleting &&
  one.shuttingDown === other.shuttingDown &&
  isSameList(one.lifecycle ?? [], other.lifecycle ?? []) &&
  one.plannedByOthers === other.plannedByOthers &&
  isSameMap(one.announced ?? {}, other.announced ?? {}) &&
  isSameMap(one.labels, other.labels) &&
  isSameMap(one.annotations, other.annotations) &&
  isSameList(one.taints.map(taintText), other.taints.map(taintText)) &&
  isSameList(one.internalAddresses, other.internalAddresses) &&
  isSameList(one.volumesAttached, other.volumesAttached)

/** Whether both are the same for what runs there: a volume that is attached or detached, and the addresses, change nothing for it. */
export const isSamePlace = (one: Node, other: Node): boolean =>
  one.uid === other.uid &&
  one.ready === other.ready &&
  one.unschedulable === other.unschedulable &&
  one.deleting === other.deleting &&
  isSameList(one.lifecycle ?? [], other.lifecycle ?? []) &&
  isSameMap(one.labels, other.labels) &&
  isSameMap(one.annotations, other.annotations) &&
  isSameList(one.taints.map(taintText), other.taints.map(taintText))

const taintText = ({ key, value = '', effect }: Taint): string => `${key}=${value}:${effect}`

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, at) => text === other[at])

function isSameMap(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key])
}
