import { Agent } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { escapeForeign } from '../../model/foreign-text.ts'
import { filledUrlFault } from '../../model/hold-url.ts'
import type { HoldAnswer, HoldQuestion, HoldSource } from '../../ports/hold-source.ts'
import type { Timers } from '../../ports/timers.ts'
import { systemTrust } from '../tls/system-trust.ts'
import { pathFault, valueAt } from './json-path.ts'
import { lookupOfSystem, type Reply, type ReplyHead, readReply } from './read-reply.ts'

interface HoldParts {
  readonly timers: Timers
  /** The system's where absent. */
  readonly lookup?: LookupFunction
}

const SHOWN_CHARACTERS = 100
const SHOWN_URL_CHARACTERS = 200
/** A further question waits, within its own time limit. */
const BOUNDS: AgentOptions = { keepAlive: false, maxSockets: 4, maxTotalSockets: 32 }

/**
 * HTTP and HTTPS by Node's own client.
 *
 * Law: only a whole answer from 200 to 299 with the wanted value clears a hold.
 */
export class HttpHolds implements HoldSource {
  readonly #timers: Timers
  readonly #lookup: LookupFunction
  // No proxy: it would answer for programs that only it can reach, and for its own failures.
  readonly #plain = new Agent({ ...BOUNDS, proxyEnv: {} })
  #secure: Agent | undefined

  constructor({ timers, lookup = lookupOfSystem }: HoldParts) {
    this.#timers = timers
    this.#lookup = lookup
  }

  pathFault(path: string): string | undefined {
    return pathFault(path)
  }

  async ask(question: HoldQuestion, signal: AbortSignal): Promise<HoldAnswer> {
    const fault = questionFault(question)
    if (fault !== undefined) return { kind: 'unknown', why: fault }
    const url = new URL(question.url)
    const late = new AbortController()
    const callOff = this.#timers.later(question.timeoutMs, () => late.abort())
    try {
      const wanted = { url, agent: this.#agentFor(url), lookup: this.#lookup, wantsBody: wantsBodyOf(question) }
      const reply = await readReply(wanted, AbortSignal.any([signal, late.signal]))
      return answerOf(reply, { ...question, shown: shownUrl(url) })
    } catch (error) {
      signal.throwIfAborted()
      if (!late.signal.aborted) throw error
      return { kind: 'unknown', why: `GET ${shownUrl(url)} has no whole answer within ${question.timeoutMs} ms` }
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

function questionFault({ url, jsonPath, equals }: HoldQuestion): string | undefined {
  const ofUrl = filledUrlFault(url)
  if (ofUrl !== undefined) return `the URL cannot be used: ${ofUrl}`
  if ((jsonPath === undefined) !== (equals === undefined)) return 'jsonPath and equals belong together'
  const ofPath = jsonPath === undefined ? undefined : pathFault(jsonPath)
  return ofPath === undefined ? undefined : `the JSON path cannot be used: ${ofPath}`
}

const wantsBodyOf =
  ({ jsonPath }: HoldQuestion) =>
  (head: ReplyHead): boolean =>
    jsonPath !== undefined && headFault(head, '') === undefined

type Asked = HoldQuestion & { readonly shown: string }

function answerOf(reply: Reply, { jsonPath = '', equals, shown }: Asked): HoldAnswer {
  const unknown = (why: string): HoldAnswer => ({ kind: 'unknown', why: `GET ${shown} ${why}` })
  if ('error' in reply) {
    const text = escapeForeign(reply.error, SHOWN_URL_CHARACTERS)
    return unknown(reply.head === undefined ? `failed: ${text}` : `answered ${reply.head.status}, and ${text}`)
  }
  const { head } = reply
  const fault = isGood(head) && equals === undefined ? undefined : headFault(head, shown)
  if (fault !== undefined) return unknown(fault)
  const answered = `answered ${head.status}`
  if (equals === undefined) return { kind: 'clear', evidence: `GET ${shown} ${answered}` }
  const found = wordAt(jsonPath, reply.body ?? Buffer.alloc(0))
  if ('fault' in found) return unknown(`${answered}, and ${found.fault}`)
  const is = `GET ${shown} ${answered}, ${clipped(jsonPath)} is ${clipped(found.word)}`
  if (found.word === equals) return { kind: 'clear', evidence: is }
  return { kind: 'held', evidence: `${is}, not ${clipped(equals)}` }
}

const isGood = ({ status }: ReplyHead): boolean => status >= 200 && status <= 299

/** Why nothing can be read from the answer, whatever its body is. */
function headFault(head: ReplyHead, from: string): string | undefined {
  const { status, location, encoding = 'identity' } = head
  if (!isGood(head)) {
    const points =
      location === undefined ? '' : `, which points to ${shownLocation(location, from)}; it is not followed`
    return `answered ${status}${points}`
  }
  return encoding.toLowerCase() === 'identity'
    ? undefined
    : `answered ${status} with content-encoding ${clipped(encoding)}, which was not asked for`
}

function wordAt(path: string, body: Buffer): { readonly word: string } | { readonly fault: string } {
  const json = jsonOf(body)
  if (json === undefined) return { fault: 'its body is no JSON' }
  const found = valueAt(path, json.value)
  const shown = clipped(path)
  if ('fault' in found) return { fault: `${shown} is not found: ${found.fault}` }
  if ('count' in found)
    return { fault: found.count === 0 ? `${shown} is absent` : `${shown} has ${found.count} values` }
  const { value } = found
  if (typeof value === 'string') return { word: value }
  if (typeof value === 'boolean') return { word: String(value) }
  if (typeof value !== 'number') return { fault: `${shown} is neither a text nor a number nor true or false` }
  const isExact = Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))
  return isExact ? { word: JSON.stringify(value) } : { fault: `${shown} is a number too large to compare` }
}

function jsonOf(body: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) }
  } catch {
    return undefined
  }
}

const clipped = (text: string): string => escapeForeign(text, SHOWN_CHARACTERS)

/** A query may have a secret. */
const shownUrl = ({ protocol, host, pathname }: URL): string =>
  escapeForeign(`${protocol}//${host}${pathname}`, SHOWN_URL_CHARACTERS)

/** Without credentials, and relative to where it came from. */
const shownLocation = (location: string, from: string): string =>
  URL.canParse(location, from) ? shownUrl(new URL(location, from)) : 'what is no URL'
