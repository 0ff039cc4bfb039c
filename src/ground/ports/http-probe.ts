import type { FailureClass, Lane, ProbeTarget } from '../model/probe.ts'

/** What one request came to. Without `failure` it answered in full, with the status and the text that were expected. */
export interface HttpVerdict {
  readonly failure?: FailureClass
  /** First error, verbatim; foreign text. */
  readonly error?: string
  readonly servedBy?: string
  /** The prober lacked something itself (ports, descriptors, memory): nothing was learned of the target. */
  readonly proberFault?: boolean
}

export interface HttpProbe {
  /**
   * Begins one request at once, whatever is still under way: never waits for a free connection. Never rejects. An
   * aborted request is dead in the phase it had reached (dns, connect, tls, noResponse, stalledBody).
   */
  ask(target: ProbeTarget, lane: Lane, signal: AbortSignal): Promise<HttpVerdict>
}
