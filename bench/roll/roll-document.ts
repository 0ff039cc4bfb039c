import type { RollEnd } from '../article/evenkeel-roll.ts'
import type { Judged } from '../article/judged.ts'
import type { ApiRequests } from './api-requests.ts'
import type { NodeCost } from './node-cost.ts'

/** What `bench/roll.ts` found of one way to roll the cluster. */
export interface RollDocument {
  readonly bench: 'roll.overhead'
  readonly way: 'evenkeel' | 'script'
  readonly nodes: readonly NodeCost[]
  readonly judged: Judged<RollEnd | undefined>
  /** Of the identity that a roll has: none where a script was run. The roll's own plan, made once before it, is in it. */
  readonly requests: ApiRequests
  readonly loadAverage: number | undefined
}
