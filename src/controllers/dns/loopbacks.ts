import { LADDER, type Nonce, type ZoneFacts } from '../../core/dns/ladder.ts'
import { readPath } from '../../core/dns/path-reading.ts'
import { isSilent, readTry, type Try } from '../../core/dns/path-script.ts'
import type { DnsPodFacts, Path, VantageFacts } from '../../core/dns/scene.ts'
import type { PodLoopback } from '../../ports/pod-loopback.ts'
import type { Random } from '../../ports/random.ts'

interface Parts {
  readonly namespace: string
  readonly pods: readonly DnsPodFacts[]
  readonly facts: ZoneFacts
  readonly loopback: PodLoopback
  readonly random: Random
  readonly timeoutMs: number
}

interface LoopbackSweep {
  /** Absent where no pod could be asked. */
  readonly vantage?: VantageFacts
  readonly paths: readonly Path[]
  /** Why pods could not be asked: sentences. */
  readonly notes: readonly string[]
  readonly queries: number
}

const VANTAGE: VantageFacts = { name: 'port-forward', control: 'notAsked', way: 'portForward' }
/** Each is a connection through the API server, so that only those are asked that tell something of the pod's data. */
const RUNGS = LADDER.filter(({ id }) => ['L1', 'L2', 'L4', 'L5', 'L7'].includes(id))
const PODS_AT_ONCE = 4
/** A process that answered nothing twice is not asked for more. */
const SILENT_AFTER = 2

/** One round over the pods' own loopbacks, for where nothing else reaches them. Rejects by abort alone. */
export async function sweepLoopbacks(parts: Parts, signal: AbortSignal): Promise<LoopbackSweep> {
  const waiting = parts.pods.filter(({ terminating }) => !terminating)
  const order = waiting.map(({ name }) => name)
  const notes = new Set<string>()
  const paths: Path[] = []
  let queries = 0
  const worker = async (): Promise<void> => {
    for (let pod = waiting.shift(); pod !== undefined; pod = waiting.shift()) {
      const tries = await askLoopback(pod, parts, signal)
      const [first] = tries
      if (first?.outcome.kind === 'notAsked') {
        notes.add(`port-forward was not taken: ${first.outcome.text}`)
        continue
      }
      queries += tries.length
      paths.push({ vantage: VANTAGE.name, target: { kind: 'pod', name: pod.name }, reading: readPath(tries) })
    }
  }
  await Promise.all(Array.from({ length: PODS_AT_ONCE }, worker))
  const inOrder = paths.toSorted((a, b) => order.indexOf(a.target.name) - order.indexOf(b.target.name))
  return { ...(paths.length === 0 ? {} : { vantage: VANTAGE }), paths: inOrder, notes: [...notes], queries }
}

async function askLoopback(
  { name, port }: DnsPodFacts,
  { namespace, facts, loopback, random, timeoutMs }: Parts,
  signal: AbortSignal,
): Promise<readonly Try[]> {
  const nonce: Nonce = { hex: random.hex(6) }
  const tries: Try[] = []
  for (const rung of RUNGS) {
    const question = rung.question(facts, nonce)
    if (question === undefined) continue
    const outcome = await loopback.ask({ pod: { namespace, name, port }, question, timeoutMs }, signal)
    tries.push(readTry({ rung, question, over: 'tcp' }, outcome, { facts, nonce }))
    if (outcome.kind === 'notAsked' || tries.filter(isSilent).length >= SILENT_AFTER) break
  }
  return tries
}
