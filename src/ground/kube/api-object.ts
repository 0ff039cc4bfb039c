import { Untrusted } from '../model/untrusted.ts'
import { WorldError } from '../model/world-error.ts'
import type { ApiCall } from './api-call.ts'
import type { ApiClient } from './api-client.ts'
import { replyError } from './api-error.ts'

type Parse<T> = (object: Untrusted) => T

/** Makes the call and parses the object it answers with. WorldError KUBE_REPLY where that makes no sense. */
export async function askObject<T>(
  client: ApiClient,
  { call, parse }: { readonly call: ApiCall; readonly parse: Parse<T> },
  signal: AbortSignal,
): Promise<T> {
  const body = await client.ask(call, signal)
  try {
    return parse(new Untrusted(body, 'object'))
  } catch (error) {
    throw replyError(call, error)
  }
}

/** As askObject; undefined where there is no such object. */
export async function findObject<T>(
  client: ApiClient,
  request: { readonly call: ApiCall; readonly parse: Parse<T> },
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await askObject(client, request, signal)
  } catch (error) {
    if (error instanceof WorldError && error.code === 'KUBE_NOT_FOUND') return undefined
    throw error
  }
}
