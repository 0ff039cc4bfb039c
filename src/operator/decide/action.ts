import type { RollJob } from '../model/roll-job.ts'
import type { WantedJob } from './wanted-objects.ts'

/** One write each, and for the version that was read where the object exists. */
export type RollAction =
  /** The finalizer and the mark that a run may have begun. */
  | { readonly kind: 'mark' }
  | { readonly kind: 'createFile' }
  | ({ readonly kind: 'createJob' } & WantedJob)
  /** Its pod is stopped as by Ctrl-C. */
  | { readonly kind: 'suspendJob'; readonly job: RollJob }
  /** Others suspended it, or an abort was taken back: its pod may begin again. */
  | { readonly kind: 'continueJob'; readonly job: RollJob }
  /** Removes the finalizer. */
  | { readonly kind: 'release' }

/** The kind of an action, and for a Job which one of its Roll it is. */
export function rollActionKey(action: RollAction): string {
  if (action.kind === 'createJob') return `${action.kind} ${action.attempt}`
  return 'job' in action ? `${action.kind} ${action.job.attempt}` : action.kind
}
