import type { ServerReading } from '../../../src/service/model/balancer.ts'

/** A healthy server `web/a` of `lb-1` at 10.0.0.1:80, with what is given in place of that. */
export function serverLike(other: Partial<ServerReading> & { readonly path?: string } = {}): ServerReading {
  const { path = 'web/a', ...facts } = other
  const [backend = '', server = ''] = path.split('/')
  return {
    ref: { instance: 'lb-1', backend, server },
    address: '10.0.0.1',
    port: 80,
    adminState: 'ready',
    ownState: 'ready',
    inherited: false,
    operational: 'up',
    check: 'passing',
    checkText: 'L4OK',
    agent: false,
    persistent: false,
    currentSessions: 0,
    queued: 0,
    idleConnections: 0,
    totalSessions: 0,
    weight: 1,
    backup: false,
    ...facts,
  }
}
