import { readFile } from 'node:fs/promises'
import { systemTimers } from '../../src/ground/machine/system-timers.ts'
import { present } from '../../src/ground/model/present.ts'
import { UserError } from '../../src/ground/model/user-error.ts'
import { openFleetLockDoor } from '../../src/operator/io/fleet-lock-door.ts'
import { fleetLockGroup } from '../../src/operator/reading/fleet-lock-group.ts'
import { FleetLock } from '../../src/operator/run/fleet-lock.ts'
import type { FleetLockOptions } from './controller-options.ts'
import { type LoopPlace, loopParts } from './loop-parts.ts'

/** Answers clients while the controller runs, whether it leads or not. */
export interface FleetLockService {
  run(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
  wake(): void
}

interface FleetLockPlace extends FleetLockOptions {
  readonly address: string | undefined
  /** What Rolls may name. */
  readonly allowed: readonly unknown[]
}

/** Somebody could try out a shorter one. */
const TOKEN_MIN = 16

/** Throws UserError where there is no token, or the port is taken. */
export async function openFleetLock(
  place: LoopPlace,
  { port, tokenFile, address, allowed }: FleetLockPlace,
): Promise<FleetLockService> {
  const { namespace } = place.lease
  const { objects, clock, log } = loopParts(place, namespace)
  const token = async (): Promise<string> => (await readFile(tokenFile, 'utf8')).trim()
  await mustBeToken(tokenFile, token)
  const answers = new FleetLock({
    ...{ objects, clock, log, namespace },
    groupOf: (schedule) => fleetLockGroup(schedule, allowed),
  })
  const at = { port, ...present({ host: address }) }
  const door = await openFleetLockDoor({ place: at, timers: systemTimers, answers, token })
  return {
    run: (signal) => answers.run(signal),
    stop: () => door.close(),
    wake: () => undefined,
  }
}

async function mustBeToken(path: string, token: () => Promise<string>): Promise<void> {
  const fix = `write ${TOKEN_MIN} signs or more into it, as by: openssl rand -hex 16`
  const refused = (why: string): UserError =>
    new UserError(`--fleetlock-token: ${path} cannot be used: ${why}`, { code: 'CONTROLLER_OPTIONS', fix })
  let text: string
  try {
    text = await token()
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error))
  }
  if (text.length < TOKEN_MIN) throw refused(`it has ${text.length} signs`)
}
