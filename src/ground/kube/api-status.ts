import { escapeForeign } from '../model/foreign-text.ts'
import { MalformedReply, Untrusted } from '../model/untrusted.ts'
import { type ApiCall, segment } from './api-call.ts'

/** metav1.Status, the body of a refusal. */
export interface ApiStatus {
  readonly reason: string
  /** Safe to print. */
  readonly message: string
  readonly code: number | undefined
  readonly retryAfterSeconds: number | undefined
  /** The object that it is about: its name, and its resource in the plural. */
  readonly about: string
  readonly aboutResource: string
  readonly causes: readonly { readonly reason: string; readonly message: string }[]
}

const NOTHING_SAID: ApiStatus = {
  reason: '',
  message: '',
  code: undefined,
  retryAfterSeconds: undefined,
  about: '',
  aboutResource: '',
  causes: [],
}

/** Never throws: a body that is no Status (a proxy's page) has nothing to show. */
export function parseApiStatus(body: unknown): ApiStatus {
  const status = new Untrusted(body, 'status')
  try {
    const details = status.at('details')
    return {
      reason: escapeForeign(status.at('reason').textOr('')),
      message: escapeForeign(status.at('message').textOr('')),
      code: status.at('code').optionalInteger(),
      retryAfterSeconds: details.at('retryAfterSeconds').optionalInteger(),
      about: details.at('name').textOr(''),
      aboutResource: details.at('kind').textOr(''),
      causes: details
        .at('causes')
        .each()
        .map((cause) => ({
          reason: cause.at('reason').textOr(''),
          message: escapeForeign(cause.at('message').textOr('')),
        })),
    }
  } catch (error) {
    if (error instanceof MalformedReply) return NOTHING_SAID
    throw error
  }
}

/**
 * A 404 is the API server's word that an object is not there only where it names the object, or the namespace, that was asked for.
 * A gateway on the way has pages of its own for a moment: after a reload, or while it has no server. An eviction answers 404 also for
 * a budget that was deleted meanwhile, which may bear the name of the namespace or of the pod: so the resource counts, too. It is
 * that of the path, and some subresources name themselves after it (`deployments/scale`).
 */
export function saysAbsent({ reason, about, aboutResource }: ApiStatus, { path, resource }: ApiCall): boolean {
  if (reason !== 'NotFound' || about === '') return false
  const [plural = ''] = (aboutResource === '' ? resource : aboutResource).split(/[./]/)
  return `${path}/`.includes(`/${plural}/${segment(about)}/`)
}
