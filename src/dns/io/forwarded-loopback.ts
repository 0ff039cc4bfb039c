import type { ApiClient } from '../../ground/kube/api-client.ts'
import { forwardPort } from '../../ground/kube/port-forward.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { DnsOutcome } from '../model/dns.ts'
import type { LoopbackQuery, PodLoopback } from '../ports/pod-loopback.ts'
import { queryMessage } from './message.ts'
import { askStream } from './tcp-query.ts'

interface Parts {
  readonly client: ApiClient
  readonly clock: Clock
  readonly random: Random
}

/** By port-forward, which the runtime of the node connects to the pod's own loopback. */
export class ForwardedLoopback implements PodLoopback {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async ask({ pod, question, timeoutMs }: LoopbackQuery, signal: AbortSignal): Promise<DnsOutcome> {
    const { client, clock, random } = this.#parts
    const message = queryMessage(question, Number.parseInt(random.hex(2), 16))
    try {
      const stream = await forwardPort(client, { namespace: pod.namespace, pod: pod.name, port: pod.port }, signal)
      return await askStream({ open: () => stream, message, timeoutMs }, clock, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof WorldError)) throw error
      return { kind: 'notAsked', text: error.message }
    }
  }
}
