import type { KubeconfigUser } from './kubeconfig-file.ts'

/** The headers by which requests are made as another user (client-go, transport/round_trippers.go). */
export function impersonationOf({
  as,
  asUid,
  asGroups,
  asExtra,
}: KubeconfigUser): Readonly<Record<string, string | string[]>> {
  if (as === '') return {}
  const extra = [...asExtra].filter(([, values]) => values.length > 0)
  return {
    'Impersonate-User': headerText(as),
    ...(asUid === '' ? {} : { 'Impersonate-Uid': headerText(asUid) }),
    ...(asGroups.length === 0 ? {} : { 'Impersonate-Group': asGroups.map(headerText) }),
    ...Object.fromEntries(extra.map(([key, values]) => [`Impersonate-Extra-${escaped(key)}`, values.map(headerText)])),
  }
}

/** What no name of a header may have, and the sign of an escape itself. */
const escaped = (key: string): string =>
  headerText(key).replaceAll(
    /[^!#$&'*+\-.^_`|~0-9A-Za-z]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )

/** Node writes each character of a header as one byte; Go writes text as UTF-8. */
export const headerText = (text: string): string => Buffer.from(text).toString('latin1')
