import { isBootId } from '../../ground/model/boot-id.ts'
import { isJsonObject, jsonObject } from '../../ground/model/json-object.ts'
import { HEALTH_PORTS_MAX } from '../../service/model/health-order.ts'
import type { IngressReading } from './ingress-reading.ts'

/** The file keeps this many Deployments, the oldest ones, because its size is limited. */
const REMEMBERED_MAX = 64

/** The last known state of the Deployments of this node, for an agent that restarts in the same boot. */
export function formatIngressMemory(bootId: string, readings: readonly IngressReading[]): string {
  const oldest = readings.toSorted((a, b) => a.createdAt - b.createdAt).slice(0, REMEMBERED_MAX)
  return JSON.stringify({ version: 1, bootId, facts: oldest })
}

/** Undefined if it cannot be parsed or belongs to another boot: pods that were ready then may not be ready now. */
export function parseIngressMemory(text: string, bootId: string): readonly IngressReading[] | undefined {
  const raw = jsonObject(text)
  if (raw?.version !== 1 || !isBootId(bootId) || raw.bootId !== bootId || !Array.isArray(raw.facts)) return undefined
  const readings = raw.facts.map(readingOf)
  return readings.every((one) => one !== undefined) ? readings : undefined
}

function readingOf(raw: unknown): IngressReading | undefined {
  if (!isJsonObject(raw)) return undefined
  const { uid, namespace, name, deployment, createdAt, deleting, ready, isMarked, unreadable, order } = raw
  const isWhole =
    [uid, namespace, name, deployment].every((text) => typeof text === 'string') &&
    [createdAt, ready].every((value) => typeof value === 'number') &&
    [deleting, isMarked].every((value) => typeof value === 'boolean') &&
    (unreadable === undefined || typeof unreadable === 'string') &&
    (order === undefined || isOrder(order))
  return isWhole ? (raw as unknown as IngressReading) : undefined
}

const isOrder = (raw: unknown): boolean =>
  isJsonObject(raw) &&
  typeof raw.minReadyPods === 'number' &&
  raw.minReadyPods >= 1 &&
  Array.isArray(raw.ports) &&
  raw.ports.length <= HEALTH_PORTS_MAX &&
  raw.ports.every((port) => Number.isInteger(port) && port >= 1 && port <= 65_535)
