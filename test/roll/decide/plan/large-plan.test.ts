import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePlan } from '../../../../src/roll/decide/plan/make-plan.ts'
import { aBudget, aNode, anInstance, aPod, aServer, aWorkload } from '../../../support/roll-world.ts'
import { planSnapshot } from '../plan-snapshot.ts'

const NODES = 5_000
const PODS = 50_000
const WORKLOADS = 5_000
const HOSTNAME = 'kubernetes.io/hostname'
/** Of processor time, of which it takes three seconds; loops over pods × pods take minutes. */
const LIMIT_MS = 30_000

const selectorOf = (app: string) => ({ matchLabels: { app }, matchExpressions: [] })
const namespaceOf = (i: number): string => `ns${(i % WORKLOADS) % 50}`

const nodes = Array.from({ length: NODES }, (_, i) =>
  aNode(`n${i}`, {
    labels: { [HOSTNAME]: `n${i}`, zone: `z${i % 3}` },
    internalAddresses: [`10.${i >> 8}.${i & 255}.1`],
    allocatable: { cpuMilli: 16_000, memoryBytes: 64e9, pods: 110 },
  }),
)

const workloads = Array.from({ length: WORKLOADS }, (_, i) =>
  aWorkload({ name: `w${i}`, uid: `uid-w${i}`, namespace: namespaceOf(i), desired: 10, selector: selectorOf(`w${i}`) }),
)

const budgets = workloads.map(({ name, namespace, selector }, i) =>
  aBudget({
    ...{ name, namespace, selector, expectedPods: 10, currentHealthy: 10 },
    ...(i % 10 === 0 ? { disruptionsAllowed: 0, desiredHealthy: 10 } : { disruptionsAllowed: 1, desiredHealthy: 9 }),
  }),
)

const pods = (cpuMilli: number) =>
  Array.from({ length: PODS }, (_, i) => {
    const app = `w${i % WORKLOADS}`
    const apart = { topologyKey: HOSTNAME, selector: selectorOf(app), namespaces: [namespaceOf(i)] }
    return aPod(`p${i}`, `n${(i * 7) % NODES}`, {
      namespace: namespaceOf(i),
      labels: { app, tier: 'web', team: `t${i % 7}` },
      controller: { kind: 'ReplicaSet', name: app, uid: `uid-${app}` },
      placement: {
        requests: { cpuMilli, memoryBytes: 1e9 },
        ...{ priority: 0, nodeSelector: {}, tolerations: [], hostPorts: [] },
        apart: i % 5 === 1 ? [apart] : [],
        spread: i % 3 === 0 ? [{ topologyKey: 'zone', maxSkew: 5, selector: selectorOf(app) }] : [],
      },
    })
  })

test('a plan of 5,000 nodes and 50,000 pods is there within seconds, with room for none of them', () => {
  const instances = [anInstance(nodes.map(({ name, internalAddresses: [address = ''] }) => aServer(name, { address })))]
  const facts = planSnapshot({ instances }, { nodes, workloads, budgets, pods: pods(1_600) })
  const before = process.cpuUsage()
  const { findings } = makePlan(facts)
  const ms = process.cpuUsage(before).user / 1000
  const blocks = findings.filter(({ severity }) => severity === 'block').map(({ code }) => code)
  assert.deepEqual([...new Set(blocks)].toSorted(), ['BudgetNever', 'NoRoom'])
  assert.equal(blocks.filter((code) => code === 'NoRoom').length, 1)
  assert.ok(ms < LIMIT_MS, `${Math.round(ms)} ms`)
})
