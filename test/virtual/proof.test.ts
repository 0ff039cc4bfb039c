import assert from 'node:assert/strict'
import { controllerOf, isReady, type PodObject } from '../../src/sim/actors/pod-object.ts'
import type { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import { NODES, PODS } from '../../src/sim/world/api-resource.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { articleCluster, virtualRollFile } from '../support/virtual-roll/article-cluster.ts'
import type { EngineRequest } from '../support/virtual-roll/engine-request.ts'
import { VirtualRoll } from '../support/virtual-roll/virtual-roll.ts'

const test = simulationTest(import.meta.url)

const LIMIT_MS = 600_000
const LOOK_MS = 50
const NODE = 'n1'

interface Uncordoned {
  /** From the new boot id on. */
  readonly afterMs: number
  /** Pods of DaemonSets that were not Ready with containers of the new boot at that moment. */
  readonly notBack: readonly string[]
}

interface Course {
  /** While the machine is off. */
  readonly whenOff?: (cluster: VirtualCluster) => void
  /** How long after the new boot id the process is killed, and another one goes on. */
  readonly killAfterMs?: number
}

/** Rolls one node, and says how its uncordon came about. */
async function rolled({ whenOff, killAfterMs }: Course = {}): Promise<Uncordoned> {
  const cluster = await articleCluster({ darkMs: 2_000 })
  const { time } = cluster
  const oldBoot = shownBoot(cluster)
  let before: ReadonlySet<string> = new Set()
  let bootedAt: number | undefined
  let uncordoned: Uncordoned | undefined
  const roll = new VirtualRoll(
    cluster,
    virtualRollFile({ spec: { nodes: { names: [NODE] }, drain: {}, soak: '1s' } }),
    {
      witness: (request) => {
        if (isUncordon(request)) {
          const afterMs = time.monoMs() - (bootedAt ?? Number.NaN)
          uncordoned ??= { afterMs, notBack: daemonsNotBack(cluster, before) }
        }
        return undefined
      },
    },
  )
  let engine = await roll.begin()
  let isOff = false
  const startedAt = time.monoMs()
  while (uncordoned === undefined) {
    assert.ok(time.monoMs() - startedAt < LIMIT_MS, 'it is not uncordoned')
    if (!isOff && cluster.machines.get(NODE)?.isOn === false) {
      isOff = true
      whenOff?.(cluster)
      before = containersOf(cluster)
    }
    if (bootedAt === undefined && shownBoot(cluster) !== oldBoot) bootedAt = time.monoMs()
    if (killAfterMs !== undefined && bootedAt !== undefined && time.monoMs() - bootedAt === killAfterMs) {
      engine.kill()
      engine = roll.resume()
    }
    await time.advance(LOOK_MS)
  }
  engine.kill()
  cluster.end()
  return uncordoned
}

const shownBoot = ({ world }: VirtualCluster): string | undefined =>
  (world.store.get(NODES, { name: NODE }) as { status?: { nodeInfo?: { bootID?: string } } } | undefined)?.status
    ?.nodeInfo?.bootID

const daemonPods = ({ world }: VirtualCluster): readonly PodObject[] =>
  ([...world.store.all(PODS)] as PodObject[]).filter(
    (pod) => pod.spec.nodeName === NODE && controllerOf(pod)?.kind === 'DaemonSet',
  )

const idsOf = (pod: PodObject): readonly string[] =>
  (pod.status?.containerStatuses ?? []).map(({ containerID }) => containerID)

const containersOf = (cluster: VirtualCluster): ReadonlySet<string> => new Set(daemonPods(cluster).flatMap(idsOf))

const daemonsNotBack = (cluster: VirtualCluster, before: ReadonlySet<string>): readonly string[] =>
  daemonPods(cluster)
    .filter((pod) => !isReady(pod) || idsOf(pod).some((id) => before.has(id)))
    .map(({ metadata }) => metadata.name)

const isUncordon = (request: EngineRequest): boolean =>
  request.kind === 'api' &&
  request.request.method === 'PATCH' &&
  Array.isArray(request.request.body) &&
  request.request.body.some(
    ({ op, path, value }: { op: string; path: string; value?: unknown }) =>
      op === 'add' && path === '/spec/unschedulable' && value === false,
  )

/** As if each had restarted after the record was written, and its last word before the reboot were that it is Ready. */
function restartDaemons(cluster: VirtualCluster): void {
  for (const pod of daemonPods(cluster)) {
    const containerStatuses = (pod.status?.containerStatuses ?? []).map((status) => ({
      ...status,
      containerID: `${status.containerID}-restarted`,
    }))
    cluster.world.store.put(PODS, { ...pod, status: { ...pod.status, containerStatuses } } as PodObject)
  }
}

test('a node is uncordoned as soon as its DaemonSets run anew: no heartbeat is waited for', async () => {
  const { afterMs, notBack } = await rolled()
  assert.deepEqual(notBack, [])
  assert.ok(afterMs > 1_000 && afterMs < 5_000, `${afterMs} ms`)
})

test('a container that restarted just before the reboot, and reads Ready still, proves nothing', async () => {
  const { afterMs, notBack } = await rolled({ whenOff: restartDaemons })
  assert.deepEqual(notBack, [])
  assert.ok(afterMs < 5_000, `${afterMs} ms`)
})

test('a process that begins while they read Ready from before proves nothing by them', async () => {
  const { notBack } = await rolled({ whenOff: restartDaemons, killAfterMs: 100 })
  assert.deepEqual(notBack, [])
})

test('a process that begins when all of them run anew goes by the next heartbeat', async () => {
  const { afterMs, notBack } = await rolled({ killAfterMs: 1_000 })
  assert.deepEqual(notBack, [])
  assert.ok(afterMs < 15_000, `${afterMs} ms`)
})
