import { isBootId } from './boot-id.ts'

/** The condition of a Node by which the machine says whether it needs a reboot. */
export const REBOOT_CONDITION = 'RebootRequired'

/** It is written again after this time at the latest, also where nothing has changed. */
export const REBOOT_CONDITION_EVERY_MS = 60 * 60_000

/** As a Node shows it; all text is foreign. */
export interface RebootCondition {
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  /** When it was last written, by the clock of the machine; verbatim. */
  readonly heartbeat: string
}

const BOOT = / \(boot (?<bootId>[0-9a-f-]{36})\)$/

/** A condition has no field for the boot that it is about, so that the message ends with it. */
export const rebootMessage = (text: string, bootId: string): string => `${text} (boot ${bootId})`

/** The boot that a condition with this message is about; undefined: it does not say. */
export function bootOfMessage(message: string): string | undefined {
  const bootId = BOOT.exec(message)?.groups?.bootId
  return bootId !== undefined && isBootId(bootId) ? bootId : undefined
}

/** The message without its boot, for people. */
export const textOfMessage = (message: string): string => message.replace(BOOT, '')
