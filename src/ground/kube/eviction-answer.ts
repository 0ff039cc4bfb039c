import type { BudgetRefusal, EvictionAnswer } from '../model/eviction.ts'
import { present } from '../model/present.ts'
import { secondsToWait } from '../net/retry-after.ts'
import type { ApiCall, ApiReply } from './api-call.ts'
import { type ApiStatus, parseApiStatus, saysAbsent } from './api-status.ts'

/**
 * The meaning of an answer of the eviction subresource. Its text is matched, since some answers differ in nothing else
 * (kubernetes/kubernetes pkg/registry/core/pod/storage/eviction.go, 1.22 to 1.35).
 */
export function evictionAnswer(call: ApiCall, reply: ApiReply): EvictionAnswer {
  if (reply.status >= 200 && reply.status < 300)
    return isObject(reply.body)
      ? { kind: 'accepted' }
      : { kind: 'passing', text: 'the answer does not come from the API server' }
  const status = parseApiStatus(reply.body)
  const text = status.message === '' ? `HTTP ${reply.status}` : status.message
  const wait = present({ retryAfterMs: waitOf(reply, status) })
  switch (reply.status) {
    case 404:
      return saysAbsent(status, call) ? { kind: 'gone' } : { kind: 'passing', text, ...wait }
    case 409:
      // Any other conflict is between the server's own writes.
      return /\buid in (the )?precondition/i.test(text) ? { kind: 'replaced' } : { kind: 'passing', text, ...wait }
    case 429:
      return tooManyRequests(status, wait)
    case 401:
      // A credential that has just expired may be replaced at any moment.
      return { kind: 'passing', text, ...wait }
    case 403:
      return hasCause(status, 'NamespaceTerminating')
        ? { kind: 'namespaceTerminating' }
        : { kind: 'refused', text, status: 403 }
  }
  if (reply.status < 500) return { kind: 'refused', text, status: reply.status }
  return /more than one PodDisruptionBudget/i.test(text)
    ? { kind: 'twoBudgets', text }
    : { kind: 'passing', text, ...wait }
}

type Wait = { readonly retryAfterMs?: number }

function tooManyRequests(status: ApiStatus, wait: Wait): EvictionAnswer {
  const cause = status.causes.find(({ reason }) => reason === 'DisruptionBudget')
  if (cause === undefined) {
    const { message } = status
    return FROM_WEBHOOK.test(message) ? { kind: 'putOff', text: message, ...wait } : { kind: 'throttled', ...wait }
  }
  const text = cause.message
  const refusal = budgetRefusal(text)
  if (/failed sync/i.test(text)) return { kind: 'budgetBroken', refusal, text }
  // A budget that could never be computed gives this answer, too, and for ever: the budget's own status shows the difference.
  if (/still being processed/i.test(text)) return { kind: 'budgetStale', refusal, ...wait }
  return { kind: 'budget', refusal, ...wait }
}

/** The API server's own words before those of the webhook (apiserver, pkg/admission/plugin/webhook/errors). */
const FROM_WEBHOOK = /^admission webhook "/

function budgetRefusal(text: string): BudgetRefusal {
  const [, budget = ''] = /disruption budget (\S+)/i.exec(text) ?? []
  const counts = /needs (\d{1,9}) healthy pods and has (\d{1,9})/i.exec(text)
  return { budget, ...(counts === null ? {} : { need: Number(counts[1]), have: Number(counts[2]) }) }
}

/** A budget that is used up answers with Retry-After 0, which means nothing. */
function waitOf(reply: ApiReply, status: ApiStatus): number | undefined {
  const { retryAfterSeconds } = status
  const ms = reply.retryAfterMs ?? (retryAfterSeconds === undefined ? undefined : secondsToWait(retryAfterSeconds))
  return ms === 0 ? undefined : ms
}

const hasCause = (status: ApiStatus, reason: string): boolean => status.causes.some((cause) => cause.reason === reason)

/** A Status, or the pod: a gateway's page of its own is neither. */
const isObject = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'kind' in body && typeof body.kind === 'string'
