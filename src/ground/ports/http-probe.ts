import type { FailureClass, Lane, ProbeTarget } from '../model/probe.ts'

/** The result of one request. Without `failure` there was a full answer, with the expected status and text. */
export interface HttpVerdict {
  readonly failure?: FailureClass
  /** The first error, verbatim; foreign text. */
  readonly error?: string
  readonly servedBy?: string
  /** Its kept connection was closed before the first byte of an answer: this is the result of its repeat on a new connection. */
  readonly retried?: true
  /** The prober itself lacked something (ports, descriptors, memory): the request shows nothing about the target. */
  readonly proberFault?: boolean
}

export interface HttpProbe {
  /**
   * Begins one request at once, whatever is still under way: never waits for a free connection. Never rejects. An aborted
   * request fails in the phase that it had reached (dns, connect, tls, noResponse, stalledBody).
   */
  ask(target: ProbeTarget, lane: Lane, signal: AbortSignal): Promise<HttpVerdict>
}
