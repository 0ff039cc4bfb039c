import { present } from '../../ground/model/present.ts'
import type { DnsOutcome } from '../model/dns.ts'
import type { LossCount } from './chances.ts'
import type { DataFault } from './ladder.ts'
import { isLostByChance, judgeLoss } from './loss.ts'
import { isOfZone, isSilent, type Try } from './path-script.ts'

/** What one round on one path came to. */
export interface PathReading {
  readonly udp: 'answers' | 'loses' | 'silent' | 'notAsked'
  /** How UDP failed, most often first; empty where it answered. */
  readonly how: readonly Exclude<DnsOutcome['kind'], 'reply' | 'notAsked'>[]
  readonly tcp: 'answers' | 'silent' | 'notAsked'
  /**
   * The worst that an answer about the cluster was. `unanswered`: the server answers, but nothing about the zone.
   * `unknown`: no answer came.
   */
  readonly data: 'right' | Exclude<DataFault, 'upstream'> | 'unanswered' | 'unknown'
  readonly upstream: 'answers' | 'fails' | 'notAsked'
  /** Queries over UDP, and how many got no answer. */
  readonly asked: number
  readonly lost: number
  readonly truncated: number
  /** Median over UDP, in ms; absent where nothing was answered. */
  readonly medianMs?: number
  /** Where replies came from that were not asked. */
  readonly wrongSource?: string
  /** The servers that answered, as servers with NSID say. */
  readonly servedBy: readonly string[]
  /** What was wrong with answers, in sentences. */
  readonly faults: readonly string[]
}

/** The worse one first. */
export const BY_WEIGHT: readonly Exclude<DataFault, 'upstream'>[] = [
  'noKubernetes',
  'unsynced',
  'wrongZone',
  'wrongAnswer',
  'stale',
  'refused',
]

/** Folds the tries of one round. Queries that this machine could not send say nothing. */
export function readPath(tries: readonly Try[]): PathReading {
  const sent = tries.filter(({ outcome }) => outcome.kind !== 'notAsked')
  const own = ownOf(sent)
  const overUdp = own.filter(({ over }) => over === 'udp')
  const lost = overUdp.filter(isSilent)
  const wrongSource = overUdp.find(({ outcome }) => outcome.kind === 'wrongSource')?.outcome
  const replies = overUdp.flatMap(({ outcome }) => (outcome.kind === 'reply' ? [outcome] : []))
  const knowsServices = sent.some(({ rung, reading }) => rung === 'L2' && reading?.kind === 'right')
  const wrongs = sent
    .flatMap(({ rung, reading }) => (reading?.kind === 'wrong' ? [{ rung, ...reading }] : []))
    // kube-dns knows its Services, and no name for the version of its zone.
    .filter(({ fault }) => !(fault === 'noKubernetes' && knowsServices))
  const count = { asked: overUdp.length, lost: lost.length }
  const medianMs = median(replies.map(({ afterMs }) => afterMs))
  return {
    udp: udpState(count),
    how: byFrequency(lost.map(({ outcome }) => outcome.kind as PathReading['how'][number])),
    tcp: tcpState(own),
    data: dataState(
      sent,
      wrongs.map(({ fault }) => fault),
    ),
    upstream: upstreamState(sent, count),
    ...count,
    truncated: replies.filter(({ reply }) => reply.truncated).length,
    ...present({ medianMs }),
    ...(wrongSource?.kind === 'wrongSource' ? { wrongSource: wrongSource.from } : {}),
    servedBy: [...new Set(replies.flatMap(({ reply }) => reply.nsid ?? []))].toSorted(),
    faults: [...new Set(wrongs.map(({ rung, text }) => `${rung}: ${text}`))],
  }
}

/**
 * Without those whose silence may be that of another server, which this one asks. A server that answers, and nothing about the zone, may
 * serve another zone.
 */
function ownOf(sent: readonly Try[]): readonly Try[] {
  const answered = sent.filter((one) => !isSilent(one))
  const isOfZone = answered.length === 0 || answered.some(({ answeredBy }) => answeredBy === 'zone')
  return sent.filter((one) => !isSilent(one) || one.answeredBy === 'itself' || (one.answeredBy === 'zone' && isOfZone))
}

/** A server that answers anything is alive. */
function udpState({ asked, lost }: LossCount): PathReading['udp'] {
  if (asked === 0) return 'notAsked'
  if (lost === asked) return 'silent'
  return judgeLoss({ asked, lost }) === 'ill' ? 'loses' : 'answers'
}

function tcpState(sent: readonly Try[]): PathReading['tcp'] {
  const overTcp = sent.filter(({ over }) => over === 'tcp')
  if (overTcp.length === 0) return 'notAsked'
  return overTcp.every(isSilent) ? 'silent' : 'answers'
}

function dataState(sent: readonly Try[], faults: readonly DataFault[]): PathReading['data'] {
  if (sent.some(isRelayedFailure)) return 'unanswered'
  const worst = BY_WEIGHT.find((fault) => faults.includes(fault))
  if (worst !== undefined) return worst
  if (sent.some(({ rung, reading }) => rung !== 'L0' && rung !== 'L7' && reading?.kind === 'right')) return 'right'
  const answered = sent.filter((one) => !isSilent(one))
  const ofZone = (one: Try): boolean => isOfZone(one) && one.answeredBy !== 'others'
  return answered.length > 0 && sent.some(ofZone) && !answered.some(ofZone) ? 'unanswered' : 'unknown'
}

/** The plugin kubernetes answers L1 also before it has listed anything: what fails is the way to a server that the question was sent on to. */
const isRelayedFailure = ({ rung, answeredBy, outcome }: Try): boolean =>
  rung === 'L1' && answeredBy === 'zone' && outcome.kind === 'reply' && outcome.reply.rcode === 'SERVFAIL'

export const isWrong = ({ data }: Pick<PathReading, 'data'>): boolean =>
  data !== 'right' && data !== 'unanswered' && data !== 'unknown'

/** On a path that loses queries anyway, that some get no answer says nothing of the upstream. */
function upstreamState(sent: readonly Try[], count: LossCount): PathReading['upstream'] {
  const asked = sent.filter(({ rung, reading }) => rung === 'L7' && reading?.kind !== 'moot')
  if (asked.length === 0) return 'notAsked'
  if (asked.some(({ reading }) => reading?.kind === 'right')) return 'answers'
  return asked.every(isSilent) && isLostByChance(asked.length, count) ? 'notAsked' : 'fails'
}

function byFrequency<T>(items: readonly T[]): readonly T[] {
  const count = (item: T): number => items.filter((other) => other === item).length
  return [...new Set(items)].toSorted((left, right) => count(right) - count(left))
}

function median(numbers: readonly number[]): number | undefined {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)]
}
