import type { FailureClass } from '../model/probe.ts'

/** The phase that a request has reached. `wait`: sent, no answer yet; `body`: the head of the answer has come. */
export type Phase = 'dns' | 'connect' | 'tls' | 'wait' | 'body'

/** The state of a request when it failed. */
interface Breakage {
  readonly phase: Phase
  /** We aborted it at its deadline. */
  readonly aborted: boolean
  /** The connection had carried requests before. */
  readonly reused: boolean
  readonly code: string
}

const DEADLINE_CLASS: Readonly<Record<Phase, FailureClass>> = {
  dns: 'dns',
  connect: 'connect',
  tls: 'tls',
  wait: 'noResponse',
  body: 'stalledBody',
}

/** Errors of this machine, not of the target. */
const OWN_CODES: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])

export const isOwnFault = (code: string): boolean => OWN_CODES.has(code)

export function failureClass({ phase, aborted, reused, code }: Breakage): FailureClass {
  if (aborted) return DEADLINE_CLASS[phase]
  if (phase === 'body') return 'body'
  if (phase !== 'wait') return phase
  // TLS 1.3 refuses a client only after the client considers the handshake done.
  if (code.startsWith('ERR_SSL')) return 'tls'
  if (code.startsWith('HPE_')) return 'content'
  // The client cannot know whether the server read the request: a caller that may repeat it does, any other sees an error.
  return reused ? 'stale' : 'reset'
}
