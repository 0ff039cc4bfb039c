import process from 'node:process'
import { parseFleetNode } from '../../src/agent/io/parse-fleet-node.ts'
import type { FleetNode } from '../../src/agent/model/fleet-node.ts'
import { Brake } from '../../src/agent/run/brake/brake.ts'
import { CLUSTER_KINDS } from '../../src/ground/kube/cluster-kinds.ts'
import { parseWatchLine } from '../../src/ground/kube/parse-watch-line.ts'
import { resourceOf } from '../../src/ground/kube/resources.ts'
import { FollowCache } from '../../src/ground/loop/follow-cache.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import type { FollowEvent } from '../../src/ground/ports/cluster.ts'
import { MemoryConfigMap, MemoryNotices } from '../../test/support/controller/memory-ports.ts'
import { spentMs } from '../virtual/spent-ms.ts'
import { nodeLine } from './node-line.ts'

const log = { debug: () => undefined, warn: () => undefined }
const KIND = resourceOf({ kind: { ...CLUSTER_KINDS.nodes, parse: parseFleetNode } })

type Sink = (event: FollowEvent<FleetNode>) => void

const nodeAt = (at: number): string => `node-${String(at).padStart(5, '0')}`

const fleetOf = (nodes: number): readonly FleetNode[] =>
  Array.from({ length: nodes }, (_, at) => {
    const name = nodeAt(at)
    return { name, uid: `uid-${name}`, unschedulable: false, deleting: false, ready: true, leaves: false }
  })

/** One node after the other turns NotReady and back, as the lines of a watch tell it. */
function changeLines({ nodes, changes }: { readonly nodes: number; readonly changes: number }): readonly string[] {
  return Array.from({ length: changes }, (_, at) => nodeLine(nodeAt((37 * (at >> 1)) % nodes), 1_001 + at))
}

function tell(sink: Sink, line: string): void {
  const change = parseWatchLine(line, KIND, log)
  if (change.type === 'applied') sink({ type: 'applied', object: change.object })
}

/** ms of processor time for one change, from the line to the end of the pass. */
export async function measureFleet(size: { readonly nodes: number; readonly changes: number }): Promise<number> {
  const stop = new AbortController()
  let sink: Sink = () => undefined
  const fleet = {
    follow: (to: Sink, signal: AbortSignal) => {
      sink = to
      to({ type: 'listed', objects: fleetOf(size.nodes) })
      return new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
    read: async () => undefined,
  }
  const brake = new Brake({
    fleet,
    configMaps: new MemoryConfigMap(),
    notices: new MemoryNotices(),
    leader: { mayActForMs: () => 60_000 },
    identity: 'bench',
    namespace: 'default',
    limit: { kind: 'percent', percent: 50 },
    returnMs: 1,
    clock,
    random,
    log,
  })
  const running = brake.run(stop.signal).catch((error: unknown) => error)
  await quiet(brake)
  const lines = changeLines(size)
  const before = process.cpuUsage()
  for (const line of lines) {
    const { passes } = brake.status().loop
    tell(sink, line)
    while (brake.status().loop.passes === passes) await new Promise(setImmediate)
  }
  const ms = spentMs(before) / lines.length
  stop.abort(new Error('over'))
  await running
  return ms
}

/** Nothing is due but the next sweep. */
async function quiet(brake: Brake): Promise<void> {
  while (brake.status().decision !== 'settled') await new Promise(setImmediate)
}

/** The same lines read and cached, with no controller. */
export function measureCached(size: { readonly nodes: number; readonly changes: number }): number {
  let sink: Sink = () => undefined
  const cache = new FollowCache<FleetNode>({
    follow: (to) => {
      sink = to
      return new Promise(() => undefined)
    },
    clock,
  })
  void cache.run(new AbortController().signal)
  sink({ type: 'listed', objects: fleetOf(size.nodes) })
  const lines = changeLines(size)
  const before = process.cpuUsage()
  for (const line of lines) tell(sink, line)
  return spentMs(before) / lines.length
}
