import type { OutLimit } from '../../ground/model/out-limit.ts'

/** The ConfigMap that says how many nodes may be out at once, in the namespace of the slots, and the key in its data. */
export const BUDGET_CONFIG_MAP = 'evenkeel-budget'
export const MAX_OUT_KEY = 'maxOut'

/** The limit where no object sets one. */
export const ONE_OUT: OutLimit = { kind: 'count', count: 1 }
