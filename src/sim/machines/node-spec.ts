import type { Taint } from '../actors/pod-object.ts'

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
}
