import assert from 'node:assert/strict'
import { isReady, type PodObject } from '../../../src/sim/actors/pod-object.ts'
import { DISRUPTION_BUDGETS, PODS } from '../../../src/sim/world/api-resource.ts'
import { deleteObject } from '../../../src/sim/world/delete-object.ts'
import type { GuardGround } from '../virtual-guard/guard-ground.ts'
import { volumeAttachment } from '../virtual-guard/guard-manifests.ts'
import { appOn, barePod, daemonSet, podBudget } from './explain-manifests.ts'
import type { Situation } from './situation.ts'

const podsOf = (ground: GuardGround, app: string): readonly PodObject[] =>
  ground.pods().filter(({ metadata }) => metadata.labels?.app === app)

async function running(ground: GuardGround, app: string, count = 1): Promise<string> {
  await ground.until(`${app} to run`, () => podsOf(ground, app).filter(isReady).length === count)
  return `default/${podsOf(ground, app)[0]?.metadata.name}`
}

const allowed = (ground: GuardGround, name: string, of: number): Promise<void> =>
  ground.until(`budget ${name} to be computed`, () => {
    const budget = ground.cluster.world.store.get(DISRUPTION_BUDGETS, { namespace: 'default', name })
    return (budget?.status as { readonly expectedPods?: number } | undefined)?.expectedPods === of
  })

function deletePod(ground: GuardGround, name: string): void {
  const old = ground.cluster.world.store.get(PODS, { namespace: 'default', name })
  assert.ok(old)
  deleteObject(ground.cluster.world, { resource: PODS, old, options: {} })
}

/** Nodes that are drained, and pods that leave or do not. */
export const DRAINS: readonly Situation[] = [
  {
    name: 'a node in service with nothing wrong',
    arrange: async (ground) => {
      ground.apply(appOn('n1', 'api'))
      await running(ground, 'api')
      return 'node n1'
    },
    state: 'InService',
    verdict: /^n1 is in service; nothing takes it out$/,
    code: 'NodeReady',
  },
  {
    name: 'a cordoned node whose pods may all leave',
    arrange: async (ground) => {
      ground.apply(appOn('n1', 'api', { replicas: 2 }))
      await running(ground, 'api', 2)
      ground.cordon('n1', true)
      return 'node n1'
    },
    state: 'Draining',
    verdict: /^n1 is cordoned; nothing keeps its 2 pods there, and nothing that is seen evicts them$/,
    code: 'MayLeave',
    evidence: /^a dry run of 2 of these evictions was accepted$/,
    next: /^kubectl uncordon n1$/,
  },
  {
    name: 'a budget that never allows an eviction',
    arrange: async (ground) => {
      ground.apply(appOn('n1', 'api', { replicas: 2 }))
      ground.apply(podBudget('api', 'api', { maxUnavailable: 0 }))
      await running(ground, 'api', 2)
      await allowed(ground, 'api', 2)
      ground.cordon('n1', true)
      return 'node n1'
    },
    state: 'Draining',
    verdict:
      /^n1 is cordoned and waits for 2 pods: default\/api-\S+ cannot be evicted, because budget default\/api needs 2 healthy pods and has 2 of 2; it allows no eviction at all/,
    code: 'BudgetExhausted',
    evidence:
      /^budget default\/api: maxUnavailable 0 of 2 pods, so 2 must be healthy; 2 are healthy now, so 0 may be away$/,
    next: /^kubectl -n default edit poddisruptionbudget api$/,
  },
  {
    name: 'the same budget of a pod in service',
    arrange: async (ground) => {
      ground.apply(appOn('n1', 'api'))
      ground.apply(podBudget('api', 'api', { minAvailable: 1 }))
      const ref = await running(ground, 'api')
      await allowed(ground, 'api', 1)
      return `pod ${ref}`
    },
    state: 'Runs',
    verdict:
      /^default\/api-\S+ runs on n1; nothing asks it to leave, and it could not: .* needs 1 healthy pod and has 1 of 1/,
    code: 'BudgetExhausted',
    evidence: /^a dry run of its eviction was refused with HTTP 429, because of a disruption budget$/,
    next: /^kubectl -n default edit poddisruptionbudget api$/,
  },
  {
    name: 'a budget that waits for a pod that is not healthy',
    arrange: async (ground) => {
      ground.apply(appOn('n1', 'api', { replicas: 2 }))
      ground.apply(appOn('n2', 'api-late', { env: { START_DELAY: '1h' } }))
      ground.apply(
        podBudget('all', 'none', {
          minAvailable: 2,
          selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['api', 'api-late'] }] },
        }),
      )
      await running(ground, 'api', 2)
      await allowed(ground, 'all', 3)
      ground.cordon('n1', true)
      return 'node n1'
    },
    state: 'Draining',
    verdict: /^n1 is cordoned and waits for 2 pods: .*budget default\/all needs 2 healthy pods and has 2 of 3$/,
    code: 'BudgetExhausted',
    next: /^kubectl -n default get pods -o wide -l 'app in \(api,api-late\)'$/,
  },
  {
    name: 'two budgets over one pod',
    arrange: async (ground) => {
      ground.apply(appOn('n1', 'api'))
      ground.apply(podBudget('one', 'api', { maxUnavailable: 1 }))
      ground.apply(podBudget('other', 'api', { maxUnavailable: 1 }))
      const ref = await running(ground, 'api')
      await allowed(ground, 'other', 1)
      ground.cordon('n1', true)
      return `pod ${ref}`
    },
    state: 'Blocked',
    verdict:
      /^default\/api-\S+ is to leave n1, which is cordoned, and is held up: .* is under budget default\/one .* and budget default\/other/,
    code: 'TwoBudgets',
    evidence: /^a dry run of its eviction was refused with HTTP 500: more than one budget$/,
    next: /^kubectl -n default edit poddisruptionbudget one$/,
  },
  {
    name: 'a pod without a controller',
    arrange: async (ground) => {
      ground.apply(barePod('n1', 'bare'))
      await running(ground, 'bare')
      ground.cordon('n1', true)
      return 'node n1'
    },
    state: 'Draining',
    verdict: /^n1 is cordoned and waits for 1 pod: default\/bare has no controller that would replace it/,
    code: 'PodUnmanaged',
    next: /^kubectl -n default delete pod bare$/,
  },
  {
    name: 'a pod of a DaemonSet',
    arrange: async (ground) => {
      ground.apply(daemonSet('log'))
      await running(ground, 'log', 3)
      ground.cordon('n1', true)
      return `pod default/${podsOf(ground, 'log').find(({ spec }) => spec.nodeName === 'n1')?.metadata.name}`
    },
    state: 'Stays',
    verdict: /is of DaemonSet default\/log, which would start it again on n1 immediately/,
    code: 'DaemonSetPod',
    next: /drain\.daemonSets/,
  },
  {
    name: 'a static pod',
    arrange: async (ground) => {
      ground.apply(barePod('n1', 'static', { annotations: { 'kubernetes.io/config.mirror': 'x' } }))
      await running(ground, 'static')
      return 'pod static -n default'
    },
    state: 'Stays',
    verdict: /^default\/static is a static pod: the kubelet of n1 runs it from a file/,
    code: 'MirrorPod',
    next: /its file is taken away on n1/,
  },
  {
    name: 'a pod in its grace',
    arrange: async (ground) => {
      const slow = { env: { STOP: 'graceful', GRACE: '10m' }, spec: { terminationGracePeriodSeconds: 600 } }
      ground.apply(barePod('n1', 'slow', {}, slow))
      await running(ground, 'slow')
      ground.cordon('n1', true)
      deletePod(ground, 'slow')
      await ground.cluster.time.advance(2_000)
      return 'node n1'
    },
    state: 'Draining',
    verdict: /^n1 is cordoned and waits for 1 pod: default\/slow is leaving, and may take 9 min \d+ s more$/,
    code: 'PodLeaving',
    evidence: /grace 600 s/,
  },
  {
    name: 'a pod that a finalizer keeps',
    arrange: async (ground) => {
      ground.apply(barePod('n1', 'kept', { finalizers: ['example.com/audit'] }))
      await running(ground, 'kept')
      deletePod(ground, 'kept')
      await ground.cluster.time.advance(20_000)
      return 'pod default/kept'
    },
    state: 'Leaving',
    verdict: /^default\/kept has ended and is kept by its finalizer example\.com\/audit$/,
    code: 'PodFinalizer',
    next: /^the program that owns example\.com\/audit removes it/,
  },
  {
    name: 'a pod on a node that does not report',
    arrange: async (ground) => {
      ground.apply(barePod('n1', 'lost'))
      await running(ground, 'lost')
      ground.cluster.machines.get('n1')?.powerCut()
      await ground.until('n1 to be NotReady', () => !ground.readyNodes().includes('n1'))
      deletePod(ground, 'lost')
      return 'pod default/lost'
    },
    state: 'Leaving',
    verdict: /^default\/lost is being deleted, and n1 is not Ready, so no kubelet says that it has ended$/,
    code: 'NodeUnreachable',
    next: /^kubectl describe node n1$/,
  },
  {
    name: 'a node that does not report',
    arrange: async (ground) => {
      ground.cluster.machines.get('n1')?.powerCut()
      await ground.until('n1 to be NotReady', () => !ground.readyNodes().includes('n1'))
      return 'node n1'
    },
    state: 'NotReady',
    verdict: /^n1 serves nothing: n1 is not Ready since \S+: /,
    code: 'NodeNotReady',
    evidence: /^condition Ready is Unknown/,
    next: /^kubectl describe node n1$/,
  },
  {
    name: 'a volume that stays attached after its pod has left',
    arrange: async (ground) => {
      ground.apply(volumeAttachment('a', 'n1'))
      ground.cordon('n1', true)
      return 'node n1'
    },
    state: 'Draining',
    verdict: /volume pv-a is still attached to n1 \(driver\.example\.com\), and no pod on n1 uses it$/,
    code: 'VolumeAttached',
    next: /^kubectl describe volumeattachment a$/,
  },
]
