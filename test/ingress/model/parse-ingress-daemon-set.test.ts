import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import type { IngressSpec } from '../../../src/ingress/model/ingress-daemon-set.ts'
import { parseIngressDaemonSet } from '../../../src/ingress/model/parse-ingress-daemon-set.ts'

const TEMPLATE = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web' }] } }
const METADATA = { namespace: 'edge', name: 'web', uid: 'u1', resourceVersion: '7' }

const parse = parseIngressDaemonSet('evenkeel.dev')
const read = (object: object) => parse(new Untrusted(object, 'object'))
const specOf = (spec: object): IngressSpec => read({ metadata: METADATA, spec: { template: TEMPLATE, ...spec } }).spec
const rolling = (rollingUpdate: object): IngressSpec => specOf({ updateStrategy: { rollingUpdate } })
const strategyOf = (fields: object): IngressSpec['strategy'] => rolling(fields).strategy
const count = (n: number) => ({ kind: 'count', count: n })
const percent = (n: number) => ({ kind: 'percent', percent: n })

test('what an object does not say is filled in', () => {
  assert.deepEqual(read({ metadata: METADATA, spec: { template: TEMPLATE } }), {
    group: 'evenkeel.dev',
    ...METADATA,
    generation: 0,
    labels: {},
    finalizers: [],
    deleting: false,
    spec: {
      podsPerNode: 1,
      minReadyPodsPerNode: 1,
      minReadySeconds: 0,
      nodeSelector: {},
      selector: {},
      healthCheckNodePorts: [],
      healthChecker: { imagePullPolicy: 'IfNotPresent', serviceAccountName: 'default' },
      strategy: {
        kind: 'inPlace',
        maxDegradedNodes: count(1),
        maxUnavailablePods: count(1),
        maxSurgedPods: count(0),
      },
      detach: {
        deployment: { key: 'ingressdaemonsets.mumoshu.github.com/to-be-updated', value: '', graceMs: 10_000 },
        timeoutMs: 600_000,
        onTimeout: 'Pause',
        attachGraceMs: 10_000,
      },
      rollout: {
        paused: false,
        partition: 0,
        failureThreshold: 1,
        autoRollback: false,
        progressDeadlineMs: 600_000,
        minInServiceNodes: 1,
        zoneKey: 'topology.kubernetes.io/zone',
        replaceUnavailableFirst: false,
      },
      onCordon: 'Detach',
      drainGate: 'Closed',
      placement: 'Affinity',
      revisionHistoryLimit: 10,
      template: { object: TEMPLATE, labels: { app: 'web' }, hostNetwork: false },
    },
  })
})

test('an object is known by its metadata', () => {
  const metadata = {
    ...METADATA,
    generation: 3,
    labels: { team: 'edge' },
    finalizers: ['evenkeel.dev/ingress'],
    deletionTimestamp: '2026-03-01T12:00:00Z',
  }
  const { generation, labels, finalizers, deleting } = read({ metadata, spec: { template: TEMPLATE } })
  assert.deepEqual([generation, labels, finalizers, deleting], [3, { team: 'edge' }, ['evenkeel.dev/ingress'], true])
})

test('as many pods have to be ready as there are, where nothing is said', () => {
  assert.equal(specOf({ podsPerNode: 3 }).minReadyPodsPerNode, 3)
  assert.equal(specOf({ podsPerNode: 3, minReadyPodsPerNode: 2 }).minReadyPodsPerNode, 2)
})

test('a budget of detached nodes has them detached', () => {
  assert.deepEqual(strategyOf({ maxUnavailableNodes: 2 }), { kind: 'detach', maxUnavailableNodes: count(2) })
  assert.deepEqual(strategyOf({ maxUnavailableNodes: '25%', maxDegradedNodes: 0 }), {
    kind: 'detach',
    maxUnavailableNodes: percent(25),
  })
})

test('without it pods are replaced in place', () => {
  assert.deepEqual(
    strategyOf({
      maxUnavailableNodes: '0%',
      maxDegradedNodes: '10%',
      maxUnavailablePodsPerNode: 0,
      maxSurgedPodsPerNode: '50%',
    }),
    {
      kind: 'inPlace',
      maxDegradedNodes: percent(10),
      maxUnavailablePods: count(0),
      maxSurgedPods: percent(50),
    },
  )
})

test('a misspelt name is read as the right one', () => {
  for (const name of ['maxUnavaiablePodsPerNode', 'maxUnavailablePodsPerNodes', 'maxUnavailablePodsPerNode'])
    assert.deepEqual(strategyOf({ [name]: 3 }), { ...strategyOf({}), maxUnavailablePods: count(3) })
})

test('two budgets at once are read as the one that detaches', () => {
  assert.equal(strategyOf({ maxUnavailableNodes: 2, maxDegradedNodes: 3 }).kind, 'detach')
})

test('what is waited for is read in milliseconds', () => {
  const { detach, rollout } = specOf({
    progressDeadlineSeconds: 900,
    updateStrategy: {
      rollingUpdate: {
        maxUnavailableNodes: 1,
        annotateDeploymentToDetach: { key: 'a', value: 'b', gracePeriodSeconds: 0 },
        annotateNodeToDetach: { key: 'c=x=y' },
        waitForDetachmentByAnnotatedTimestamp: { key: 'd', gracePeriodSeconds: 30 },
        detachTimeoutSeconds: 60,
        detachTimeoutPolicy: 'Proceed',
        attachGraceSeconds: 5,
        canary: { nodeSelector: { canary: 'true' } },
      },
    },
  })
  assert.deepEqual(detach, {
    deployment: { key: 'a', value: 'b', graceMs: 0 },
    node: { key: 'c', value: 'x=y', graceMs: 10_000 },
    acknowledgement: { key: 'd', graceMs: 30_000 },
    timeoutMs: 60_000,
    onTimeout: 'Proceed',
    attachGraceMs: 5_000,
  })
  assert.equal(rollout.progressDeadlineMs, 900_000)
  assert.deepEqual(rollout.canary, { canary: 'true' })
})

test('what makes no sense is refused by the name of its field', () => {
  assert.throws(() => specOf({ template: undefined }), /object\.spec\.template is missing/)
  assert.throws(() => specOf({ podsPerNode: 'two' }), /object\.spec\.podsPerNode is not an integer/)
  assert.throws(() => specOf({ onCordon: 'Wait' }), /onCordon is not one of Detach, DetachAndScaleDown, Ignore/)
  assert.throws(() => strategyOf({ maxUnavailableNodes: 'all' }), /maxUnavailableNodes is neither a number nor a per/)
})
