import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runDeploymentController } from '../../../src/sim/actors/deployment-controller.ts'
import { runDisruptionController } from '../../../src/sim/actors/disruption-controller.ts'
import { isGoing, type PodObject } from '../../../src/sim/actors/pod-object.ts'
import { runReplicaSetController } from '../../../src/sim/actors/replica-set-controller.ts'
import { runScheduler } from '../../../src/sim/scheduler/scheduler.ts'
import { ApiFailure } from '../../../src/sim/world/api-failure.ts'
import { DEPLOYMENTS, DISRUPTION_BUDGETS, PODS } from '../../../src/sim/world/api-resource.ts'
import type { BudgetObject } from '../../../src/sim/world/budget-object.ts'
import { evictPod } from '../../../src/sim/world/evict-pod.ts'
import { ControlledWorld } from './controlled-world.ts'

const APART = {
  topologyKey: 'kubernetes.io/hostname',
  labelSelector: { matchLabels: { app: 'guard' } },
}

const template = (image: string) => ({
  metadata: { labels: { app: 'guard' } },
  spec: {
    containers: [{ name: 'app', image }],
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [APART] } },
  },
})

/** Three replicas, one on each node, under a budget. */
async function guarded(budget: object): Promise<ControlledWorld> {
  const cluster = new ControlledWorld(['n1', 'n2', 'n3'])
  for (const run of [runDeploymentController, runReplicaSetController, runScheduler, runDisruptionController]) {
    run(cluster)
  }
  cluster.apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'guard' },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'guard' } },
      template: template('guard:1'),
      strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    },
  })
  cluster.apply({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'guard' },
    spec: { selector: { matchLabels: { app: 'guard' } }, ...budget },
  })
  await cluster.settle()
  assert.deepEqual(cluster.placesOf('guard'), ['n1', 'n2', 'n3'])
  return cluster
}

const onNode = (cluster: ControlledWorld, node: string): PodObject => {
  const pod = cluster.pods('guard').find(({ spec }) => spec.nodeName === node)
  assert.ok(pod)
  return pod
}

/** `ok`, or the code and what the budget's cause says. */
function evicted(cluster: ControlledWorld, pod: PodObject): string {
  try {
    evictPod(cluster.world, { pod, options: {} })
    return 'ok'
  } catch (error) {
    assert.ok(error instanceof ApiFailure)
    return `${error.code} ${error.details?.causes?.[0]?.message ?? error.message}`
  }
}

const numbers = (cluster: ControlledWorld): readonly unknown[] => {
  const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = cluster.get<BudgetObject>(
    DISRUPTION_BUDGETS,
    'guard',
  ).status
  return [expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed]
}

const STALE = '429 The disruption budget guard is still being processed by the server.'

test('a budget that lets none go lets one go once its new spec was observed, and not a moment before', async () => {
  const cluster = await guarded({ maxUnavailable: 0 })
  assert.deepEqual(numbers(cluster), [3, 3, 3, 0])
  const first = onNode(cluster, 'n1')
  assert.equal(evicted(cluster, first), '429 The disruption budget guard needs 3 healthy pods and has 3 currently')
  cluster.patch(DISRUPTION_BUDGETS, 'guard', { spec: { maxUnavailable: 1 } })
  assert.equal(evicted(cluster, first), STALE)
  await cluster.after(100)
  assert.deepEqual(numbers(cluster), [3, 2, 3, 1])
  assert.equal(evicted(cluster, first), 'ok')
  assert.equal(
    evicted(cluster, onNode(cluster, 'n2')),
    '429 The disruption budget guard needs 2 healthy pods and has 3 currently',
  )
})

test('a share of a Deployment counts what the Deployment wants, also while one of its pods waits for a node', async () => {
  const cluster = await guarded({ maxUnavailable: 1 })
  cluster.patch(DEPLOYMENTS, 'guard', { spec: { replicas: 4 } })
  await cluster.settle()
  assert.deepEqual(cluster.placesOf('guard'), ['-', 'n1', 'n2', 'n3'])
  assert.deepEqual(numbers(cluster), [4, 3, 3, 0])
  const waiting = cluster.pods('guard').find(({ spec }) => spec.nodeName === undefined)
  assert.ok(waiting)
  assert.equal(evicted(cluster, waiting), 'ok', 'a pod that is Pending goes whatever its budget says')
})

test('in a rollout a budget counts the replicas of the Deployment once, and not those of both ReplicaSets', async () => {
  const surge = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
  const cluster = await guarded({ maxUnavailable: 1 })
  cluster.patch(DEPLOYMENTS, 'guard', { spec: { ...surge, template: template('guard:2') } })
  await cluster.settle()
  assert.deepEqual(cluster.placesOf('guard'), ['-', 'n1', 'n2', 'n3'])
  assert.deepEqual(numbers(cluster), [3, 2, 3, 1])
})

test('a pod that is on its way out goes again whatever its budget says', async () => {
  const cluster = await guarded({ maxUnavailable: 1 })
  const { name } = onNode(cluster, 'n1').metadata
  assert.equal(evicted(cluster, cluster.get<PodObject>(PODS, name)), 'ok')
  const going = cluster.get<PodObject>(PODS, name)
  assert.ok(isGoing(going))
  await cluster.after(100)
  assert.deepEqual(numbers(cluster)[3], 0)
  assert.equal(evicted(cluster, going), 'ok')
})

test('a pod that is not Ready stays while its budget is short of healthy ones, and goes where the others are enough', async () => {
  const cluster = await guarded({ maxUnavailable: 0 })
  cluster.setReady(onNode(cluster, 'n1'), false)
  await cluster.after(100)
  assert.equal(
    evicted(cluster, onNode(cluster, 'n1')),
    '429 The disruption budget guard needs 3 healthy pods and has 2 currently',
  )
  cluster.patch(DISRUPTION_BUDGETS, 'guard', { spec: { maxUnavailable: 1 } })
  await cluster.after(100)
  assert.equal(evicted(cluster, onNode(cluster, 'n1')), 'ok')
})
