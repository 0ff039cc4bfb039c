import type { ObjectNotices } from '../../ports/object-notices.ts'
import { createEvent, type EventParts } from './create-event.ts'

/** Events of what lies in a namespace. It takes the right to create events there. */
export const kubeObjectNotices = (parts: EventParts): ObjectNotices => ({
  tell: ({ kind, namespace, name, uid, type, reason }, signal) =>
    createEvent(parts, { namespace, involvedObject: { kind, namespace, name, uid }, type, reason }, signal),
})
