import { toIso } from '../../model/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { NodeNotices } from '../../ports/node-notices.ts'
import type { Random } from '../../ports/random.ts'
import type { ApiClient } from './api-client.ts'

/** Events of what has no namespace lie in this one (apiserver, pkg/apis/core/validation/events.go). */
const PATH = '/api/v1/namespaces/default/events'
/** As the API writes times: in whole seconds. */
const SECONDS = /\.\d+Z$/

interface NodeNoticesParts {
  readonly client: ApiClient
  readonly clock: Clock
  readonly random: Random
  /** Of this process. */
  readonly identity: string
}

/** Events of Nodes, as `kubectl describe node` lists them. It takes the right to create events in namespace default. */
export const kubeNodeNotices = ({ client, clock, random, identity }: NodeNoticesParts): NodeNotices => ({
  tell: async ({ node, uid, reason }, signal) => {
    const at = toIso(clock.wallMs()).replace(SECONDS, 'Z')
    const body = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: 'default', name: `${reason.code.toLowerCase()}.${random.hex(8)}` },
      involvedObject: { apiVersion: 'v1', kind: 'Node', name: node, uid },
      type: 'Warning',
      reason: reason.code,
      message: reason.text,
      source: { component: 'evenkeel-controller' },
      reportingComponent: 'evenkeel-controller',
      reportingInstance: identity,
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
    }
    await client.ask({ verb: 'create', resource: 'events', path: PATH, body }, signal)
  },
})
