import { escapeForeign } from '../model/foreign-text.ts'
import { type Retry, WorldError } from '../model/world-error.ts'
import type { ProcessEnd } from './run-process.ts'

/** What OpenSSH prints before it exits with 255, and the meaning; the first match counts. */
const FAILURES: readonly (readonly [RegExp, string, Retry])[] = [
  [/Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED|No .* host key is known/, 'HOST_KEY', 'never'],
  [/Permission denied \(|Too many authentication failures|no mutual signature/, 'HOST_DENIED', 'never'],
  [/Bad configuration option|Can't open user config file|bad permissions|Bad owner/i, 'HOST_SSH_CONFIG', 'never'],
  [/Could not resolve hostname/, 'HOST_UNRESOLVED', 'backoff'],
]

// As the last line: after a connection ssh would print how it ended.
const NO_CONNECTION = /Could not resolve hostname|(?:^|\n)ssh: connect to host [^\n]*\s*$/

/** No connection came about, so the machine got nothing. */
export const isUnconnected = ({ exitCode, errorTail }: ProcessEnd): boolean =>
  exitCode === 255 && NO_CONNECTION.test(errorTail)

/** The error for an ssh that gave no answer. */
export function sshFailure(node: string, end: ProcessEnd): WorldError {
  const text = lastWords(end)
  if (end.cause === 'notStarted') return error('HOST_NO_SSH', 'never', `ssh could not be started: ${text}`)
  if (end.cause === 'limit') return error('HOST_TIMEOUT', 'backoff', `ssh ${node} did not answer in time`)
  if (end.exitCode === 255) {
    const [, code, retry] = FAILURES.find(([pattern]) => pattern.test(end.errorTail)) ?? []
    return error(code ?? 'HOST_UNREACHABLE', retry ?? 'backoff', `ssh ${node}: ${text}`)
  }
  return error('HOST_ANSWER', 'backoff', `${node} gave no usable answer (${ending(end)}): ${text}`)
}

/** How it ended, in a few words. */
export function ending({ cause, exitCode, signal }: ProcessEnd): string {
  if (cause === 'flood') return 'it printed without end'
  return signal === undefined ? `exit code ${exitCode ?? 'unknown'}` : `ended by ${signal}`
}

/** The last lines of its stderr, on one line and escaped: systemctl has three lines of advice after what went wrong. */
export function lastWords({ errorTail }: ProcessEnd): string {
  const lines = errorTail
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^@+$/.test(line))
  return escapeForeign(lines.slice(-4).join('; '), 300) || 'no word'
}

const error = (code: string, retry: Retry, text: string): WorldError => new WorldError(text, { code, retry })
