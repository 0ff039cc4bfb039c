import { present } from '../../ground/model/present.ts'
import type { Reason, ReasonCode } from '../../ground/model/reason.ts'
import type { NodeAction } from './action.ts'
import type { IngressNode } from './snapshot.ts'

/** What is next for one node: one write, a wait, or nothing. */
export type NodeAnswer =
  | { readonly kind: 'act'; readonly action: NodeAction; readonly reason: Reason }
  /** `until`: when the hold ends by itself, in ms of the wall clock. */
  | { readonly kind: 'hold'; readonly reasons: readonly Reason[]; readonly until?: number }
  | { readonly kind: 'rest' }

export const REST: NodeAnswer = { kind: 'rest' }

/** Distributes over the kinds of action, so that each keeps its own fields. */
type WithoutNode<A> = A extends NodeAction ? Omit<A, 'node'> : never

interface Why {
  readonly code: ReasonCode
  readonly text: string
}

export const act = (n: IngressNode, action: WithoutNode<NodeAction>, { code, text }: Why): NodeAnswer => ({
  kind: 'act',
  action: { ...action, node: n.name } as NodeAction,
  reason: { code, object: n.name, text },
})

export const wait = (reasons: readonly Reason[], until?: number): NodeAnswer => ({
  kind: 'hold',
  reasons,
  ...present({ until }),
})
