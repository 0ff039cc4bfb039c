import type { FailureClass, FailureWindow } from '../../../ground/model/probe.ts'

const WORDS: Readonly<Record<FailureClass, string>> = {
  dns: 'name not found',
  connect: 'connect failed',
  tls: 'TLS failed',
  noResponse: 'no response',
  reset: 'reset',
  stale: 'kept connection closed',
  body: 'body cut short',
  stalledBody: 'body stalled',
  status: 'bad status',
  content: 'wrong content',
}

/** What a code in the first error lets us say more exactly. */
const EXACTLY: readonly (readonly [FailureClass, string, string])[] = [
  ['connect', 'ECONNREFUSED', 'connect refused'],
  ['connect', 'EHOSTUNREACH', 'no route to host'],
  ['connect', 'ENETUNREACH', 'no route to network'],
  ['connect', 'no full answer within', 'connect timed out'],
  ['dns', 'no full answer within', 'name lookup timed out'],
  ['tls', 'no full answer within', 'TLS timed out'],
]

function wordsFor(failure: FailureClass, firstError: string): string {
  const status = failure === 'status' ? /^HTTP \d{3}/.exec(firstError) : null
  if (status !== null) return status[0]
  return EXACTLY.find(([of, code]) => of === failure && firstError.includes(code))?.[2] ?? WORDS[failure]
}

/** `connect refused`; where there are several, each with its count, most first: `reset (12), no response (3)`. */
export function failureWords(window: Pick<FailureWindow, 'failures' | 'firstError'>): string {
  const classes = (Object.entries(window.failures) as [FailureClass, number][]).sort(([, a], [, b]) => b - a)
  const [only] = classes
  if (classes.length === 1 && only !== undefined) return wordsFor(only[0], window.firstError)
  return classes.map(([failure, times]) => `${WORDS[failure]} (${times})`).join(', ')
}
