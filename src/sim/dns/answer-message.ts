import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, type Packet, RECURSION_DESIRED } from 'dns-packet'
import { present } from '../../ground/model/present.ts'
import type { ClusterZone, ZoneAnswer } from './cluster-zone.ts'

/** RFC 1035 4.1.1. */
const RCODES: Readonly<Record<ZoneAnswer['rcode'], number>> = { NOERROR: 0, NXDOMAIN: 3, REFUSED: 5 }
/** RFC 9715; the answers of a zone of Services are far shorter. */
const UDP_PAYLOAD_BYTES = 1_232

/** The reply to one message; undefined where it is no query with one question, which CoreDNS does not answer either. */
export function answerMessage(zone: Pick<ClusterZone, 'answer'>, bytes: Buffer): Buffer | undefined {
  const query = queryIn(bytes)
  const [question, ...more] = query?.questions ?? []
  if (query === undefined || question === undefined || more.length > 0) return undefined
  const { rcode, isAuthoritative, answers, authorities } = zone.answer({ ...question, class: question.class ?? 'IN' })
  const hasEdns = query.additionals?.some(({ type }) => type === 'OPT') === true
  const flags = ((query.flags ?? 0) & RECURSION_DESIRED) | (isAuthoritative ? AUTHORITATIVE_ANSWER : 0) | RCODES[rcode]
  return encode({
    type: 'response',
    ...present({ id: query.id }),
    flags,
    questions: [question],
    answers: [...answers],
    authorities: [...authorities],
    // Where the query had one, and only there (RFC 6891 6.1.1).
    additionals: hasEdns ? [EDNS] : [],
  } as Packet)
}

const EDNS = {
  name: '.',
  type: 'OPT' as const,
  udpPayloadSize: UDP_PAYLOAD_BYTES,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
} satisfies Answer

function queryIn(bytes: Buffer): ReturnType<typeof decode> | undefined {
  try {
    const packet = decode(bytes)
    return packet.type === 'query' ? packet : undefined
  } catch {
    return undefined
  }
}
