import { badRequest } from './api-failure.ts'
import { isMap } from './merge-patch.ts'

type JsonMap = Readonly<Record<string, unknown>>

/** Maps of texts that clients write. */
const TEXTS = ['metadata.labels', 'metadata.annotations', 'spec.nodeSelector']
/** Whole numbers that clients write. */
const NUMBERS = [
  'spec.replicas',
  'spec.terminationGracePeriodSeconds',
  'spec.leaseDurationSeconds',
  'spec.minReadySeconds',
]

function at(object: JsonMap, path: string): unknown {
  let value: unknown = object
  for (const name of path.split('.')) value = isMap(value) ? value[name] : undefined
  return value
}

/** A value of another type cannot be read (apimachinery, runtime/serializer/json). Throws ApiFailure 400. */
export function checkTypes(kind: string, object: JsonMap): void {
  checkTimes(kind, object)
  for (const path of kind === 'ConfigMap' ? [...TEXTS, 'data'] : TEXTS) {
    const map = at(object, path)
    if (!isMap(map)) continue
    for (const value of Object.values(map)) {
      if (typeof value !== 'string' && value !== null) throw unreadable(kind, path, value)
    }
  }
  for (const path of NUMBERS) {
    const value = at(object, path)
    if (value !== undefined && value !== null && !Number.isSafeInteger(value)) throw unreadable(kind, path, value)
  }
}

const TIMES = ['spec.renewTime', 'spec.acquireTime']

function checkTimes(kind: string, object: JsonMap): void {
  for (const path of TIMES) {
    const value = at(object, path)
    if (typeof value === 'string' && Number.isNaN(Date.parse(value))) throw unreadable(kind, path, value)
  }
}

const unreadable = (kind: string, path: string, value: unknown) =>
  badRequest(
    `${kind} in version "v1" cannot be handled as a ${kind}: json: cannot unmarshal ${typeof value} into Go struct field ${kind}.${path}`,
  )
