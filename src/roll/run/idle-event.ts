import { formatDuration } from '../../ground/model/duration.ts'
import type { ConnectionsEnd } from '../../service/decide/evidence.ts'
import type { RollEvent } from '../model/roll-event.ts'

interface Idle {
  readonly node: string
  readonly server: string
  readonly end: ConnectionsEnd
}

/** How the wait for connections of a node that cannot be cut ended. */
export function idleEvent({ node, server, end }: Idle): Extract<RollEvent, { type: 'idle' }> {
  const { by, left } = end
  const afterMs = Math.round(end.at - end.since)
  return { type: 'idle', node, step: 'detach', server, by, left, afterMs, text: idleText(node, left, afterMs) }
}

function idleText(node: string, left: ConnectionsEnd['left'], afterMs: number): string {
  const tenths = Math.round(afterMs / 100)
  const after = formatDuration(tenths * 100)
  if (left === 0 && tenths === 0) return `${node} had no connection left once load balancers stopped sending to it`
  if (left === 0) return `${node} had no connection left ${after} after load balancers stopped sending to it`
  if (left === 'unknown')
    return `waited ${after} for connections of ${node}, which cannot be counted (detach.idleLimit)`
  const some = left === 1 ? '1 connection, which ends' : `${left} connections, which end`
  return `waited ${after}, and ${node} still had ${some} with its pods (detach.idleLimit)`
}
