import { escapeForeign } from '../model/foreign-text.ts'
import { MalformedReply, type Untrusted } from '../model/untrusted.ts'
import type { Log } from '../ports/log.ts'
import type { Resource } from './resources.ts'

/** The object, or nothing and a warning where it is malformed: one broken object must not hide all others. */
export function parseItem<T>(kind: Resource<T>, item: Untrusted, log: Log): [T] | [] {
  try {
    return [kind.parse(item)]
  } catch (error) {
    if (!(error instanceof MalformedReply)) throw error
    log.warn('a malformed object is left out', {
      resource: kind.resource,
      reason: escapeForeign(error.message),
    })
    return []
  }
}
