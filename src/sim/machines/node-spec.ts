import type { Taint } from '../actors/pod-object.ts'
import type { Family } from './families.ts'

/** A machine that is to be a node. */
export interface NodeSpec {
  readonly name: string
  /** Its InternalIP. */
  readonly address: string
  /** Beyond those that every node has. */
  readonly labels?: Readonly<Record<string, string>>
  /** Of a Node that is registered anew. */
  readonly taints?: readonly Taint[]
  readonly capacity?: Readonly<Record<string, string>>
  readonly kubeletVersion?: string
  /** Of its addresses and those of its pods, the first one first; IPv4 where it is left out. */
  readonly families?: readonly Family[]
  /** By how much its clock is ahead of that of the API server. */
  readonly clockAheadMs?: number
}
