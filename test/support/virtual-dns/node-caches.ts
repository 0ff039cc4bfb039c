import type { Timers } from '../../../src/ground/ports/timers.ts'
import { answerMessage, failedMessage } from '../../../src/sim/dns/answer-message.ts'
import type { Heard } from './dns-network.ts'

interface CachesParts {
  readonly timers: Timers
  /** From the node, over TCP, to the Service behind the caches. */
  readonly ask: (node: string, query: Buffer, hear: (heard: Heard) => void) => void
  /** What the servers of the node answer, which know names outside of the cluster; undefined: they are silent. */
  readonly outside: (query: Buffer) => Buffer | undefined
}

/** NOERROR, SERVFAIL and NXDOMAIN; nothing else is kept (plugin/cache, response types). */
const KEPT_MS: Readonly<Record<number, number>> = { 0: 30_000, 2: 5_000, 3: 30_000 }
const [RCODE_AT, RCODE_MASK] = [3, 15]
/** As long as plugin `forward` tries. */
const FORWARDS_FOR_MS = 5_000
const ID_BYTES = 2
const OF_CLUSTER = /(?:^|\.)(?:cluster\.local|in-addr\.arpa|ip6\.arpa)$/

/** NodeLocal DNSCache: on each node a CoreDNS with `cache` and `forward`, and no zone of its own. */
export class NodeCaches {
  readonly #parts: CachesParts
  /** By node and by the query without its id. */
  readonly #kept = new Map<string, Buffer>()

  constructor(parts: CachesParts) {
    this.#parts = parts
  }

  answer(node: string, query: Buffer, answered: (reply: Buffer) => void): void {
    const { timers, ask, outside } = this.#parts
    let name = ''
    const zone = {
      answer: (question: { readonly name: string }) => {
        name = question.name
        return undefined
      },
    }
    const own = answerMessage(zone, query)
    if (own !== 'others') {
      if (own !== undefined) answered(own)
      return
    }
    const key = `${node} ${query.subarray(ID_BYTES).toString('latin1')}`
    const known = this.#kept.get(key)
    if (known !== undefined) {
      answered(withIdOf(query, known))
      return
    }
    const fail = (): void => {
      const failed = failedMessage(query)
      if (failed !== undefined) answered(failed)
    }
    const callOff = timers.later(FORWARDS_FOR_MS, fail)
    const hear = (heard: Heard): void => {
      callOff()
      if (heard.kind === 'error') fail()
      else {
        this.#keep(key, heard.bytes)
        answered(heard.bytes)
      }
    }
    if (OF_CLUSTER.test(name)) ask(node, query, hear)
    else {
      const bytes = outside(query)
      if (bytes !== undefined) hear({ kind: 'reply', bytes, from: { address: '', port: 0 } })
    }
  }

  #keep(key: string, reply: Buffer): void {
    const keptMs = KEPT_MS[(reply[RCODE_AT] ?? 0) & RCODE_MASK]
    if (keptMs === undefined) return
    this.#kept.set(key, reply)
    this.#parts.timers.later(keptMs, () => this.#kept.delete(key))
  }
}

const withIdOf = (query: Buffer, reply: Buffer): Buffer =>
  Buffer.concat([query.subarray(0, ID_BYTES), reply.subarray(ID_BYTES)])
