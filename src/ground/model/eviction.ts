/** The budget as a 429 words it: "The disruption budget X needs N healthy pods and has M currently". */
export interface BudgetRefusal {
  readonly budget: string
  readonly need?: number
  readonly have?: number
}

/**
 * The eviction subresource's answers, told apart (kubernetes/kubernetes pkg/registry/core/pod/storage/eviction.go).
 * Only `budget*`, `throttled`, `namespaceTerminating` and `passing` are worth asking again.
 */
export type EvictionAnswer =
  | { readonly kind: 'accepted' }
  /** 404: the pod is no longer there. */
  | { readonly kind: 'gone' }
  /** 409 on the uid precondition: another pod bears the name; ours is gone. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'budget'; readonly refusal: BudgetRefusal; readonly retryAfterMs?: number }
  /** The budget's status is older than its spec; the API server says when to ask again. */
  | { readonly kind: 'budgetStale'; readonly refusal: BudgetRefusal; readonly retryAfterMs?: number }
  /** The disruption controller cannot compute the budget: waiting will not help. */
  | { readonly kind: 'budgetBroken'; readonly refusal: BudgetRefusal; readonly text: string }
  /** 429 without a budget as cause: API priority and fairness. */
  | { readonly kind: 'throttled'; readonly retryAfterMs?: number }
  | { readonly kind: 'namespaceTerminating' }
  /** 500: more than one budget selects the pod; never passes. */
  | { readonly kind: 'twoBudgets'; readonly text: string }
  /** A 5xx, a time-out or a broken connection: nothing is known but that it may pass. */
  | { readonly kind: 'passing'; readonly text: string; readonly retryAfterMs?: number }
  | { readonly kind: 'refused'; readonly text: string; readonly status: number }

/** The pod is on its way out, or gone. */
export const isAway = ({ kind }: EvictionAnswer): boolean =>
  kind === 'accepted' || kind === 'gone' || kind === 'replaced'
