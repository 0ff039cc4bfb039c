import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GuardDemoCluster, NodeRow } from '../../../src/demo/guard/guard-demo-actions.ts'
import type { FollowParts } from '../../../src/ground/kube/follow.ts'
import { kubeCluster } from '../../../src/ground/kube/kube-cluster.ts'
import { openApi } from '../../../src/ground/kube/open-cluster.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { systemSoon as soon } from '../../../src/ground/machine/system-soon.ts'
import { systemTimers as timers } from '../../../src/ground/machine/system-timers.ts'
import { EmbeddedCluster } from '../../../src/sim/loopback/embedded-cluster.ts'
import type { LoopbackNet } from '../../../src/sim/loopback/loopback-net.ts'
import { NODE_GUARDS, VOLUME_ATTACHMENTS } from '../../../src/sim/world/api-resource.ts'
import { deleteObject } from '../../../src/sim/world/delete-object.ts'
import type { RollSurroundings } from '../../roll/world.ts'
import { HERE } from '../article-cluster.ts'
import { drainAsKubectl, setCordon } from '../kubectl-drain.ts'
import { nodesReady, until } from '../settling.ts'
import { guardController } from './guard-controller.ts'
import { attachment, GUARD, guardWorkloads } from './guard-workloads.ts'
import { PodsWitness } from './pods-witness.ts'

const NODES = ['n1', 'n2', 'n3', 'n4']
const DRAINED = [
  { name: 'n1', volume: 'pvc-1' },
  { name: 'n2', volume: 'pvc-2' },
]
const WANTED_PORT = 8_080

interface Place {
  readonly net: LoopbackNet
  readonly surroundings: RollSurroundings
}

/** An embedded cluster with storage on each node, and the controller that guards these nodes. `net` is closed with it. */
export async function embeddedGuards({ net, surroundings }: Place, signal: AbortSignal): Promise<GuardDemoCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-demo-'))
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true })
  // Also where there is no time left to wait.
  process.once('exit', removeFolder)
  const stop = new AbortController()
  /** In reverse order. */
  const ends: (() => unknown)[] = [() => process.off('exit', removeFolder), removeFolder, () => net.close()]
  const end = async (): Promise<void> => {
    stop.abort(new Error('the demo is over'))
    for (const one of ends.splice(0).reverse()) await one()
  }
  try {
    const chance = { seed: random.hex(8), token: random.hex(32) }
    const nodes = NODES.map((name) => ({ name }))
    const parts = { ...chance, clock, timers, soon, folder, name: 'demo', net, nodes, darkMs: 0 }
    const cluster = await EmbeddedCluster.open(parts)
    ends.push(() => cluster.end())
    await until(signal, 'nodes that are ready', () => nodesReady(cluster.world, NODES.length))
    const api = await openParts(cluster, surroundings, signal)
    const failed = guardController(api, stop.signal)
    ends.push(() => failed.catch(() => undefined))
    failed.catch(() => undefined)
    cluster.apply(guardWorkloads(await net.freePort(WANTED_PORT), NODES.length))
    cluster.apply(DRAINED.map(({ name, volume }) => attachment(volume, name)))
    const witness = await guardedWitness(cluster, signal)
    ends.push(() => witness.end())
    return { ...clusterOf(cluster, api), seen: witness, failed, end }
  } catch (error) {
    await end()
    throw error
  }
}

async function openParts(
  { kubeconfig }: EmbeddedCluster,
  { env, log, version }: RollSurroundings,
  signal: AbortSignal,
): Promise<FollowParts> {
  const options = { env, clock, random, log, userAgent: `evenkeel/${version}`, kubeconfigPath: kubeconfig }
  return (await openApi(options, signal)).parts
}

/** It begins once every node has its guard, by the pods and by the controller. */
async function guardedWitness({ world }: EmbeddedCluster, signal: AbortSignal): Promise<PodsWitness> {
  const first = new PodsWitness(world.store, NODES, clock)
  try {
    await until(
      signal,
      'a guard on each node',
      () => first.guarded.size === NODES.length && isGuarded(world.store.get(NODE_GUARDS, AT)?.status),
    )
  } finally {
    first.end()
  }
  return new PodsWitness(world.store, NODES, clock)
}

const AT = { namespace: 'default', name: GUARD }

/** As `kubectl wait --for=condition=Ready` sees it. */
const isGuarded = (status: unknown): boolean =>
  statusOf(status).conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true

interface Status {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  readonly nodes?: readonly NodeRow[]
}

const statusOf = (status: unknown): Status => (status ?? {}) as Status

function clusterOf(
  { world, kubeconfig }: EmbeddedCluster,
  api: FollowParts,
): Omit<GuardDemoCluster, 'seen' | 'failed' | 'end'> {
  const cluster = kubeCluster(api, { address: HERE, port: 0 })
  return {
    nodes: NODES,
    drained: DRAINED,
    kubeconfig,
    rows: () => statusOf(world.store.get(NODE_GUARDS, AT)?.status).nodes ?? [],
    drain: async (node, onRefused, signal) => {
      await setCordon(cluster, { node, cordoned: true }, signal)
      await drainAsKubectl({ cluster, clock }, { node, onRefused: ({ name }) => onRefused(name) }, signal)
    },
    detach: (volume) => {
      const old = world.store.get(VOLUME_ATTACHMENTS, { name: volume })
      if (old !== undefined) deleteObject(world, { resource: VOLUME_ATTACHMENTS, old, options: {} })
    },
    uncordon: (node, signal) => setCordon(cluster, { node, cordoned: false }, signal),
  }
}
