import { jsonObject } from './json-object.ts'
import { isRunName } from './run-name.ts'

/** Asks a node's agent to have the node leave its load balancers; written and withdrawn by whoever takes the node out. */
export const MAINTENANCE_ANNOTATION = 'evenkeel.dev/maintenance'

/** Written instead of a request, it withdraws one that the agent keeps for a node which was registered anew since. */
const WITHDRAWN = 'withdrawn'

/** One request; the agent shows its id once it answers by it and has it on disk. */
export interface MaintenanceRequest {
  readonly version: 1
  readonly id: string
  /** The run that asks. */
  readonly run: string
  readonly at: string
}

export const formatMaintenance = (request: MaintenanceRequest): string => JSON.stringify(request)

/** `unreadable` is somebody's wish as well, but none that can be acknowledged. */
type MaintenanceWord =
  | { readonly kind: 'none' | 'withdrawn' }
  | { readonly kind: 'asked'; readonly request: MaintenanceRequest }
  | { readonly kind: 'unreadable'; readonly why: string }

/** Whether a node with such an annotation is to leave its load balancers. */
export function asksToLeave(text: string | undefined): boolean {
  const { kind } = parseMaintenance(text)
  return kind === 'asked' || kind === 'unreadable'
}

const ID = /^[0-9a-z-]{1,64}$/
/** No request is longer. */
export const MAINTENANCE_LENGTH_MAX = 1_024

/** Anybody who may patch nodes can write it: every field is checked. */
export function parseMaintenance(text: string | undefined): MaintenanceWord {
  if (text === undefined) return { kind: 'none' }
  if (text === WITHDRAWN) return { kind: 'withdrawn' }
  const raw = text.length > MAINTENANCE_LENGTH_MAX ? undefined : jsonObject(text)
  if (raw === undefined) return { kind: 'unreadable', why: 'it is no JSON object' }
  const { version, id, run, at } = raw
  if (version !== 1) return { kind: 'unreadable', why: 'its version is not 1' }
  if (typeof id !== 'string' || !ID.test(id)) return { kind: 'unreadable', why: 'its id is none' }
  if (typeof run !== 'string' || !isRunName(run)) return { kind: 'unreadable', why: 'its run is no name of a run' }
  if (typeof at !== 'string' || at.length > 64) return { kind: 'unreadable', why: 'its time is none' }
  return { kind: 'asked', request: { version, id, run, at } }
}
