import type { Action } from '../../model/action.ts'
import type { NodeSnapshot } from '../roll/node-snapshot.ts'
import { endpointOf } from './endpoint-of.ts'
import { detachedState, type NodeServer } from './node-servers.ts'

type SetServer = Extract<Action, { kind: 'setServer' | 'askAgent' }>

export const setServer = (
  s: NodeSnapshot,
  { recorded, ref }: NodeServer,
  to: Pick<SetServer, 'state' | 'restores'>,
): SetServer => ({
  kind: endpointOf(s, recorded.balancer) === undefined ? 'setServer' : 'askAgent',
  node: s.current.node.name,
  balancer: recorded.balancer,
  ref,
  ...to,
})

/** Into the state that keeps traffic away. */
export const takeOut = (s: NodeSnapshot, server: NodeServer): SetServer =>
  setServer(s, server, { state: detachedState(server), restores: false })
