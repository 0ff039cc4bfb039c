import type { NodeNotices } from '../../ports/node-notices.ts'
import { createEvent, type EventParts } from './create-event.ts'

/** Events of Nodes, as `kubectl describe node` lists them. It takes the right to create events in namespace default. */
export const kubeNodeNotices = (parts: EventParts): NodeNotices => ({
  tell: ({ node, uid, reason }, signal) => {
    const involvedObject = { kind: 'Node', name: node, uid }
    return createEvent(parts, { namespace: 'default', involvedObject, type: 'Warning', reason }, signal)
  },
})
