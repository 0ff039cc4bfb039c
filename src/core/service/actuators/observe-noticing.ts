import type { RecordedSnapshot } from '../../roll/node-snapshot.ts'
import { byServer } from '../by-server.ts'
import { endpointOf } from '../endpoint-of.ts'
import type { NodeServer } from '../node-servers.ts'
import { isAcknowledged } from './health-endpoint.ts'
import { type Noticing, notice, unheard } from './noticing.ts'

/** What those who check the node's health endpoint have noticed by now, as far as they can be followed. */
export const observeNoticing = (s: RecordedSnapshot): Readonly<Record<string, Noticing>> =>
  byServer(s, s.evidence.noticing, (server, before) => noticed(s, server, before))

function noticed(s: RecordedSnapshot, server: NodeServer, before: Noticing | undefined): Noticing | undefined {
  const reading = server.reading?.endpoint
  const spec = endpointOf(s, server.recorded.balancer)
  if (reading === undefined || spec === undefined) return before
  if (!reading.heard) return unheard(before, spec, s.now)
  const seen = { reading, spec, now: s.now }
  if (server.reading?.ownState === 'ready')
    return reading.answer === 'up' ? notice(before, { ...seen, way: 'in' }) : undefined
  return isAcknowledged(s, server) ? notice(before, { ...seen, way: 'out' }) : undefined
}
