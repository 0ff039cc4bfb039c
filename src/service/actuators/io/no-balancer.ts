import type { ServerReading } from '../../model/balancer.ts'
import type { InstanceInspection } from '../../model/balancer-inspection.ts'

/** Counters of a server where no balancer can be asked. */
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

/** The inspection of an instance that exists in name only. */
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
