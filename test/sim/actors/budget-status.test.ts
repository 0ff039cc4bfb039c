import assert from 'node:assert/strict'
import { test } from 'node:test'
import { budgetStatus, type GuardedPod } from '../../../src/sim/actors/budget-status.ts'
import type { BudgetObject } from '../../../src/sim/world/budget-object.ts'

const meta = (name: string) => ({
  name,
  namespace: 'default',
  uid: name,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
})

const budget = (spec: Omit<BudgetObject['spec'], 'selector'>, status: BudgetObject['status'] = {}): BudgetObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { ...meta('web'), generation: 3 },
  spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  status,
})

const pod = (name: string, { ready = true, phase = 'Running', going = false } = {}): GuardedPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...meta(name), labels: { app: 'web' }, ...(going ? { deletionTimestamp: '2026-01-01T00:01:00Z' } : {}) },
  status: { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
})

const AT = Date.parse('2026-01-01T00:01:00Z')
const numbers = (status: BudgetObject['status']) => [
  status.expectedPods,
  status.desiredHealthy,
  status.currentHealthy,
  status.disruptionsAllowed,
]

interface Row {
  readonly says: string
  readonly spec: Omit<BudgetObject['spec'], 'selector'>
  readonly pods: readonly GuardedPod[]
  readonly replicas?: number
  /** expected, desired, healthy, allowed */
  readonly numbers: readonly number[]
}

const three = [pod('a'), pod('b'), pod('c')]

const ROWS: readonly Row[] = [
  { says: 'a number that must be there', spec: { minAvailable: 2 }, pods: three, numbers: [3, 2, 3, 1] },
  {
    says: 'a share that must be there, rounded up',
    spec: { minAvailable: '50%' },
    pods: three,
    replicas: 3,
    numbers: [3, 2, 3, 1],
  },
  {
    says: 'a number that may be missing',
    spec: { maxUnavailable: 1 },
    pods: three,
    replicas: 3,
    numbers: [3, 2, 3, 1],
  },
  {
    says: 'a share that may be missing, rounded up',
    spec: { maxUnavailable: '34%' },
    pods: three,
    replicas: 3,
    numbers: [3, 1, 3, 2],
  },
  {
    says: 'more wanted than there are',
    spec: { maxUnavailable: 1 },
    pods: [pod('a')],
    replicas: 3,
    numbers: [3, 2, 1, 0],
  },
  {
    says: 'a pod that is not Ready does not count',
    spec: { minAvailable: 2 },
    pods: [pod('a'), pod('b'), pod('c', { ready: false })],
    numbers: [3, 2, 2, 0],
  },
  {
    says: 'a terminating pod does not count',
    spec: { minAvailable: 1 },
    pods: [pod('a'), pod('b', { going: true })],
    numbers: [2, 1, 1, 0],
  },
  {
    says: 'a pod that has ended is expected, and not healthy',
    spec: { minAvailable: 1 },
    pods: [pod('a'), pod('b', { phase: 'Succeeded', ready: false })],
    numbers: [2, 1, 1, 0],
  },
  { says: 'no pods allow nothing', spec: { minAvailable: 0 }, pods: [], numbers: [0, 0, 0, 0] },
]

for (const { says, spec, pods, replicas = 0, numbers: expected } of ROWS) {
  test(`a budget is worked out: ${says}`, () => {
    const status = budgetStatus({ budget: budget(spec), pods, expected: () => replicas, nowMs: AT })
    assert.deepEqual(numbers(status), expected)
    assert.equal(status.observedGeneration, 3)
    assert.equal(status.conditions?.[0]?.status, (expected[3] ?? 0) > 0 ? 'True' : 'False')
  })
}

test('an eviction that was granted counts until its pod goes, or for two minutes', () => {
  const at = (time: string) => ({ disruptedPods: { a: time } })
  const status = (time: string) =>
    budgetStatus({ budget: budget({ minAvailable: 1 }, at(time)), pods: three, expected: () => 3, nowMs: AT })
  assert.deepEqual(numbers(status('2026-01-01T00:00:30Z')), [3, 1, 2, 1])
  assert.deepEqual(status('2026-01-01T00:00:30Z').disruptedPods, { a: '2026-01-01T00:00:30Z' })
  assert.deepEqual(numbers(status('2025-12-31T23:58:59Z')), [3, 1, 3, 2])
  assert.equal(status('2025-12-31T23:58:59Z').disruptedPods, undefined)
})

test('a budget that cannot be worked out allows nothing, says why, and stays behind its spec', () => {
  const unscalable = () => ({ unscalable: 'Node does not implement the scale subresource' })
  const status = budgetStatus({
    budget: budget({ maxUnavailable: 1 }, { observedGeneration: 2 }),
    pods: three,
    expected: unscalable,
    nowMs: AT,
  })
  assert.deepEqual([status.disruptionsAllowed, status.observedGeneration], [0, 2])
  assert.deepEqual(status.conditions?.[0], {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'SyncFailed',
    message: 'Node does not implement the scale subresource',
    lastTransitionTime: '2026-01-01T00:01:00Z',
  })
})
