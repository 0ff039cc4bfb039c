/**
 * How a boot goes.
 * - returns: normally
 * - slow: it stays dark for this much longer (memory test, a disk check)
 * - never: it stays dark until an operator presses the button
 * - noKubelet: it answers by ssh with a new boot id, and nothing of Kubernetes runs
 * - neverReady: its kubelet renews its Lease and reports that the network is not ready
 */
export type BootLuck =
  | { readonly kind: 'returns' | 'never' | 'noKubelet' | 'neverReady' }
  | { readonly kind: 'slow'; readonly byMs: number }
