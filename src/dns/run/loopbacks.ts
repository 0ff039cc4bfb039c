import { mapAtOnce } from '../../ground/loop/map-at-once.ts'
import type { Random } from '../../ground/ports/random.ts'
import { type AskedZone, LADDER, type Nonce } from '../decide/ladder.ts'
import { readPath } from '../decide/path-reading.ts'
import { isSilent, readTry, type Try } from '../decide/path-script.ts'
import type { Path, ScenePod, SceneVantage } from '../decide/scene.ts'
import type { PodLoopback } from '../ports/pod-loopback.ts'

interface Parts {
  readonly namespace: string
  readonly pods: readonly ScenePod[]
  readonly askedZone: AskedZone
  readonly loopback: PodLoopback
  readonly random: Random
  readonly timeoutMs: number
}

interface LoopbackSweep {
  /** Absent where no pod could be asked. */
  readonly vantage?: SceneVantage
  readonly paths: readonly Path[]
  /** Why pods could not be asked: sentences. */
  readonly notes: readonly string[]
  readonly queries: number
}

const VANTAGE: SceneVantage = { name: 'port-forward', control: 'notAsked', way: 'portForward' }
/** Each is a connection through the API server, so that only those are asked that tell something of the pod's data. */
const RUNGS = LADDER.filter(({ id }) => ['L0', 'L1', 'L2', 'L4', 'L5', 'L7'].includes(id))
const PODS_AT_ONCE = 4
/** A process that answered nothing twice is not asked for more. */
const SILENT_AFTER = 2

/** One round over the pods' own loopbacks, for where nothing else reaches them. Rejects by abort alone. */
export async function sweepLoopbacks(parts: Parts, signal: AbortSignal): Promise<LoopbackSweep> {
  const pods = parts.pods.filter(({ terminating }) => !terminating)
  const asked = await mapAtOnce(pods, PODS_AT_ONCE, (pod) => askLoopback(pod, parts, signal))
  const paths = asked.flatMap(({ name, tries }): Path[] =>
    tries.length === 0 ? [] : [{ vantage: VANTAGE.name, target: { kind: 'pod', name }, reading: readPath(tries) }],
  )
  return {
    ...(paths.length === 0 ? {} : { vantage: VANTAGE }),
    paths,
    notes: [
      ...new Set(asked.flatMap(({ noWay }) => (noWay === undefined ? [] : `port-forward was not used: ${noWay}`))),
    ],
    queries: asked.reduce((sum, { tries }) => sum + tries.length, 0),
  }
}

interface AskedLoopback {
  readonly name: string
  readonly tries: readonly Try[]
  /** Why there is no way into the pod. */
  readonly noWay?: string
}

async function askLoopback(
  { name, port }: ScenePod,
  { namespace, askedZone, loopback, random, timeoutMs }: Parts,
  signal: AbortSignal,
): Promise<AskedLoopback> {
  const nonce: Nonce = { hex: random.hex(6) }
  const tries: Try[] = []
  for (const rung of RUNGS) {
    const question = rung.question(askedZone, nonce)
    if (question === undefined) continue
    const outcome = await loopback.ask({ pod: { namespace, name, port }, question, timeoutMs }, signal)
    if (outcome.kind === 'notAsked') return { name, tries, noWay: outcome.text }
    tries.push(readTry({ rung, question, over: 'tcp' }, outcome, { askedZone, nonce }))
    if (tries.filter(isSilent).length >= SILENT_AFTER) break
  }
  return { name, tries }
}
