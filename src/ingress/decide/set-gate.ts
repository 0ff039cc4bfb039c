import { act, type NodeAnswer } from './node-answer.ts'
import type { NodeView, Pass } from './pass.ts'

/** Undefined: the gate is so already. */
export function setGate({ s }: Pass, n: NodeView, isOpen: boolean): NodeAnswer | undefined {
  const opens = isOpen || s.object.spec.drainGate === 'Open'
  if (n.deployment === undefined || n.deployment.gate === (opens ? 'open' : 'closed')) return undefined
  const text = opens
    ? `pods may be evicted from ${n.name}`
    : `no pod may be evicted from ${n.name} before it is detached`
  return act(n, { kind: 'setGate', isOpen: opens }, { code: opens ? 'GateOpens' : 'GateCloses', text })
}
