import type { ServerReading } from '../model/balancer.ts'

/**
 * The server takes new traffic now. `starting` does not count, since such a server may take only a part; nor does a backup,
 * which often serves only an error page; nor weight 0, which is sent nothing.
 */
export function isUsable(server: ServerReading): boolean {
  return server.adminState === 'ready' && server.operational === 'up' && server.weight > 0 && !server.backup
}

/** Usable, and its last check did not fail: a server that has begun to fail is up only for a moment more. */
export const isRelied = (server: ServerReading): boolean => isUsable(server) && server.lastCheckFailed !== true

/**
 * Which of the servers that would be taken out of one instance leave their backend without a reliable one. A server that is
 * out, down or of weight 0 takes nothing away; two servers of one backend count together.
 */
export function lastServers(
  instance: readonly ServerReading[],
  taken: (server: ServerReading) => boolean,
): readonly ServerReading[] {
  const left = new Set(instance.filter((server) => isRelied(server) && !taken(server)).map((it) => it.ref.backend))
  return instance.filter((server) => taken(server) && isSentTraffic(server) && !left.has(server.ref.backend))
}

/** Includes a backup, which serves once all others are gone, and a server that only starts. */
const isSentTraffic = ({ adminState, operational, weight }: ServerReading): boolean =>
  adminState === 'ready' && (operational === 'up' || operational === 'starting') && weight > 0
