import { escapeForeign } from '../model/foreign-text.ts'
import { MalformedReply, Untrusted } from '../model/untrusted.ts'

/** metav1.Status, the body of a refusal. */
export interface ApiStatus {
  readonly reason: string
  /** Safe to print. */
  readonly message: string
  readonly code: number | undefined
  readonly retryAfterSeconds: number | undefined
  readonly causes: readonly { readonly reason: string; readonly message: string }[]
}

const NOTHING_SAID: ApiStatus = {
  reason: '',
  message: '',
  code: undefined,
  retryAfterSeconds: undefined,
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
