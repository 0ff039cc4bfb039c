import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { IngressGroup } from '../../../src/ground/model/ingress-keys.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import { crossCheck } from '../../../src/ingress/decide/cross-check.ts'
import { type CheckedIngress, ingressKind } from '../../../src/ingress/decide/ingress-kind.ts'
import type { Neighbours, PortService } from '../../../src/ingress/decide/neighbours.ts'
import { standsBefore, wasCarried } from '../../../src/ingress/decide/precedence.ts'

interface Made {
  readonly group?: IngressGroup
  readonly namespace?: string
  /** Seconds of the first minute of 2026. */
  readonly second?: number
  readonly generation?: number
  readonly status?: Json
}

/** An IngressDaemonSet as it is stored; `labels` of its pods are `app: NAME`. */
const stored = (name: string, spec: Json = {}, made: Made = {}): Json => {
  const { group = 'evenkeel.dev', namespace = 'default', second = 0, generation = 1, status } = made
  const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } }
  return {
    apiVersion: `${group}/v1alpha1`,
    kind: 'IngressDaemonSet',
    metadata: {
      ...{ name, namespace, generation, uid: `uid-${group}-${name}`, resourceVersion: '1' },
      creationTimestamp: `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`,
    },
    spec: { template, ...spec },
    ...(status === undefined ? {} : { status }),
  }
}

/** The status of one that the controller carries at that generation; `refusal`: its condition Stalled has that reason. */
const carriedAt = (observedGeneration: number, refusal?: string): Json => ({
  observedGeneration,
  conditions:
    refusal === undefined
      ? []
      : [{ type: 'Stalled', status: 'True', reason: refusal, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }],
})

const checked = (object: Json): CheckedIngress => {
  const group = String(object.apiVersion).split('/')[0] as IngressGroup
  return ingressKind(group).parse(new Untrusted(object, 'object'))
}

/** `n1 pool=edge`: a Ready Node with that label. */
const nodesOf = (...lines: readonly string[]): readonly Node[] =>
  lines.map((line) => {
    const [name = '', ...labels] = line.split(' ')
    return {
      ...{ name, uid: `uid-${name}`, resourceVersion: '1', annotations: {}, unschedulable: false, taints: [] },
      ...{ ready: 'True', heartbeat: '', bootId: '', internalAddresses: [], volumesAttached: [] },
      labels: Object.fromEntries(labels.map((label) => label.split('=') as [string, string])),
    }
  })

const service = (name: string, ports: Partial<PortService>): PortService => ({
  ...{ namespace: 'default', name, uid: `uid-${name}`, resourceVersion: '1', nodePorts: [] },
  createdAt: wallMs(0),
  ...ports,
})

const around = (parts: Partial<Neighbours>): Neighbours => ({
  ...{ objects: [], services: [], budgets: [], nodes: nodesOf('n1', 'n2', 'n3') },
  ...parts,
})

type Json = Readonly<Record<string, unknown>>

const HEALTH = { healthCheckNodePorts: [10_080] }
const EDGE = { nodeSelector: { pool: 'edge' } }
const template = (name: string, podSpec: Json, labels: Json = {}): Json => ({
  template: {
    metadata: { labels: { app: name, ...labels } },
    spec: { containers: [{ name: 'web', image: 'web:1' }], ...podSpec },
  },
})
const listening = (port: Json): Json => ({ containers: [{ name: 'web', image: 'web:1', ports: [port] }] })
const selecting = (name: string, labels: Json = {}): Json => ({
  selector: { matchLabels: { app: 'shop' } },
  ...template(name, {}, { app: 'shop', ...labels }),
})
const rolling = (rollingUpdate: Json): Json => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } })
const budget = (selector: Json, namespace = 'default') => ({
  ...{ namespace, name: 'old', uid: 'uid-old', resourceVersion: '1' },
  selector: { matchLabels: selector as Record<string, string>, matchExpressions: [] },
})
const after = (seconds: number) => wallMs(Date.UTC(2026, 0, 1, 0, 0, seconds))

interface Row {
  readonly title: string
  readonly spec?: Json
  readonly beside: Partial<Neighbours>
  /** Rule, severity and field. */
  readonly says: readonly string[]
}

const HEALTH_0 = 'spec.healthCheckNodePorts[0]'
const PODS = 'spec.template.spec.containers'
const other = (spec: Json, made = {}) => ({ objects: [checked(stored('api', spec, made))] })
const ONE = { limit: { kind: 'count', count: 1 } } as const
const TOO_MANY = 'moreThanBudget warning spec.updateStrategy.rollingUpdate.maxUnavailableNodes'
const TOO_MANY_IN_PLACE = 'moreThanBudget warning spec.updateStrategy.rollingUpdate.maxDegradedNodes'

const ROWS: readonly Row[] = [
  { title: 'an empty cluster', spec: HEALTH, beside: {}, says: [] },
  { title: 'itself', spec: HEALTH, beside: { objects: [checked(stored('web', HEALTH))] }, says: [] },
  { title: 'one with another port', spec: HEALTH, beside: other({ healthCheckNodePorts: [10_081] }), says: [] },
  {
    title: 'one with the same health port',
    spec: HEALTH,
    beside: other(HEALTH),
    says: [`portOfOther error ${HEALTH_0}`],
  },
  {
    title: 'one with the same health port in another group and namespace',
    spec: HEALTH,
    beside: other(HEALTH, { group: 'ingressdaemonsets.mumoshu.github.io', namespace: 'edge' }),
    says: [`portOfOther error ${HEALTH_0}`],
  },
  {
    title: 'one whose hostPort is its health port',
    spec: HEALTH,
    beside: other(template('api', listening({ containerPort: 80, hostPort: 10_080 }))),
    says: [`portOfOther error ${HEALTH_0}`],
  },
  {
    title: 'one whose health port is a port of its host network',
    spec: template('web', { ...listening({ containerPort: 10_080 }), hostNetwork: true }),
    beside: other(HEALTH),
    says: [`portOfOther error ${PODS}`],
  },
  {
    title: 'one with the same hostPort',
    spec: template('web', listening({ containerPort: 80, hostPort: 80 })),
    beside: other(template('api', listening({ containerPort: 8_080, hostPort: 80 }))),
    says: [`portOfOther error ${PODS}`],
  },
  {
    title: 'one with the same containerPort in a network of its own',
    spec: template('web', { ...listening({ containerPort: 80 }), hostNetwork: true }),
    beside: other(template('api', listening({ containerPort: 80 }))),
    says: [],
  },
  {
    title: 'one with the same port whose selector excludes its nodes',
    spec: { ...HEALTH, ...EDGE },
    beside: { ...other({ ...HEALTH, nodeSelector: { pool: 'core' } }), nodes: [] },
    says: [],
  },
  {
    title: 'one with the same port on nodes that have no label in common',
    spec: { ...HEALTH, ...EDGE },
    beside: {
      ...other({ ...HEALTH, nodeSelector: { zone: 'b' } }),
      nodes: nodesOf('n1 pool=edge', 'n2 pool=edge', 'n3 zone=b'),
    },
    says: [],
  },
  {
    title: 'one with the same port on one node that has the labels of both',
    spec: { ...HEALTH, ...EDGE },
    beside: {
      ...other({ ...HEALTH, nodeSelector: { zone: 'b' } }),
      nodes: nodesOf('n1 pool=edge', 'n2 pool=edge zone=b'),
    },
    says: [`portOfOther error ${HEALTH_0}`],
  },
  {
    title: 'one with the same port whose pool has no node yet',
    spec: { ...HEALTH, ...EDGE },
    beside: { ...other({ ...HEALTH, nodeSelector: { zone: 'b' } }), nodes: nodesOf('n1 pool=edge', 'n2 pool=edge') },
    says: [`portOfOther error ${HEALTH_0}`],
  },
  {
    title: 'one that is refused by itself',
    spec: HEALTH,
    beside: other({ ...HEALTH, podsPerNode: 0 }),
    says: [],
  },
  {
    title: 'one of the same name in the other group',
    beside: { objects: [checked(stored('web', {}, { group: 'ingressdaemonsets.mumoshu.github.io' }))] },
    says: ['nameInOtherGroup error metadata.name'],
  },
  {
    title: 'one of the same name in another namespace',
    beside: { objects: [checked(stored('web', {}, { namespace: 'edge' }))] },
    says: [],
  },
  {
    title: 'one whose pods it selects',
    spec: selecting('web'),
    beside: other(template('api', {}, { app: 'shop' })),
    says: ['selectsOthersPods warning spec.selector'],
  },
  {
    title: 'one that selects its pods',
    spec: template('web', {}, { app: 'shop' }),
    beside: other(selecting('api')),
    says: ['selectsOthersPods warning spec.template.metadata.labels'],
  },
  {
    title: 'one with the same labels where neither selects',
    spec: template('web', {}, { app: 'shop' }),
    beside: other(template('api', {}, { app: 'shop' })),
    says: [],
  },
  {
    title: 'one that selects its labels in another namespace',
    spec: selecting('web'),
    beside: other(selecting('api'), { namespace: 'edge' }),
    says: [],
  },
  {
    title: 'a Service whose healthCheckNodePort it was first',
    spec: HEALTH,
    beside: { services: [service('lb', { healthCheckNodePort: 10_080 })] },
    says: [`portOfService error ${HEALTH_0}`],
  },
  {
    title: 'a Service whose nodePort it was first, in another namespace',
    spec: { healthCheckNodePorts: [10_081, 30_080] },
    beside: { services: [service('lb', { namespace: 'shop', nodePorts: [30_080] })] },
    says: ['portOfService error spec.healthCheckNodePorts[1]'],
  },
  {
    title: 'a Service that came later',
    spec: HEALTH,
    beside: { services: [service('lb', { healthCheckNodePort: 10_080, createdAt: after(30) })] },
    says: [`portOfService warning ${HEALTH_0}`],
  },
  {
    title: 'a Service whose nodePort is its hostPort',
    spec: template('web', listening({ containerPort: 80, hostPort: 30_080 })),
    beside: { services: [service('lb', { nodePorts: [30_080] })] },
    says: [`portOfService warning ${PODS}`],
  },
  {
    title: 'a budget of others that selects its pods',
    beside: { budgets: [budget({ app: 'web' })] },
    says: ['secondBudget warning spec.template.metadata.labels'],
  },
  {
    title: 'a budget of others that selects all pods of the namespace',
    beside: { budgets: [budget({})] },
    says: ['secondBudget warning spec.template.metadata.labels'],
  },
  { title: 'a budget of others in another namespace', beside: { budgets: [budget({}, 'edge')] }, says: [] },
  { title: 'a budget for other pods', beside: { budgets: [budget({ app: 'db' })] }, says: [] },
  {
    title: 'as few nodes as are to stay in service',
    spec: rolling({ maxUnavailableNodes: 1, minInServiceNodes: 3 }),
    beside: {},
    says: ['noNodeMayLeave warning spec.updateStrategy.rollingUpdate.minInServiceNodes'],
  },
  {
    title: 'one node more than are to stay in service',
    spec: rolling({ maxUnavailableNodes: 1, minInServiceNodes: 2 }),
    beside: {},
    says: [],
  },
  { title: 'a node budget of one', spec: rolling({ maxUnavailableNodes: 2 }), beside: ONE, says: [TOO_MANY] },
  { title: 'the same in place', spec: rolling({ maxDegradedNodes: '70%' }), beside: ONE, says: [TOO_MANY_IN_PLACE] },
  {
    title: 'a node budget of a share that is enough',
    spec: rolling({ maxUnavailableNodes: '50%' }),
    beside: { limit: { kind: 'percent', percent: 34 } },
    says: [],
  },
]

describe('of an IngressDaemonSet beside', () => {
  for (const { title, spec = {}, beside, says } of ROWS) {
    test(`${title} it is said: ${says.length === 0 ? 'nothing' : says.join(', ')}`, () => {
      const object = checked(stored('web', spec, { second: 10 }))
      assert.deepEqual(
        object.findings.filter(({ severity }) => severity === 'error'),
        [],
      )
      const found = crossCheck(object, around(beside), () => true)
      assert.deepEqual(
        found.map(({ code, severity, field }) => `${code} ${severity} ${field}`),
        says,
      )
      for (const { text, fix } of found) assert.doesNotMatch(`${text} ${fix}`, /undefined|\.$/)
    })
  }
})

test('nothing is said of one that gives way itself', () => {
  const object = checked(stored('web', HEALTH))
  const beside = around({ objects: [checked(stored('api', HEALTH))] })
  assert.deepEqual(
    crossCheck(object, beside, () => false),
    [],
  )
})

describe('where two objects exclude each other', () => {
  const made = (name: string, second: number, generation = 1, status?: Json) =>
    checked(stored(name, {}, { second, generation, ...(status === undefined ? {} : { status }) }))
  const rows: readonly [string, ReturnType<typeof made>, ReturnType<typeof made>][] = [
    ['the older one', made('old', 1), made('new', 2)],
    ['of two of one second the one with the lower UID', made('a', 1), made('b', 1)],
    ['one that runs, before an older one that was not carried yet', made('runs', 2, 1, carriedAt(1)), made('old', 1)],
    [
      'one that runs, before an older one that was changed',
      made('runs', 2, 3, carriedAt(3)),
      made('old', 1, 2, carriedAt(1)),
    ],
    [
      'one that runs, before an older one that gave way to it',
      made('runs', 2, 1, carriedAt(1)),
      made('old', 1, 2, carriedAt(2, 'IngressConflict')),
    ],
    [
      'one that runs, before an older one that was refused',
      made('runs', 2, 1, carriedAt(1)),
      made('old', 1, 1, carriedAt(1, 'IngressRefused')),
    ],
    ['of two that run the older one', made('old', 1, 1, carriedAt(1)), made('new', 2, 1, carriedAt(1))],
    ['one that runs though its nodes are stuck', made('stuck', 2, 1, carriedAt(1, 'NodesStuck')), made('old', 1)],
  ]
  for (const [title, first, second] of rows) {
    test(`there goes on ${title}`, () => {
      assert.deepEqual([standsBefore(first, second), standsBefore(second, first)], [true, false])
    })
  }

  test('law: of two IngressDaemonSets that cannot both be there exactly one gives way; whatever stands in their status', () => {
    const side = fc.record({
      uid: fc.constantFrom('a', 'b', 'c'),
      createdAt: fc.constantFrom(wallMs(1), wallMs(2)),
      generation: fc.constantFrom(1, 2),
      status: fc.constantFrom(
        ...[undefined, carriedAt(1), carriedAt(2), carriedAt(1, 'IngressConflict'), carriedAt(1, 'IngressRefused')].map(
          (status) => made('x', 1, 1, status).status,
        ),
      ),
    })
    fc.assert(
      fc.property(side, side, (one, another) => {
        if (one.uid === another.uid) return
        assert.notEqual(standsBefore(one, another), standsBefore(another, one))
      }),
    )
  })

  test('nodes are carried by one that was, and not by one that is new or was refused', () => {
    const carried = [undefined, carriedAt(1), carriedAt(1, 'IngressConflict'), carriedAt(1, 'IngressRefused')]
    assert.deepEqual(
      carried.map((status) => wasCarried(made('x', 1, 1, status))),
      [false, true, true, false],
    )
  })
})

test('a Service whose healthCheckNodePort it was first is told why no agent can answer there, and what to do instead', () => {
  const beside = around({ services: [service('lb', { healthCheckNodePort: 10_080 })] })
  const [finding] = crossCheck(checked(stored('web', HEALTH, { second: 10 })), beside, () => true)
  assert.match(finding?.text ?? '', /kube-proxy .*answers 200 .*while the pods change/)
  assert.match(finding?.fix ?? '', /choose another port.*load balancer to check that one.*annotateNodeToDetach/)
})
