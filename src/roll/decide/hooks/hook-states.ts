import type { MonoMs } from '../../../ground/model/time.ts'

/**
 * - begun: an earlier process began it, and it is not known how it ended
 * - failed: `text` says how; `isTriedAgainAt` is when it may be run again
 */
export type HookState =
  | { readonly kind: 'begun' | 'running' | 'done' }
  | {
      readonly kind: 'failed'
      readonly text: string
      readonly failures: number
      /** Since when it has failed without a success. */
      readonly since: MonoMs
      readonly nextAt: MonoMs
    }

/** What is known of hooks, by this process or from the journal. */
export interface HookStates {
  /** `hookKey` → how it stands; a hook that is not here was not begun. */
  readonly states: Readonly<Record<string, HookState>>
  /** The journal is lost: any of them may have run. Then none is run, and all are undone. */
  readonly isLost: boolean
}
