import type { HostReading } from '../../../ground/model/host.ts'
import type { Node } from '../../../ground/model/node.ts'

export type MachineNode = Pick<Node, 'name' | 'bootId' | 'internalAddresses'>

/** The answer of one node's machine before anything is changed. */
export interface HostInquiry {
  readonly node: MachineNode
  readonly answer:
    | { readonly kind: 'answered'; readonly reading: HostReading }
    /** `code`: HOST_*, of the error. */
    | { readonly kind: 'failed'; readonly code: string; readonly text: string }
}
