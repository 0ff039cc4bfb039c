/** The last revision that a rollback left, as the status of the object has it. */
export interface RejectedRevision {
  readonly revision: string
  /** ISO 8601, in whole seconds; absent: an earlier release wrote it. */
  readonly at?: string
  /** It may be tried once more: the template was another one since then, or a person wants it. */
  readonly isLifted: boolean
}

/** `desired`: of the template as it is now; `retried`: what a person wants tried again. */
export function rejectedRevision(
  { rejectedRevision: revision, rejectedAt: at, rejectionLifted }: Readonly<Record<string, unknown>>,
  { desired, retried }: { readonly desired: string; readonly retried?: string | undefined },
): RejectedRevision | undefined {
  if (typeof revision !== 'string' || revision === '') return undefined
  const rejected = { revision, ...(typeof at === 'string' ? { at } : {}) }
  const isLifted = rejectionLifted === true || revision !== desired || retried === rejectionId(rejected)
  return { ...rejected, isLifted }
}

/** By which a person asks for another try: it counts for this one alone, and not for the next one of the same revision. */
export const rejectionId = ({ revision, at }: Omit<RejectedRevision, 'isLifted'>): string => at ?? revision

/** What a person writes to let a revision go on after its canary nodes. What was written before it was rejected counts no more. */
export const promotionId = (revision: string, rejected: Omit<RejectedRevision, 'isLifted'> | undefined): string =>
  rejected?.revision === revision && rejected.at !== undefined ? `${revision}@${rejected.at}` : revision
