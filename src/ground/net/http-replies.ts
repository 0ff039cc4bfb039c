import { Agent } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { escapeForeign } from '../model/foreign-text.ts'
import type { Timers } from '../ports/timers.ts'
import { lookupOfSystem, type Reply, type ReplyHead, readReply } from './read-reply.ts'
import { systemTrust } from './system-trust.ts'

export interface ReplyParts {
  readonly timers: Timers
  /** Absent: that of the system. */
  readonly lookup?: LookupFunction
}

interface ReplyRequest {
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  /** From the look-up of the name to the last byte of the body. */
  readonly timeoutMs: number
  readonly wantsBody: (head: ReplyHead) => boolean
}

const SHOWN_URL_CHARACTERS = 200
/** A further request waits, within its own time limit. */
const BOUNDS: AgentOptions = { keepAlive: false, maxSockets: 4, maxTotalSockets: 32 }

/** GETs over HTTP and HTTPS by Node's own client, each within a limit. A redirect is not followed. */
export class HttpReplies {
  readonly #timers: Timers
  readonly #lookup: LookupFunction
  // No proxy: it would answer for programs that only it can reach, and for its own failures.
  readonly #plain = new Agent({ ...BOUNDS, proxyEnv: {} })
  #secure: Agent | undefined

  constructor({ timers, lookup = lookupOfSystem }: ReplyParts) {
    this.#timers = timers
    this.#lookup = lookup
  }

  /** Undefined: no whole answer came within the limit. Rejects only with the signal's reason. */
  async get({ url, headers, timeoutMs, wantsBody }: ReplyRequest, signal: AbortSignal): Promise<Reply | undefined> {
    const late = new AbortController()
    const callOff = this.#timers.later(timeoutMs, () => late.abort())
    const wanted = { url, agent: this.#agentFor(url), lookup: this.#lookup, wantsBody, ...(headers && { headers }) }
    try {
      return await readReply(wanted, AbortSignal.any([signal, late.signal]))
    } catch (error) {
      signal.throwIfAborted()
      if (!late.signal.aborted) throw error
      return undefined
    } finally {
      callOff()
    }
  }

  #agentFor({ protocol }: URL): Agent {
    if (protocol === 'http:') return this.#plain
    this.#secure ??= new HttpsAgent({
      ...BOUNDS,
      proxyEnv: {},
      maxCachedSessions: 0,
      secureContext: systemTrust(),
    })
    return this.#secure
  }
}

/** The URL without its query, which may contain a secret. */
export const shownUrl = ({ protocol, host, pathname }: URL): string =>
  escapeForeign(`${protocol}//${host}${pathname}`, SHOWN_URL_CHARACTERS)
