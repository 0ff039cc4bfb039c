import type { ServerReading } from '../model/balancer.ts'

/**
 * It takes new traffic now: `starting` is not counted, since it may take but a part, nor is a backup, which often
 * serves nothing but an apology, nor weight 0, which is sent nothing.
 */
export function isUsable(server: ServerReading): boolean {
  return server.adminState === 'ready' && server.operational === 'up' && server.weight > 0 && !server.backup
}

/** Usable, and its last check did not fail: one that has begun to fail is up for a moment more. */
export const isRelied = (server: ServerReading): boolean => isUsable(server) && server.lastCheckFailed !== true

/**
 * Of the servers that would be taken on one instance: those whose backend there would be left without one to rely on.
 * A server that is out, down or of weight 0 already takes nothing away; two of one backend are taken together.
 */
export function lastServers(
  instance: readonly ServerReading[],
  taken: (server: ServerReading) => boolean,
): readonly ServerReading[] {
  const left = new Set(instance.filter((server) => isRelied(server) && !taken(server)).map((it) => it.ref.backend))
  return instance.filter((server) => taken(server) && isSentTraffic(server) && !left.has(server.ref.backend))
}

/** Also a backup, which serves once all others are gone, and one that only starts. */
const isSentTraffic = ({ adminState, operational, weight }: ServerReading): boolean =>
  adminState === 'ready' && (operational === 'up' || operational === 'starting') && weight > 0
