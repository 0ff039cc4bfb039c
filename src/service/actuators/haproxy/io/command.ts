import { escapeForeign } from '../../../../ground/model/foreign-text.ts'
import { WorldError } from '../../../../ground/model/world-error.ts'
import type { AdminState, ServerRef } from '../../../model/balancer.ts'

/** What HAProxy itself accepts as a name of a proxy or server (`invalid_char` in its parser). Holds no `;`, space or line end. */
const NAME = /^[A-Za-z0-9_.:-]{1,256}$/

export const isName = (text: string): boolean => NAME.test(text)

/** `backend/server` for a command. A name that could end the command and begin another is refused. */
function serverPath(ref: ServerRef): string {
  if (!isName(ref.backend)) throw unnameable('BALANCER_NO_BACKEND', ref.backend)
  if (!isName(ref.server)) throw unnameable('BALANCER_NO_SERVER', ref.server)
  return `${ref.backend}/${ref.server}`
}

function unnameable(code: string, name: string): WorldError {
  return new WorldError(`"${escapeForeign(name, 80)}" cannot be a name in HAProxy`, { code, retry: 'never' })
}

/** The states come before the sessions: so the sessions of a server that reads as out were counted after it was out. */
export const READ_SERVERS: readonly string[] = ['show info', 'show servers state', 'show stat -1 4 -1']

export const setStateCommand = (ref: ServerRef, state: AdminState): string =>
  `set server ${serverPath(ref)} state ${state}`

export const setWeightCommand = (ref: ServerRef, weight: number): string =>
  `set server ${serverPath(ref)} weight ${Math.trunc(weight)}`

export const READ_FRONTENDS = 'show stat -1 1 -1'

export const forgetHealthCommand = (ref: ServerRef): string => `set server ${serverPath(ref)} health down`

export const cutSessionsCommand = (ref: ServerRef): string => `shutdown sessions server ${serverPath(ref)}`
