/** The last revision that was rolled back, from the status. */
export interface RejectedRevision {
  readonly revision: string
  /** ISO 8601, in whole seconds; absent: an earlier release wrote it. */
  readonly at?: string
  /** The revision may be tried again: the template has changed since, or a person asks for it. */
  readonly isLifted: boolean
}

/** `desired`: the revision of the current template. `retried`: the revision that a person wants to try again. */
export function rejectedRevision(
  { rejectedRevision: revision, rejectedAt: at, rejectionLifted }: Readonly<Record<string, unknown>>,
  { desired, retried }: { readonly desired: string; readonly retried?: string | undefined },
): RejectedRevision | undefined {
  if (typeof revision !== 'string' || revision === '') return undefined
  const rejected = { revision, ...(typeof at === 'string' ? { at } : {}) }
  const isLifted = rejectionLifted === true || revision !== desired || retried === rejectionId(rejected)
  return { ...rejected, isLifted }
}

/** The id in a person's request to try again. It counts for this rejection alone, and not for the next one of the same revision. */
export const rejectionId = ({ revision, at }: Omit<RejectedRevision, 'isLifted'>): string => at ?? revision

/** The id in a person's request to go on after the canary nodes. One from before a rejection does not count any more. */
export const promotionId = (revision: string, rejected: Omit<RejectedRevision, 'isLifted'> | undefined): string =>
  rejected?.revision === revision && rejected.at !== undefined ? `${revision}@${rejected.at}` : revision
