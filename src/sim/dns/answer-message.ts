import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type OptAnswer,
  type Packet,
  type Question,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from 'dns-packet'
import { present } from '../../ground/model/present.ts'
import type { ClusterZone, ZoneAnswer } from './cluster-zone.ts'

/** RFC 1035 4.1.1. */
const RCODES: Readonly<Record<ZoneAnswer['rcode'], number>> = {
  NOERROR: 0,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  REFUSED: 5,
}
/** RFC 9715; the answers of a zone of Services are far shorter. */
const UDP_PAYLOAD_BYTES = 1_232

/**
 * The reply to one message; undefined where it is no query with one question, which CoreDNS does not answer either. `others`: it asks
 * the servers that it forwards to.
 */
export function answerMessage(zone: Pick<ClusterZone, 'answer'>, bytes: Buffer): Buffer | 'others' | undefined {
  const query = queryIn(bytes)
  if (query === undefined) return undefined
  const { question } = query
  if (isOfOtherVersion(query)) return badVersion(query)
  const answer = zone.answer({ ...question, class: question.class ?? 'IN' })
  if (answer === undefined) return 'others'
  const { rcode, isAuthoritative, answers, authorities } = answer
  const flags = (isAuthoritative ? AUTHORITATIVE_ANSWER : 0) | RCODES[rcode]
  return replyTo(query, { flags, answers, authorities })
}

/** What is said of a query before any plugin has it. */
const isOfOtherVersion = ({ edns }: Query): boolean => edns !== undefined && edns.ednsVersion !== 0
const badVersion = (query: Query): Buffer => replyTo(query, { edns: { ...EDNS, extendedRcode: 1 } })

/** To whom plugin `acl` lets nothing through. */
export const refusedMessage = (bytes: Buffer): Buffer | undefined => byPlugin(bytes, RCODES.REFUSED)

/** Of a rate limit that lets its clients ask again over TCP (plugin `rrl`, slip). */
export const truncatedMessage = (bytes: Buffer): Buffer | undefined => byPlugin(bytes, TRUNCATED_RESPONSE)

function byPlugin(bytes: Buffer, flags: number): Buffer | undefined {
  const query = queryIn(bytes)
  if (query === undefined) return undefined
  return isOfOtherVersion(query) ? badVersion(query) : replyTo(query, { flags })
}

/** What the servers outside of an embedded cluster answer: they know no name, and nothing of themselves. */
export function outsideMessage(bytes: Buffer): Buffer | undefined {
  const query = queryIn(bytes)
  if (query === undefined) return undefined
  const rcode = (query.question.class ?? 'IN') === 'IN' ? 'NXDOMAIN' : 'REFUSED'
  return replyTo(query, { flags: RECURSION_AVAILABLE | RCODES[rcode] })
}

/** What CoreDNS itself says once none of the servers that it forwards to has answered. */
export function failedMessage(bytes: Buffer): Buffer | undefined {
  const query = queryIn(bytes)
  return query && replyTo(query, { flags: RCODES.SERVFAIL })
}

interface ReplyParts {
  readonly flags?: number
  readonly answers?: readonly Answer[]
  readonly authorities?: readonly Answer[]
  readonly edns?: OptAnswer
}

const replyTo = (
  { packet, question, edns: asked }: Query,
  { flags = 0, answers = [], authorities = [], edns = EDNS }: ReplyParts,
): Buffer =>
  encode({
    type: 'response',
    ...present({ id: packet.id }),
    flags: ((packet.flags ?? 0) & RECURSION_DESIRED) | flags,
    questions: [question],
    answers: [...answers],
    authorities: [...authorities],
    // Where the query had one, and only there (RFC 6891 6.1.1).
    additionals: asked === undefined ? [] : [edns],
  } as Packet)

const EDNS = {
  name: '.',
  type: 'OPT' as const,
  udpPayloadSize: UDP_PAYLOAD_BYTES,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
} satisfies OptAnswer

interface Query {
  readonly packet: ReturnType<typeof decode>
  readonly question: Question
  readonly edns: OptAnswer | undefined
}

function queryIn(bytes: Buffer): Query | undefined {
  try {
    const packet = decode(bytes)
    const [question, ...more] = packet.questions ?? []
    if (packet.type !== 'query' || question === undefined || more.length > 0) return undefined
    return { packet, question, edns: packet.additionals?.find((record) => record.type === 'OPT') }
  } catch {
    return undefined
  }
}
