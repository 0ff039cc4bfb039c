/** The budget in the text of a 429: "The disruption budget X needs N healthy pods and has M currently". */
export interface BudgetRefusal {
  readonly budget: string
  readonly need?: number
  readonly have?: number
}

/**
 * The answers of the eviction subresource (kubernetes/kubernetes pkg/registry/core/pod/storage/eviction.go). Only after
 * `budget*`, `throttled`, `putOff`, `namespaceTerminating` and `passing` is it useful to ask again.
 */
export type EvictionAnswer =
  | { readonly kind: 'accepted' }
  /** The API server's own 404: the pod does not exist any more. */
  | { readonly kind: 'gone' }
  /** 409 for the uid precondition: another pod has the name; ours is gone. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'budget'; readonly refusal: BudgetRefusal; readonly retryAfterMs?: number }
  /** The budget's status is older than its spec; the API server says when to ask again. */
  | { readonly kind: 'budgetStale'; readonly refusal: BudgetRefusal; readonly retryAfterMs?: number }
  /** The disruption controller cannot compute the budget: waiting does not help. */
  | { readonly kind: 'budgetBroken'; readonly refusal: BudgetRefusal; readonly text: string }
  /** 429 without a budget as cause: API priority and fairness. */
  | { readonly kind: 'throttled'; readonly retryAfterMs?: number }
  /** 429 of an admission webhook: another program moves first what the pod carries, such as KubeVirt its virtual machine. */
  | { readonly kind: 'putOff'; readonly text: string; readonly retryAfterMs?: number }
  | { readonly kind: 'namespaceTerminating' }
  /** 500: more than one budget selects the pod; never passes. */
  | { readonly kind: 'twoBudgets'; readonly text: string }
  /** A 5xx, a time-out, a broken connection or the page of a gateway: it may be temporary, and nothing else is known. */
  | { readonly kind: 'passing'; readonly text: string; readonly retryAfterMs?: number }
  | { readonly kind: 'refused'; readonly text: string; readonly status: number }

/** The pod is being deleted, or gone. */
export const isAway = ({ kind }: EvictionAnswer): boolean =>
  kind === 'accepted' || kind === 'gone' || kind === 'replaced'
