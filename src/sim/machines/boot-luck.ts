/**
 * What becomes of a machine that should come back.
 * - returns: as it should
 * - slow: it stays dark for so much longer (memory test, a disk that is checked)
 * - never: it stays dark until an operator presses the button
 * - noKubelet: it answers by ssh under a new boot id, and nothing of Kubernetes runs
 * - neverReady: its kubelet renews its Lease and says that the network is not ready
 */
export type BootLuck =
  | { readonly kind: 'returns' | 'never' | 'noKubelet' | 'neverReady' }
  | { readonly kind: 'slow'; readonly byMs: number }
