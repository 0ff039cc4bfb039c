import { MalformedReply } from '../model/untrusted.ts'
import { type Retry, WorldError } from '../model/world-error.ts'
import type { ApiCall, ApiReply } from './api-call.ts'
import { type ApiStatus, parseApiStatus, saysAbsent } from './api-status.ts'

type Verdict = readonly [code: string, retry: Retry]

const VERDICTS: Readonly<Record<number, Verdict>> = {
  401: ['KUBE_UNAUTHORIZED', 'backoff'],
  403: ['KUBE_FORBIDDEN', 'never'],
  409: ['KUBE_CONFLICT', 'now'],
  410: ['KUBE_GONE', 'now'],
  429: ['KUBE_THROTTLED', 'backoff'],
}

const NO_PATH = 'the kind is not installed, or something before the API server answers in its place'

/** The error of a reply that is no success; its text names the verb and the resource. */
export function apiError(call: ApiCall, reply: ApiReply): WorldError {
  const status = parseApiStatus(reply.body)
  const [code, retry] = verdict(call, reply.status, status)
  if (reply.status === 422 && code === 'KUBE_CONFLICT') {
    return new WorldError(`${call.verb} ${call.resource}: it has changed since it was read`, { code, retry })
  }
  const words = status.message === '' && code === 'KUBE_NO_PATH' ? NO_PATH : status.message
  const said = words === '' ? `HTTP ${reply.status}` : `${words} (HTTP ${reply.status})`
  const details = reply.retryAfterMs === undefined ? { code, retry } : { code, retry, retryAfterMs: reply.retryAfterMs }
  return new WorldError(`${call.verb} ${call.resource}: ${said}`, details)
}

/** A reply whose shape is not the API's. */
export function replyError(call: ApiCall, error: unknown): unknown {
  if (!(error instanceof MalformedReply)) return error
  const details = { code: 'KUBE_REPLY', retry: 'backoff', cause: error } as const
  return new WorldError(`${call.verb} ${call.resource}: the reply makes no sense: ${error.message}`, details)
}

function verdict(call: ApiCall, http: number, status: ApiStatus): Verdict {
  const known = VERDICTS[http]
  if (known !== undefined) return known
  if (http === 404) return saysAbsent(status, call) ? ['KUBE_NOT_FOUND', 'never'] : ['KUBE_NO_PATH', 'backoff']
  if (http === 422 && isJsonPatch(call) && isPatchThatDidNotApply(status)) return ['KUBE_CONFLICT', 'now']
  if (http >= 500) return ['KUBE_SERVER', 'backoff']
  return http >= 400 ? ['KUBE_INVALID', 'never'] : ['KUBE_REPLY', 'backoff']
}

const isJsonPatch = ({ verb, body }: ApiCall): boolean => verb === 'patch' && Array.isArray(body)

/**
 * A JSON patch whose `test` fails, or whose path is not there, is answered with 422 and no cause (apiserver
 * pkg/endpoints/handlers/patch.go); an object that validation rejects comes with a cause per field.
 */
function isPatchThatDidNotApply(status: ApiStatus): boolean {
  return status.causes.length === 0
}
