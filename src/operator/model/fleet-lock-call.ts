import { isJsonObject } from '../../ground/model/json-object.ts'

/** What a client asks: whether its machine may reboot, or it says that its machine is up and stays up. */
export type FleetLockVerb = 'pre-reboot' | 'steady-state'

/** A request of the FleetLock protocol. */
export interface FleetLockCall {
  readonly verb: FleetLockVerb
  /** Foreign text. */
  readonly id: string
  readonly group: string
}

export interface FleetLockReply {
  /** 200 is yes, and any other is no: the client asks again. */
  readonly status: 200 | 400 | 401 | 404 | 405 | 409 | 413 | 503
  /** For programs. */
  readonly kind: string
  /** For people. */
  readonly value: string
}

const LENGTH_MAX = 253
/** Of the protocol (coreos/airlock, docs/protocol-specs.md). */
const GROUP = /^[a-zA-Z0-9.-]+$/

/** The call in the body of a request, or what is wrong with it. */
export function parseFleetLockCall(verb: FleetLockVerb, body: string): FleetLockCall | { readonly fault: string } {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return { fault: 'the body is not JSON; send {"client_params":{"id":"…","group":"default"}}' }
  }
  const params = isJsonObject(value) ? value.client_params : undefined
  if (!isJsonObject(params)) return { fault: 'client_params: it is no object; write {"id":"…","group":"default"}' }
  const { id, group } = params
  if (typeof id !== 'string' || id === '' || id.length > LENGTH_MAX)
    return { fault: 'client_params.id: it is no id; write the id of the machine, as in /etc/machine-id' }
  if (typeof group !== 'string' || !GROUP.test(group) || group.length > LENGTH_MAX)
    return { fault: 'client_params.group: it is no group; write the name of a RollSchedule, as in "default"' }
  return { verb, id, group }
}
