import process from 'node:process'
import { wallMs } from '../../src/ground/model/time.ts'
import { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import { LEASES, NODES, PODS } from '../../src/sim/world/api-resource.ts'
import { Store } from '../../src/sim/world/store.ts'
import { watchObjects } from '../../src/sim/world/watch-objects.ts'
import { turnsOfLoop } from '../../test/support/turns-of-loop.ts'
import { spentMs } from './spent-ms.ts'
import type { EventsDocument } from './virtual-document.ts'

const NODES_COUNT = 1_000
const WARM_UP_MS = 10_000
const EVENTS = 50_000

/** A thousand kubelets that renew their Leases and tell their status; all controllers, and a watcher of each kind. */
export async function measureEvents(): Promise<EventsDocument> {
  const cluster = new VirtualCluster(
    {
      seed: 'bench',
      startAt: wallMs(Date.UTC(2026, 0, 1)),
      nodes: NODES_COUNT,
      darkMs: 500,
      manifests: [],
      balancer: { fronts: [], check: { interMs: 2_000, fall: 3, rise: 2 } },
    },
    turnsOfLoop,
  )
  const { time, world } = cluster
  const { store } = world
  await time.advance(WARM_UP_MS)
  let delivered = 0
  for (const resource of [NODES, PODS, LEASES]) {
    watchObjects(world, { resource, matches: () => true, fromRevision: store.revision }, () => {
      delivered += 1
    })
  }
  const [begunAt, before] = [time.monoMs(), process.cpuUsage()]
  while (delivered < EVENTS) await time.advance(100)
  const ms = spentMs(before)
  cluster.end()
  const bareMs = bare(store, delivered)
  return {
    bench: 'virtual.events',
    events: delivered,
    ms,
    bareMs,
    nodes: NODES_COUNT,
    virtualS: Math.round((time.monoMs() - begunAt) / 1_000),
  }
}

function bare(from: Store, events: number): number {
  const leases = [...from.all(LEASES)]
  const store = new Store()
  const before = process.cpuUsage()
  for (let i = 0; i < events; i += 1) {
    const lease = leases[i % leases.length]
    if (lease !== undefined) store.put(LEASES, lease)
  }
  return spentMs(before)
}
