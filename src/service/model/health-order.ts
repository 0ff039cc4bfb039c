import { isJsonObject, jsonObject } from '../../ground/model/json-object.ts'
import { present } from '../../ground/model/present.ts'

/** On the Deployment of a node, as one JSON text: when its pods are healthy, and at which ports that is answered. */
export const HEALTH_ANNOTATION = 'evenkeel.dev/health-check'

/** What an agent needs to know of an IngressDaemonSet to answer health checks for its pods on one node. */
export interface HealthOrder {
  /** Ports of the node, at most eight; empty: nothing is answered. */
  readonly ports: readonly number[]
  /** The number of ready pods that is enough. */
  readonly minReadyPods: number
  /** The annotation of the Deployment by which load balancers are to leave its pods alone. */
  readonly mark: { readonly key: string; readonly value: string }
  /** `pods`: those of `spec.healthChecker` answer, and no agent. */
  readonly by?: 'pods'
}

/** More than the longest mark takes, however it is escaped. */
const LENGTH_MAX = 8_192
export const HEALTH_PORTS_MAX = 8
const PORT_MAX = 65_535
const PODS_MAX = 1_000_000

export const formatHealthOrder = ({ ports, minReadyPods, mark: { key, value }, by }: HealthOrder): string =>
  JSON.stringify({ version: 1, ports, minReadyPods, mark: { key, value }, ...present({ by }) })

/** The order in this text, or what is wrong with it: any account that may write Deployments can write it. */
export function parseHealthOrder(text: string): HealthOrder | string {
  if (text.length > LENGTH_MAX) return `it is longer than ${LENGTH_MAX} characters`
  const raw = jsonObject(text)
  if (raw === undefined) return 'it is not a JSON object'
  if (raw.version !== 1) return 'its version is not 1'
  const { ports, minReadyPods, mark, by } = raw
  if (!Array.isArray(ports) || ports.length > HEALTH_PORTS_MAX || !ports.every((port) => isWhole(port, PORT_MAX)))
    return `its ports are not at most ${HEALTH_PORTS_MAX} numbers from 1 to ${PORT_MAX}`
  if (!isWhole(minReadyPods, PODS_MAX)) return `its minReadyPods is not a number from 1 to ${PODS_MAX}`
  if (!isJsonObject(mark) || typeof mark.key !== 'string' || typeof mark.value !== 'string' || mark.key === '')
    return 'its mark is not a key and a value'
  if (by !== undefined && by !== 'pods') return 'its by is not pods'
  const order = { ports: [...new Set(ports)], minReadyPods, mark: { key: mark.key, value: mark.value } }
  return by === undefined ? order : { ...order, by }
}

const isWhole = (value: unknown, max: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
