import { jsonObject } from './json-object.ts'

/** A request for maintenance as the agent has it on the node's disk, where it survives a reboot. */
export interface KeptMaintenance {
  readonly version: 1
  readonly id: string
  readonly run: string
  /** Of the Node object that bore it: a successor without it has withdrawn nothing. */
  readonly uid: string
  /** Of that object when the request was seen on it; empty where that is not known. */
  readonly resourceVersion: string
}

const LENGTH_MAX = 1_024

/** Undefined where it is none. */
export function parseKeptMaintenance(text: string): KeptMaintenance | undefined {
  const raw = text.length > LENGTH_MAX ? undefined : jsonObject(text)
  if (raw?.version !== 1) return undefined
  const { id, run, uid, resourceVersion } = raw
  const isText = typeof id === 'string' && typeof run === 'string' && typeof uid === 'string'
  if (!isText) return undefined
  return { version: 1, id, run, uid, resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '' }
}
