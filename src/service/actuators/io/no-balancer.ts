import type { ServerReading } from '../../model/balancer.ts'
import type { InstanceInspection } from '../../model/balancer-inspection.ts'

/** No balancer is asked: what it counts is not known, and counts for nothing. */
export const NOTHING_COUNTED = {
  inherited: false,
  agent: false,
  persistent: false,
  currentSessions: 0,
  queued: 0,
  totalSessions: 0,
  idleConnections: 0,
  weight: 1,
  backup: false,
} as const

interface InName {
  readonly instance: string
  readonly process: string
  readonly backends: readonly string[]
  readonly servers: readonly ServerReading[]
}

/** What a plan is to know of an instance that there is in name. */
export const oneBackend = ({ instance, process, backends, servers }: InName): InstanceInspection => ({
  instance,
  process,
  version: '',
  level: 'admin',
  processes: 1,
  missingBackends: [],
  disabledBackends: [],
  backends: backends.map((name) => ({ name, mode: 'other', servers, stickTable: false, redispatch: 'unknown' })),
  outside: [],
})
