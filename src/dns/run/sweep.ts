import { mapAtOnce } from '../../ground/loop/map-at-once.ts'
import type { Endpoint } from '../../ground/model/endpoint.ts'
import { present } from '../../ground/model/present.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { AskedZone, Nonce } from '../decide/ladder.ts'
import { LADDER, livenessQuestion } from '../decide/ladder.ts'
import { type PathReading, readPath } from '../decide/path-reading.ts'
import { nextTry, readTry, type Try } from '../decide/path-script.ts'
import type { Path, SceneVantage, Target } from '../decide/scene.ts'
import type { DnsAsker } from '../ports/dns-asker.ts'
import { askUntilKnown, QueriesBeyond } from './ask-until-known.ts'

/** A place that queries are sent from. */
export interface Vantage {
  readonly inScene: SceneVantage
  readonly asker: DnsAsker
}

export interface SweepTarget {
  readonly target: Target
  readonly at: Endpoint
  /** Where it is asked over TCP, where that is another port. */
  readonly tcpPort?: number
  /** So many queries at least, each from a new port, and a canary: for an address with several pods behind it. */
  readonly samples?: number
  /** `cutOff`: asked from places alone that do not reach their control; `nodes`: from those on a node. Absent: from each place. */
  readonly from?: 'cutOff' | 'nodes'
}

interface SweepParts {
  readonly targets: readonly SweepTarget[]
  readonly askedZone: AskedZone
  readonly timeoutMs: number
  /** From this place at most. */
  readonly queriesPerSecond: number
  readonly random: Random
}

interface Sweep {
  readonly paths: readonly Path[]
  readonly queries: number
}

/** At once, from one vantage; to one target there is one query at a time. */
export const PATHS_AT_ONCE = 64
/** Queries from one port. One lost packet is no old entry of connection tracking. */
const CANARY_QUERIES = 3

/** One round: every target by the ladder, from one vantage. Rejects by abort alone. */
export async function sweep({ inScene: from, asker }: Vantage, parts: SweepParts, signal: AbortSignal): Promise<Sweep> {
  const targets = parts.targets.filter((target) => isAskedFrom(from, target))
  const beyond = new QueriesBeyond(targets.length, parts.queriesPerSecond)
  const ask = (target: SweepTarget): Promise<AskedPath> => askPath(asker, { ...target, ...parts, beyond }, signal)
  const asked = await mapAtOnce(targets, PATHS_AT_ONCE, ask)
  return {
    paths: asked.map(({ target, reading, canary }) => ({
      vantage: from.name,
      target,
      reading,
      ...present({ canary }),
    })),
    queries: asked.reduce((sum, { queries }) => sum + queries, 0),
  }
}

function isAskedFrom({ control, node }: SceneVantage, { from }: SweepTarget): boolean {
  if (from === undefined) return true
  return from === 'nodes' ? node !== undefined : control !== 'answers'
}

interface AskedPath {
  readonly target: Target
  readonly reading: PathReading
  readonly canary?: 'answers' | 'silent'
  readonly queries: number
}

type AskedTarget = SweepTarget & SweepParts & { readonly beyond: QueriesBeyond }

async function askPath(
  asker: DnsAsker,
  { target, at, tcpPort = at.port, samples = 0, askedZone, timeoutMs, random, beyond }: AskedTarget,
  signal: AbortSignal,
): Promise<AskedPath> {
  const nonce: Nonce = { hex: random.hex(6) }
  const tries: Try[] = []
  for (let next = nextTry(tries, askedZone, nonce); next !== undefined; next = nextTry(tries, askedZone, nonce)) {
    const { over, question, socket } = next
    const to = over === 'tcp' ? { ...at, port: tcpPort } : at
    const outcome = await asker.ask({ at: to, question, over, socket, timeoutMs }, signal)
    tries.push(readTry(next, outcome, { askedZone, nonce }))
  }
  const all = await askUntilKnown(tries, { asker, at, askedZone, nonce, timeoutMs, samples, beyond }, signal)
  const reading = readPath(all)
  if (samples === 0 || reading.udp !== 'answers') return { target, reading, queries: all.length }
  const canary = await canaryOf(asker, { at, askedZone, nonce, timeoutMs }, signal)
  return { target, reading, canary, queries: all.length + CANARY_QUERIES }
}

interface CanaryParts {
  readonly at: Endpoint
  readonly askedZone: AskedZone
  readonly nonce: Nonce
  readonly timeoutMs: number
}

const LISTED = LADDER.find(({ id }) => id === 'L2')

async function canaryOf(
  asker: DnsAsker,
  { at, askedZone, nonce, timeoutMs }: CanaryParts,
  signal: AbortSignal,
): Promise<'answers' | 'silent'> {
  // What the server answers itself, and what one that knows no versions of EDNS answers.
  const questions = [LISTED?.question(askedZone, nonce), livenessQuestion(askedZone)]
  const canary = asker.canary(at)
  try {
    for (let i = 0; i < CANARY_QUERIES; i += 1) {
      const question = questions[i % questions.length]
      if (question !== undefined && (await canary.ask(question, timeoutMs, signal)).kind === 'reply') return 'answers'
    }
    return 'silent'
  } finally {
    canary.close()
  }
}
