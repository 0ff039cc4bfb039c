import type { NeedAnswer } from './reboot-need.ts'

/** A machine that the way to another one leads through (ProxyJump, ProxyCommand). */
export interface HostHop {
  readonly name: string
  /** What its name stands for, as far as it could be found out. */
  readonly addresses: readonly string[]
}

/** What a machine says of itself before anything is sent to it, and the way it was asked. */
export interface HostReading {
  /** Absent where the driver cannot ask the machine itself. */
  readonly bootId?: string
  readonly mayReboot: boolean
  /** Why it may not, in its own words; foreign text, escaped. */
  readonly refusal?: string
  readonly hops: readonly HostHop[]
  /** Whether it needs a reboot; absent where that was not asked. */
  readonly need?: NeedAnswer
}

/**
 * - sent: the command ran on the boot id that was expected
 * - otherBoot: the machine bears another boot id; nothing was done
 * - refused: the machine said no (permission, command missing); nothing was done
 * - unknown: the connection hung or broke, or the command failed half-way; it may have run
 *
 * `text` is foreign, escaped.
 */
export type RebootAnswer =
  | { readonly kind: 'sent' }
  | { readonly kind: 'otherBoot'; readonly bootId: string }
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'unknown'; readonly text: string }
