import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { parse } from 'yaml'
import type { DemoClusterOptions } from '../../../src/demo/demo-actions.ts'
import type { OperatorDemoCluster, RollRow } from '../../../src/demo/operator/operator-demo-actions.ts'
import type { FollowParts } from '../../../src/ground/kube/follow.ts'
import { kubeLeaderLease } from '../../../src/ground/kube/kube-leader-lease.ts'
import { openApi } from '../../../src/ground/kube/open-cluster.ts'
import { Leader } from '../../../src/ground/loop/leader.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { RollLoop } from '../../../src/operator/run/roll-loop.ts'
import { ROLLS } from '../../../src/sim/world/api-resource.ts'
import { MERGE_PATCH, patchObject } from '../../../src/sim/world/patch-object.ts'
import { rollLoopOf } from '../../controller/open-roll-loop.ts'
import { rollActions } from '../../roll/roll-actions.ts'
import type { RollSurroundings } from '../../roll/world.ts'
import { ArticleCluster } from '../article-cluster.ts'
import { INGRESS_NODES } from '../article-nodes.ts'
import { QUIET } from '../ingress/quiet.ts'
import { ROLL_IMAGE, runRollPods } from './roll-pods.ts'

const NAMESPACE = 'evenkeel'
/** The default of `evenkeel controller`. */
const LEASE_MS = 15_000
const TEMPLATE = {
  backoffLimit: 6,
  podReplacementPolicy: 'Failed',
  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'roll', image: ROLL_IMAGE }] } },
}

/** The cluster of the article, with a controller of Rolls in this process, and pods that run rolls in it. */
export async function embeddedRolls(
  options: Pick<DemoClusterOptions, 'balancer' | 'port'>,
  surroundings: RollSurroundings,
  signal: AbortSignal,
): Promise<OperatorDemoCluster> {
  const ground = await ArticleCluster.open({ ...options, plan: 'evenkeel' }, surroundings.env, signal)
  const stop = new AbortController()
  try {
    const { cluster } = ground
    const { spec } = parse(await readFile(ground.rollFile, 'utf8')) as { readonly spec: DemoSpec }
    const broken = Promise.withResolvers<never>()
    runRollPods({ cluster, actions: rollActions(surroundings), namespace: NAMESPACE }, broken.reject)
    const api = await partsOf(cluster.kubeconfig, surroundings, signal)
    const allowed = [
      ...spec.balancers.flatMap(({ instances }) => instances.map(({ socket }) => socket)),
      spec.reboot.command,
    ]
    const failed = Promise.race([controller(api, allowed, stop.signal), broken.promise])
    failed.catch(() => undefined)
    const at = { namespace: NAMESPACE, name: 'demo' }
    const metadata = { ...at }
    // Those that the balancer sends to: a minute is enough for them.
    const nodes = { names: INGRESS_NODES }
    return {
      url: ground.url,
      kubeconfig: cluster.kubeconfig,
      failed,
      apply: () =>
        cluster.apply([
          {
            apiVersion: 'evenkeel.dev/v1alpha1',
            kind: 'Roll',
            metadata,
            spec: { ...spec, nodes, approval: 'perNode' },
          },
        ]),
      row: () => rowOf(cluster.world.store.get(ROLLS, at)?.status),
      patch: (change) => {
        const old = cluster.world.store.get(ROLLS, at)
        if (old === undefined) return
        patchObject(cluster.world, {
          ...{ resource: ROLLS, old, patch: { spec: change } },
          ...{ contentType: MERGE_PATCH, statusOnly: false },
        })
      },
      end: async () => {
        stop.abort(new Error('the demo is over'))
        await failed.catch(() => undefined)
        await ground.end()
      },
    }
  } catch (error) {
    stop.abort(error)
    await ground.end()
    throw error
  }
}

interface DemoSpec {
  readonly balancers: readonly { readonly instances: readonly { readonly socket: string }[] }[]
  readonly reboot: { readonly command: readonly string[] }
}

async function partsOf(
  kubeconfig: string,
  { env, log, version }: RollSurroundings,
  signal: AbortSignal,
): Promise<FollowParts> {
  const options = { env, clock, random, log, userAgent: `evenkeel/${version}`, kubeconfigPath: kubeconfig }
  return (await openApi(options, signal)).parts
}

/** `evenkeel controller --rolls`, in this process, until aborted: then it rejects with the reason of the signal. */
async function controller(
  { client, reach }: FollowParts,
  allowed: readonly unknown[],
  signal: AbortSignal,
): Promise<never> {
  const identity = `${hostname()}_${random.hex(6)}`
  const lease = { namespace: NAMESPACE, name: 'evenkeel-controller' }
  const leader: Leader = new Leader({
    ...{ cluster: kubeLeaderLease(client), clock, random, lease, identity, durationMs: LEASE_MS },
    onChange: () => loop.wake(),
  })
  const place = { client, reach, leader, identity, lease, log: QUIET, options: { grantsNamespace: NAMESPACE } }
  const loop: RollLoop = rollLoopOf(place, { template: TEMPLATE, allowed })
  const led = async (): Promise<never> => {
    const { text } = await leader.run(signal)
    throw new WorldError(`the controller leads no more: ${text}`, { code: 'DEMO_CONTROLLER', retry: 'never' })
  }
  await Promise.all([loop.run(signal), led()])
  throw signal.reason
}

function rowOf(status: unknown): RollRow {
  const fields = (status ?? {}) as Readonly<Record<string, unknown>>
  const count = (name: string): number => Number(fields[name] ?? 0)
  return {
    state: String(fields.state ?? ''),
    nodes: count('nodesTotal'),
    done: count('nodesDone'),
    failed: count('requestsFailed'),
    sent: count('requestsSent'),
    message: String(fields.message ?? ''),
  }
}
