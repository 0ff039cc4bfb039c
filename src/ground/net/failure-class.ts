import type { FailureClass } from '../model/probe.ts'

/** How far a request has come. `wait`: sent, no answer yet; `body`: the head of the answer is here. */
export type Phase = 'dns' | 'connect' | 'tls' | 'wait' | 'body'

/** What was going on when it broke. */
interface Breakage {
  readonly phase: Phase
  /** Ours: the deadline passed. */
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
const PROBER_CODES: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])

export const isProberFault = (code: string): boolean => PROBER_CODES.has(code)

export function failureClass({ phase, aborted, reused, code }: Breakage): FailureClass {
  if (aborted) return DEADLINE_CLASS[phase]
  if (phase === 'body') return 'body'
  if (phase !== 'wait') return phase
  // TLS 1.3 refuses a client only after it believes the handshake to be over.
  if (code.startsWith('ERR_SSL')) return 'tls'
  if (code.startsWith('HPE_')) return 'content'
  // The client cannot tell whether the server read the request: callers that may repeat it do, the others see an error.
  return reused ? 'stale' : 'reset'
}
