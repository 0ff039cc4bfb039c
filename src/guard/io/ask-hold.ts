import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { filledUrlFault } from '../../ground/model/hold-url.ts'
import { HttpReplies, type ReplyParts, shownUrl } from '../../ground/net/http-replies.ts'
import { pathFault, type ValueAtPath, valueAt } from '../../ground/net/json-path.ts'
import type { Reply, ReplyHead } from '../../ground/net/read-reply.ts'
import type { HoldAnswer, HoldQuestion, HoldSource } from '../holds/hold-source.ts'

const SHOWN_CHARACTERS = 100
const SHOWN_ERROR_CHARACTERS = 200

type FindValue = (
  path: string,
  given: { readonly of: string; readonly json: unknown },
) => ValueAtPath | Promise<ValueAtPath>

interface HoldsParts extends ReplyParts {
  /** Absent: in this process. */
  readonly findValue?: FindValue
}

/**
 * HTTP and HTTPS by Node's own client.
 *
 * Law: only a whole answer from 200 to 299 with the wanted value clears a hold.
 */
export class HttpHolds implements HoldSource {
  readonly #replies: HttpReplies
  readonly #valueAt: FindValue

  constructor({ findValue = (path, { json }) => valueAt(path, json), ...parts }: HoldsParts) {
    this.#replies = new HttpReplies(parts)
    this.#valueAt = findValue
  }

  pathFault(path: string): string | undefined {
    return pathFault(path)
  }

  async ask(question: HoldQuestion, signal: AbortSignal): Promise<HoldAnswer> {
    const fault = questionFault(question)
    if (fault !== undefined) return { kind: 'unknown', why: fault }
    const url = new URL(question.url)
    const { timeoutMs, headers } = question
    const request = { url, timeoutMs, wantsBody: wantsBodyOf(question), ...(headers && { headers }) }
    const reply = await this.#replies.get(request, signal)
    const shown = shownUrl(url)
    if (reply === undefined) return { kind: 'unknown', why: `GET ${shown} has no whole answer within ${timeoutMs} ms` }
    return answerOf(reply, { ...question, shown }, this.#valueAt)
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
  (question: HoldQuestion) =>
  (head: ReplyHead): boolean =>
    readsBody(question) && headFault(head, question, '') === undefined

const readsBody = ({ jsonPath, contains }: HoldQuestion): boolean => jsonPath !== undefined || contains !== undefined

type Asked = HoldQuestion & { readonly shown: string }

async function answerOf(reply: Reply, asked: Asked, find: FindValue): Promise<HoldAnswer> {
  const { shown } = asked
  const unknown = (why: string): HoldAnswer => ({ kind: 'unknown', why: `GET ${shown} ${why}` })
  if ('error' in reply) {
    const text = escapeForeign(reply.error, SHOWN_ERROR_CHARACTERS)
    return unknown(reply.head === undefined ? `failed: ${text}` : `answered ${reply.head.status}, and ${text}`)
  }
  const { head } = reply
  const fault = isGood(head, asked) && !readsBody(asked) ? undefined : headFault(head, asked, shown)
  if (fault !== undefined && asked.expectStatus !== undefined && !isGood(head, asked))
    return { kind: 'held', evidence: `GET ${shown} ${fault}` }
  if (fault !== undefined) return unknown(fault)
  const answered = `GET ${shown} answered ${head.status}`
  const body = reply.body ?? Buffer.alloc(0)
  const { contains } = asked
  if (contains !== undefined && !body.includes(contains))
    return { kind: 'held', evidence: `${answered}, and its body does not contain ${clipped(contains)}` }
  return asked.equals === undefined
    ? { kind: 'clear', evidence: answered }
    : byValue(await wordAt(asked, body, find), asked, head)
}

function byValue(found: Word, { jsonPath = '', equals = '', shown }: Asked, { status }: ReplyHead): HoldAnswer {
  const answered = `GET ${shown} answered ${status}`
  if ('fault' in found) return { kind: 'unknown', why: `${answered}, and ${found.fault}` }
  const is = `${answered}, ${clipped(jsonPath)} is ${clipped(found.word)}`
  if (found.word === equals) return { kind: 'clear', evidence: is }
  return { kind: 'held', evidence: `${is}, not ${clipped(equals)}` }
}

const isGood = ({ status }: ReplyHead, { expectStatus: [low, high] = [200, 299] }: HoldQuestion): boolean =>
  status >= low && status <= high

/** Why nothing can be read from the answer, whatever its body is. */
function headFault(head: ReplyHead, question: HoldQuestion, from: string): string | undefined {
  const { status, location, encoding = 'identity' } = head
  if (!isGood(head, question)) {
    const points =
      location === undefined ? '' : `, which points to ${shownLocation(location, from)}; it is not followed`
    return `answered ${status}${points}`
  }
  return encoding.toLowerCase() === 'identity'
    ? undefined
    : `answered ${status} with content-encoding ${clipped(encoding)}, which was not asked for`
}

type Word = { readonly word: string } | { readonly fault: string }

async function wordAt({ jsonPath: path = '', of = '' }: Asked, body: Buffer, find: FindValue): Promise<Word> {
  const json = jsonOf(body)
  if (json === undefined) return { fault: 'its body is no JSON' }
  const found = await find(path, { of, json: json.value })
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

/** Without credentials, and relative to where it came from. */
const shownLocation = (location: string, from: string): string =>
  URL.canParse(location, from) ? shownUrl(new URL(location, from)) : 'what is no URL'
