import { MalformedReply, Untrusted } from '../model/untrusted.ts'
import { secondsToWait } from '../net/retry-after.ts'
import type { Log } from '../ports/log.ts'
import type { ApiCall } from './api-call.ts'
import { apiError, replyError } from './api-error.ts'
import { parseApiStatus } from './api-status.ts'
import { parseItem } from './parse-item.ts'
import type { Resource } from './resources.ts'

/** One event of a watch. `resourceVersion` is the version of the watch after it. */
export type WatchChange<T> = { readonly resourceVersion: string } & (
  | { readonly type: 'applied' | 'deleted'; readonly object: T }
  /** A bookmark, or an object that was left out. */
  | { readonly type: 'fresh' }
)

/** Throws the WorldError for an ERROR event (mainly KUBE_GONE), or KUBE_REPLY where the line makes no sense. */
export function parseWatchLine<T>(line: string, kind: Resource<T>, log: Log): WatchChange<T> {
  const call: ApiCall = { verb: 'watch', resource: kind.resource, path: kind.path }
  const { type, object } = readEvent(call, line)
  if (type === 'ERROR') throw errorEvent(call, object.raw)
  const resourceVersion = versionOf(call, object)
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return { type: 'fresh', resourceVersion }
  const [parsed] = parseItem(kind, object, log)
  if (parsed === undefined) return { type: 'fresh', resourceVersion }
  return { type: type === 'DELETED' ? 'deleted' : 'applied', object: parsed, resourceVersion }
}

function readEvent(call: ApiCall, line: string) {
  try {
    const event = new Untrusted(JSON.parse(line), 'event')
    return { type: event.at('type').text(), object: event.at('object') }
  } catch (error) {
    throw replyError(call, error instanceof SyntaxError ? new MalformedReply('a line is not JSON') : error)
  }
}

function versionOf(call: ApiCall, object: Untrusted): string {
  try {
    return object.at('metadata').at('resourceVersion').text()
  } catch (error) {
    throw replyError(call, error)
  }
}

function errorEvent(call: ApiCall, body: unknown) {
  const { code, retryAfterSeconds } = parseApiStatus(body)
  const retryAfterMs = retryAfterSeconds === undefined ? undefined : secondsToWait(retryAfterSeconds)
  return apiError(call, { status: code ?? 500, body, retryAfterMs })
}
