import { present } from '../../ground/model/present.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { errorText } from '../../ground/net/error-text.ts'
import { openHttpDoor } from '../../ground/net/http-door.ts'
import type { DoorParts, OpenDoor } from '../../ground/net/open-door.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { PageOf } from '../../ground/ports/http-door.ts'
import { mayShare } from './agent-beside.ts'

interface SharedDoorParts {
  readonly at: DoorParts
  /** The whole page `/nodename`. */
  readonly says: string
  readonly pageOf: PageOf
  readonly clock: Clock
}

/**
 * One more port, which this process only shares with a process that has the same page `/nodename`. Any failure is a UserError,
 * since the other ports are still served. Rejects with the signal's reason, too.
 */
export async function openSharedHttpDoor(
  { at, says, pageOf, clock }: SharedDoorParts,
  signal: AbortSignal,
): Promise<OpenDoor> {
  const { port, host } = at.place
  await mayShare({ says, port, ...present({ host }) }, clock, signal)
  try {
    return await openHttpDoor(at, pageOf)
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(`port ${port} cannot be listened at: ${errorText(error)}`, {
      code: 'PORT_REFUSED',
      fix: 'choose another port',
      cause: error,
    })
  }
}
