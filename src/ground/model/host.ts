import type { NeedAnswer } from './reboot-need.ts'

/** A machine on the way to another one (ProxyJump, ProxyCommand). */
export interface HostHop {
  readonly name: string
  /** The addresses of its name, as far as they are known. */
  readonly addresses: readonly string[]
}

/** The answer of a machine before anything is sent to it, and the way to it. */
export interface HostReading {
  /** Absent where the machine itself cannot be asked. */
  readonly bootId?: string
  readonly mayReboot: boolean
  /** Why it may not be rebooted, in its own words; foreign text, escaped. */
  readonly refusal?: string
  /** What to do about it; absent: what is done about a command that is refused. */
  readonly fix?: string
  readonly hops: readonly HostHop[]
  /** Whether it needs a reboot; absent where that was not asked. */
  readonly need?: NeedAnswer
}

/**
 * - sent: the command ran on the expected boot id
 * - otherBoot: the machine has another boot id; nothing was done
 * - refused: the machine refused (permission, command missing); nothing was done
 * - unsent: no connection came about; nothing was sent
 * - unknown: the connection hung or broke, or the command failed half-way; it may have run
 *
 * `text` is foreign, escaped.
 */
export type RebootAnswer =
  | { readonly kind: 'sent' }
  | { readonly kind: 'otherBoot'; readonly bootId: string }
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'unsent'; readonly text: string }
  | { readonly kind: 'unknown'; readonly text: string }
