import { WorldError } from '../model/world-error.ts'

/** RFC 1123 subdomain, as Kubernetes names nodes: it can be no option, no user@host, no URL and no second argument. */
const HOST_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

export const isHostName = (text: string): boolean => text.length <= 253 && HOST_NAME.test(text)

/** Checks a name from the API, which may be any text. */
export function hostName(text: string): string {
  if (isHostName(text)) return text
  throw new WorldError(`${JSON.stringify(text.slice(0, 80))} is not the name of a machine`, {
    code: 'HOST_NAME',
    retry: 'never',
  })
}
