import type { MonoMs } from '../../../ground/model/time.ts'

/**
 * - begun: an earlier process began the hook, and how it ended is not known
 * - failed: `text` says how; `nextAt` is when it may run again
 */
export type HookState =
  | { readonly kind: 'begun' | 'running' | 'done' }
  | {
      readonly kind: 'failed'
      readonly text: string
      readonly failures: number
      /** Since when it has failed without a success in between. */
      readonly since: MonoMs
      readonly nextAt: MonoMs
    }

/** The states of hooks, by this process or from the journal. */
export interface HookStates {
  /** By `hookKey`; a hook that is missing was not begun. */
  readonly states: Readonly<Record<string, HookState>>
  /** The journal is lost: any hook may have run. Then none is run, and all are undone. */
  readonly isLost: boolean
}
