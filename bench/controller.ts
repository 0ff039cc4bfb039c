/**
 * What a pass of a controller costs where one thing in a large cluster changes: of the brake, which looks at all nodes, and of a
 * loop with a key for each node. `node bench/controller.ts [NODES]` (5000); all times are of its processor. Prints two lines and JSON.
 */
import process from 'node:process'
import type { ControllerDocument } from './controller/controller-document.ts'
import { measureCached, measureFleet } from './controller/measure-fleet.ts'
import { measureKey, measureQueue } from './controller/measure-key.ts'

const WARM_UP = { nodes: 200, pods: 800, changes: 300 }
const CHANGES = 400

const round = (ms: number): number => Math.round(1_000 * ms) / 1_000

async function measure(size: typeof WARM_UP): Promise<ControllerDocument> {
  const cachedMs = round(measureCached(size))
  const fleetMs = round(await measureFleet(size))
  const queueMs = round(await measureQueue(size))
  const keyMs = round(await measureKey(size))
  return { bench: 'controller', ...size, fleetMs, cachedMs, keyMs, queueMs }
}

const nodes = Number(process.argv[2] ?? 5_000)
await measure(WARM_UP)
const found = await measure({ nodes, pods: 4 * nodes, changes: CHANGES })
process.stdout.write(
  `a pass over ${nodes} cached nodes, one change: ${found.fleetMs} ms; the change cached alone: ${found.cachedMs} ms\n` +
    `a pass of one key of ${nodes} nodes and ${found.pods} pods: ${found.keyMs} ms; the queue alone: ${found.queueMs} ms\n` +
    `${JSON.stringify(found)}\n`,
)
