/** What a machine says of itself over ssh, before anything is sent to it. */
export interface HostFacts {
  readonly bootId: string
  readonly mayReboot: boolean
  /** Why it may not, in its own words. */
  readonly refusal?: string
}

/**
 * - sent: the command ran on the boot id that was expected
 * - otherBoot: the machine bears another boot id; nothing was done
 * - refused: the machine said no (permission, command missing); nothing was done
 * - unknown: the connection hung or broke; it may have run
 */
export type RebootAnswer =
  | { readonly kind: 'sent' }
  | { readonly kind: 'otherBoot'; readonly bootId: string }
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'unknown'; readonly text: string }
