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
  /** Queries beyond the ladder, each from a new port, and a canary: for an address with several pods behind it. */
  readonly samples?: number
  /** `cutOff`: asked from places alone that do not reach their control; `nodes`: from those on a node. Absent: from each place. */
  readonly from?: 'cutOff' | 'nodes'
}

interface SweepParts {
  readonly targets: readonly SweepTarget[]
  readonly askedZone: AskedZone
  readonly timeoutMs: number
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
/** To many samples of one address so many are under way at once. */
const SAMPLES_AT_ONCE = 4

/** One round: every target by the ladder, from one vantage. Rejects by abort alone. */
export async function sweep({ inScene: from, asker }: Vantage, parts: SweepParts, signal: AbortSignal): Promise<Sweep> {
  const targets = parts.targets.filter((target) => isAskedFrom(from, target))
  const asked = await mapAtOnce(targets, PATHS_AT_ONCE, (target) => askPath(asker, { ...target, ...parts }, signal))
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

async function askPath(
  asker: DnsAsker,
  { target, at, tcpPort = at.port, samples = 0, askedZone, timeoutMs, random }: SweepTarget & SweepParts,
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
  const first = readPath(tries)
  if (samples === 0 || first.udp === 'notAsked' || first.udp === 'loses')
    return { target, reading: first, queries: tries.length }
  // All queries so far may have met one dead pod: the first that come at once tell that from an address that leads nowhere.
  const count = first.udp === 'silent' ? SAMPLES_AT_ONCE : samples - first.asked
  tries.push(...(await sampled({ asker, at, count, askedZone, nonce, timeoutMs }, signal)))
  if (first.udp === 'silent') return { target, reading: readPath(tries), queries: tries.length }
  const canary = await canaryOf(asker, { at, askedZone, nonce, timeoutMs }, signal)
  return { target, reading: readPath(tries), canary, queries: tries.length + CANARY_QUERIES }
}

interface Sampled {
  readonly asker: DnsAsker
  readonly at: Endpoint
  readonly count: number
  readonly askedZone: AskedZone
  readonly nonce: Nonce
  readonly timeoutMs: number
}

async function sampled(
  { asker, at, count, askedZone, nonce, timeoutMs }: Sampled,
  signal: AbortSignal,
): Promise<readonly Try[]> {
  const rung = SAMPLED_RUNG
  const question = rung?.question(askedZone, nonce)
  if (rung === undefined || question === undefined) return []
  return mapAtOnce(Array.from({ length: Math.max(0, count) }), SAMPLES_AT_ONCE, async () => {
    const outcome = await asker.ask({ at, question, over: 'udp', timeoutMs }, signal)
    return readTry({ rung, question }, outcome, { askedZone, nonce })
  })
}

const SAMPLED_RUNG = LADDER.find(({ id }) => id === 'L2')

async function canaryOf(
  asker: DnsAsker,
  { at, askedZone, nonce, timeoutMs }: Omit<Sampled, 'asker' | 'count'>,
  signal: AbortSignal,
): Promise<'answers' | 'silent'> {
  // What the server answers itself, and what one that knows no versions of EDNS answers.
  const questions = [SAMPLED_RUNG?.question(askedZone, nonce), livenessQuestion(askedZone)]
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
