import type { AdminWord } from '../checkers/server-word.ts'

interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/** What goes wrong only in a world of that kind, and when: times count from the start of the first roll. */
export type WorldFault =
  /** The runtime API of one instance says nothing; its traffic goes on. */
  | (Span & { readonly kind: 'instanceSilent'; readonly instance: string })
  | {
      readonly kind: 'instanceReload'
      readonly instance: string
      readonly atMs: number
      readonly keepsStates: boolean
    }
  /** People set a server of one instance by hand. */
  | {
      readonly kind: 'instanceByHand'
      readonly instance: string
      readonly atMs: number
      readonly server: string
      readonly to: AdminWord
    }
