import { readFileSync } from 'node:fs'

interface AuditLine {
  readonly auditID: string
  readonly verb: string
  readonly user: { readonly username: string }
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string }
  readonly requestReceivedTimestamp: string
}

export interface ApiRequests {
  readonly total: number
  readonly byVerb: Readonly<Record<string, number>>
  /** `verb resource`, most asked first. */
  readonly byResource: Readonly<Record<string, number>>
}

/** What one user asked of the API server in a time, by the API server's own audit log (audit.k8s.io/v1). */
export function apiRequests(
  path: string,
  { user, from, to }: { readonly user: string; readonly from: Date; readonly to: Date },
): ApiRequests {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditLine)
    .filter((line) => line.user.username === user)
    .filter(({ requestReceivedTimestamp: at }) => new Date(at) >= from && new Date(at) <= to)
  // A watch is logged when it begins and when it ends.
  const requests = [...new Map(lines.map((line) => [line.auditID, line])).values()]
  return {
    total: requests.length,
    byVerb: counts(requests.map(({ verb }) => verb)),
    byResource: counts(requests.map(({ verb, objectRef = {} }) => `${verb} ${resourceText(objectRef)}`)),
  }
}

const resourceText = ({ resource = '-', subresource }: NonNullable<AuditLine['objectRef']>): string =>
  subresource === undefined ? resource : `${resource}/${subresource}`

function counts(words: readonly string[]): Readonly<Record<string, number>> {
  const found = new Map<string, number>()
  for (const word of words) found.set(word, (found.get(word) ?? 0) + 1)
  return Object.fromEntries([...found].toSorted(([, a], [, b]) => b - a))
}
