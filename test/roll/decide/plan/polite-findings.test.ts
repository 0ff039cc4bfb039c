import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Service } from '../../../../src/ground/model/service.ts'
import type { PlanSnapshot } from '../../../../src/roll/decide/plan/plan-snapshot.ts'
import { podFindings } from '../../../../src/roll/decide/plan/pod-findings.ts'
import { politeFindings } from '../../../../src/roll/decide/plan/polite-findings.ts'
import { aBudget, aNode, anInstance, aPod, aServer, aSnapshot, aSpec, aWorkload } from '../../../support/roll-world.ts'

const LABELS = { app: 'cart', 'pod-template-hash': 'abc' }
const by = (matchLabels: Readonly<Record<string, string>>) => ({ matchLabels, matchExpressions: [] })
const workloads = [
  aWorkload({ controller: { kind: 'Deployment', name: 'cart', uid: 'uid-d' }, selector: by(LABELS) }),
  aWorkload({ kind: 'Deployment', uid: 'uid-d', desired: 1 }),
  aWorkload({ kind: 'StatefulSet', name: 'db', uid: 'uid-db', desired: 3 }),
]
const service: Service = {
  namespace: 'shop',
  name: 'cart',
  type: 'ClusterIP',
  selector: { app: 'cart' },
  externalTrafficPolicy: 'Cluster',
  internalTrafficPolicy: 'Cluster',
  nodePorts: [],
}
const cart = aPod('cart-a', 'n1', { labels: LABELS })
const never = aBudget({ currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 })

function facts(
  pods: readonly ReturnType<typeof aPod>[],
  change: Partial<PlanSnapshot> = {},
  selector = by({ app: 'cart' }),
): PlanSnapshot {
  const { cluster } = aSnapshot({ pods, workloads, budgets: [never] })
  const polite = [{ selector, leaveAfterMs: 6_000 }]
  return {
    clusterName: 'test',
    apiServer: { address: '10.0.0.100', port: 6443 },
    spec: aSpec({ drain: { ...aSpec().drain, polite } }),
    cluster,
    services: [service],
    instances: [],
    inspections: [],
    forbidden: [],
    hostFindings: [],
    ...change,
  }
}

const codes = (given: PlanSnapshot): readonly string[] => politeFindings(given, [aNode('n1')]).map(({ code }) => code)

test('a single pod that leaves politely is neither away nor held by its budget', () => {
  const given = facts([cart])
  assert.deepEqual(podFindings(given, [cart]), [])
  assert.deepEqual(codes(given), [])
  const plain = { ...given, spec: aSpec() }
  assert.deepEqual(
    podFindings(plain, [cart]).map(({ code }) => code),
    ['BudgetNever', 'SingleReplica'],
  )
  assert.deepEqual(codes(plain), [])
})

test('a budget that is short already holds the pod all the same', () => {
  const short = aBudget({ currentHealthy: 1, desiredHealthy: 2 })
  const given = facts([cart])
  const found = podFindings({ ...given, cluster: { ...given.cluster, budgets: [short] } }, [cart])
  assert.deepEqual(
    found.map(({ code }) => code),
    ['BudgetExhausted', 'SingleReplica'],
  )
})

test('pods that cannot are named by their workload, once, with the reason', () => {
  const db = (name: string) =>
    aPod(name, 'n1', { labels: { app: 'cart' }, controller: { kind: 'StatefulSet', name: 'db', uid: 'uid-db' } })
  const found = politeFindings(facts([db('db-0'), db('db-1')]), [aNode('n1')])
  assert.equal(new Set(found.map(({ text }) => text)).size, 1)
  assert.match(
    found[0]?.text ?? '',
    /^pods of StatefulSet shop\/db are evicted without their replacement: its controller is a StatefulSet/,
  )
})

test('only pods of the nodes that are rolled are reported, and an entry that chooses none at all', () => {
  assert.deepEqual(codes(facts([aPod('cart-b', 'n2', { labels: LABELS, claims: ['data'] })])), [])
  assert.deepEqual(codes(facts([cart], {}, by({ app: 'crat' }))), ['PoliteUnused'])
})

test('a balancer that keeps connections to servers open is reported', () => {
  const instances = [anInstance([aServer('n1', { idleConnections: 1 })])]
  assert.deepEqual(codes(facts([cart], { instances })), ['PolitePooled'])
  assert.deepEqual(codes(facts([cart], { instances: [anInstance([aServer('n1')])] })), [])
})

test('a headless Service, and one that sends to pods before they are Ready, are reported', () => {
  assert.deepEqual(codes(facts([cart], { services: [{ ...service, headless: true, publishesNotReady: true }] })), [
    'PoliteHeadless',
    'PoliteNotReady',
  ])
})
