import { readFileSync } from 'node:fs'

/** One line of the API server's audit log (audit.k8s.io/v1 Event), as far as it is read here. */
interface AuditEvent {
  readonly verb: string
  readonly stage: string
}

/**
 * All requests so far to the API server, of any kind, from clients other than the cluster's own components. The server's
 * own counters do not tell which client asked: its controllers read each of two hundred nodes that never send a heartbeat,
 * while checks go on.
 */
export const apiRequests = (auditLog: string): number => countRequests(readFileSync(auditLog, 'utf8'))

/** A watch counts as it begins: it may outlast what is measured. A line that is still being written is left out. */
export const countRequests = (log: string): number =>
  log
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ verb, stage }) => stage === (verb === 'watch' ? 'ResponseStarted' : 'ResponseComplete')).length
