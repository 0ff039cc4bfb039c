import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type Packet,
  RECURSION_AVAILABLE,
  TRUNCATED_RESPONSE,
} from 'dns-packet'
import type { Endpoint } from '../../ground/model/endpoint.ts'
import {
  canonicalDnsName,
  type DnsQuestion,
  type DnsRecord,
  type DnsReply,
  isDnsName,
  type Mismatch,
} from '../model/dns.ts'

/** What CoreDNS offers and what passes without fragments (RFC 9715). */
const UDP_PAYLOAD_BYTES = 1_232
const NSID = 3
const EXTENDED_ERROR = 15
const HEADER_BYTES = 12
const IS_REPLY = 0x80

/** One query on its way. */
export interface Asked {
  readonly at: Endpoint
  readonly message: QueryMessage
  readonly timeoutMs: number
}

export interface QueryMessage {
  readonly id: number
  readonly question: DnsQuestion
  readonly bytes: Buffer
}

/** Throws where the name is not a DNS name: the encoder would write labels that are too long. */
export function queryMessage(question: DnsQuestion, id: number): QueryMessage {
  if (!isDnsName(question.name)) throw new Error(`"${question.name}" is not a DNS name`)
  const options = [{ code: NSID, data: Buffer.alloc(0) }]
  const { edns: ednsVersion = 0, ...asked } = question
  const opt = { name: '.', type: 'OPT', udpPayloadSize: UDP_PAYLOAD_BYTES, extendedRcode: 0, ednsVersion, flags: 0 }
  const packet = {
    type: 'query',
    id,
    // Recursion is asked for, as every resolver does: a server that forwards would refuse otherwise.
    flags: 0x100,
    questions: [asked],
    additionals: [{ ...opt, flag_do: false, options }],
  } as Packet
  return { id, question, bytes: encode(packet) }
}

/** The reply to a query, or why these bytes are not one. Never throws. */
export function readReply(bytes: Buffer, { id, question }: QueryMessage): DnsReply | Mismatch {
  // Before anything is decoded: a flood of replies to others costs next to nothing.
  if (bytes.length < HEADER_BYTES) return 'format'
  if (bytes.readUInt16BE(0) !== id) return 'id'
  if (((bytes[2] ?? 0) & IS_REPLY) === 0) return 'query'
  let packet: ReturnType<typeof decode>
  try {
    packet = decode(bytes)
  } catch {
    return 'format'
  }
  return isAbout(packet, question) ? replyOf(packet, bytes.length) : 'question'
}

function isAbout({ questions = [] }: Packet, { name, type, class: queryClass }: DnsQuestion): boolean {
  const [asked, ...more] = questions
  return (
    asked !== undefined &&
    more.length === 0 &&
    canonicalDnsName(asked.name) === canonicalDnsName(name) &&
    asked.type === type &&
    asked.class === queryClass
  )
}

function replyOf(packet: ReturnType<typeof decode>, bytes: number): DnsReply {
  const { answers = [], authorities = [], additionals = [], flags = 0 } = packet
  const opt = additionals.find((record) => record.type === 'OPT') as Opt | undefined
  const options = Array.isArray(opt?.options) ? opt.options : []
  const nsid = options.find(({ code }) => code === NSID)?.data
  return {
    rcode: rcodeOf((opt?.extendedRcode ?? 0) * 16 + (flags & 0xf)),
    authoritative: (flags & AUTHORITATIVE_ANSWER) !== 0,
    truncated: (flags & TRUNCATED_RESPONSE) !== 0,
    recursive: (flags & RECURSION_AVAILABLE) !== 0,
    answers: answers.map(recordOf),
    authorities: authorities.map(recordOf),
    ...(nsid === undefined || nsid.length === 0 ? {} : { nsid: readable(nsid) }),
    extendedErrors: options.flatMap(({ code, data }) => (code === EXTENDED_ERROR && data ? extendedError(data) : [])),
    bytes,
  }
}

/** The types of the package know neither numbers as codes nor the bits that EDNS adds to the rcode. */
interface Opt {
  readonly extendedRcode?: number
  readonly options?: readonly { readonly code: unknown; readonly data?: Buffer }[]
}

/** RFC 1035 4.1.1, RFC 2136 2.2, RFC 6891 9. */
const RCODES: readonly string[] = [
  ...['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'],
  ...['YXDOMAIN', 'YXRRSET', 'NXRRSET', 'NOTAUTH', 'NOTZONE'],
]
const BADVERS = 16

const rcodeOf = (code: number): string => (code === BADVERS ? 'BADVERS' : (RCODES[code] ?? `RCODE${code}`))

function recordOf(record: Answer): DnsRecord {
  const ttl = 'ttl' in record ? record.ttl : undefined
  return { name: record.name, type: record.type, ttlSeconds: ttl ?? 0, data: dataOf(record) }
}

function dataOf(record: Answer): string {
  switch (record.type) {
    case 'A':
    case 'AAAA':
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return record.data
    case 'SOA':
      return record.data.mname
    case 'SRV':
      return `${record.data.target}:${record.data.port}`
    case 'TXT':
      return [record.data]
        .flat()
        .map((part) => (typeof part === 'string' ? part : readable(part)))
        .join('')
    default:
      return ''
  }
}

/** Printable ASCII as it is, all else as `\xNN`: what a server says of itself is shown on terminals. */
function readable(bytes: Buffer): string {
  return [...bytes.subarray(0, 255)]
    .map((byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
    )
    .join('')
}

const extendedError = (data: Buffer) =>
  data.length < 2 ? [] : [{ code: data.readUInt16BE(0), text: readable(data.subarray(2)) }]
