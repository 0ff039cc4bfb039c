import process from 'node:process'
import { wallMs } from '../../src/ground/model/time.ts'
import { EDGE_PORT, edge, WHOAMI_PORT, whoami } from '../../src/sim/cluster/article-workloads.ts'
import { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import { turnsOfLoop } from '../../test/support/turns-of-loop.ts'
import { settled, virtualRollFile } from '../../test/support/virtual-roll/article-cluster.ts'
import { VirtualRoll } from '../../test/support/virtual-roll/virtual-roll.ts'
import { spentMs } from './spent-ms.ts'
import type { VirtualRollDocument } from './virtual-document.ts'

const LONGEST_MS = 100 * 3_600_000

/** A roll's own traffic, requests a second. */
const RATE = 10

/** One pod of a service and one of a DaemonSet on each node, a balancer before both, heartbeats of a usual cluster. */
async function clusterOf(nodes: number): Promise<VirtualCluster> {
  const cluster = new VirtualCluster(
    {
      seed: 'bench',
      startAt: wallMs(Date.UTC(2026, 0, 1)),
      nodes,
      darkMs: 500,
      pace: 'usual',
      manifests: [...whoami({ service: 'improved', replicas: Math.max(5, nodes) }), ...edge()],
      balancer: {
        fronts: [
          { backend: 'web', port: 18080, nodePort: WHOAMI_PORT },
          { backend: 'edge', port: 18081, nodePort: EDGE_PORT },
        ],
        check: { interMs: 2_000, fall: 3, rise: 2 },
      },
    },
    turnsOfLoop,
  )
  await settled(cluster)
  return cluster
}

interface Rolled {
  readonly ms: number
  readonly virtualS: number
  readonly outcome: string
}

/** The real engine on the real adapters, from its start to its end. */
async function roll(nodes: number): Promise<Rolled> {
  const cluster = await clusterOf(nodes)
  const { time } = cluster
  const file = virtualRollFile({ rate: RATE, spec: { soak: '1s', baseline: { duration: '1s' } } })
  const { ended } = await new VirtualRoll(cluster, file).begin()
  const [before, begunAt] = [process.cpuUsage(), time.monoMs()]
  const end = await time.settle(ended, LONGEST_MS)
  const ms = spentMs(before)
  cluster.end()
  return { ms, virtualS: Math.round((time.monoMs() - begunAt) / 1_000), outcome: end === 'died' ? end : end.outcome }
}

export async function measureRoll(nodes: number, runs: number): Promise<VirtualRollDocument> {
  const rolls: Rolled[] = []
  for (let run = 0; run < runs; run += 1) rolls.push(await roll(nodes))
  const sorted = rolls.toSorted((a, b) => a.ms - b.ms)
  const { virtualS = 0 } = rolls[0] ?? {}
  return {
    bench: 'virtual.roll',
    nodes,
    ms: sorted[Math.floor(sorted.length / 2)]?.ms ?? 0,
    times: rolls.map(({ ms }) => ms),
    virtualS,
    outcome: [...new Set(rolls.map(({ outcome }) => outcome))].join(', '),
    peakMb: Math.round(process.resourceUsage().maxRSS / 1_024),
  }
}
