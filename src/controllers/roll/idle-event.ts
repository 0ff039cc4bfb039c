import type { ConnectionsEnd } from '../../core/roll/connections-end.ts'
import { formatDuration } from '../../model/duration.ts'
import type { RollEvent } from '../../model/roll-event.ts'

interface Idle {
  readonly node: string
  readonly server: string
  readonly end: ConnectionsEnd
}

/** How the wait for the connections of a node ended that nobody can cut. */
export function idleEvent({ node, server, end }: Idle): Extract<RollEvent, { type: 'idle' }> {
  const { by, left } = end
  const afterMs = Math.round(end.afterMs)
  const after = formatDuration(Math.round(afterMs / 100) * 100)
  return { type: 'idle', node, step: 'detach', server, by, left, afterMs, text: textOf({ node, left, after }) }
}

function textOf({ node, left, after }: Pick<Idle, 'node'> & Pick<ConnectionsEnd, 'left'> & { after: string }): string {
  if (left === 0) return `${node} has no connection left, ${after} after load balancers had left it`
  if (left === 'unknown') return `waited ${after} for connections of ${node}, which cannot be seen (detach.idleLimit)`
  const some = left === 1 ? '1 connection, which ends' : `${left} connections, which end`
  return `waited ${after}, and ${node} still has ${some} with the pods that serve it (detach.idleLimit)`
}
