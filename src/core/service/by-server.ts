import { serverKey } from '../../model/balancer.ts'
import type { RecordedSnapshot } from '../roll/node-snapshot.ts'
import { type NodeServer, nodeServers } from './node-servers.ts'

/** What is known of each server of the node now, by its key, from what was known before; undefined is not kept. */
export const byServer = <Known>(
  s: RecordedSnapshot,
  before: Readonly<Record<string, Known>>,
  fold: (server: NodeServer, before: Known | undefined) => Known | undefined,
): Readonly<Record<string, Known>> =>
  Object.fromEntries(
    nodeServers(s).flatMap((server) => {
      const key = serverKey(server.ref)
      const now = fold(server, before[key])
      return now === undefined ? [] : [[key, now]]
    }),
  )
