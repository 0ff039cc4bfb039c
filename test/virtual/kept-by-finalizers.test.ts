import assert from 'node:assert/strict'
import { CONTROLLER_REVISIONS, DISRUPTION_BUDGETS } from '../../src/sim/world/api-resource.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { GuardGround } from '../support/virtual-guard/guard-ground.ts'
import { nodeGuard, storage } from '../support/virtual-guard/guard-manifests.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest } from '../support/virtual-ingress/ingress-manifests.ts'

const test = simulationTest(import.meta.url)

const HELD = { finalizers: ['backup.example.com/hold'] }

test('a budget of a NodeGuard that another program keeps is deleted once, and then the loop is at rest', async (t) => {
  const ground = await GuardGround.open({ nodes: 3 })
  t.after(() => ground.end())
  let deletes = 0
  const { loop } = ground.begin('controller 1', {
    passageOf: ({ method, path }) => {
      if (method === 'DELETE' && path.includes('/poddisruptionbudgets/')) deletes += 1
      return { kind: 'passes' }
    },
  })
  ground.apply(storage())
  ground.apply(nodeGuard())
  await ground.until('every node to be guarded', () => ground.condition('Ready') === 'True AllGuarded', 60)
  const { store } = ground.cluster.world
  for (const gate of ground.gates()) store.put(DISRUPTION_BUDGETS, { ...gate, metadata: { ...gate.metadata, ...HELD } })
  ground.label('n1', 'no')
  await ground.until('the budget to be deleted', () => deletes > 0, 60)
  await ground.cluster.time.advance(60_000)
  const before = loop.status().passes
  await ground.cluster.time.advance(60_000)
  assert.equal(deletes, 1)
  assert.ok(loop.status().passes - before <= 10, `${loop.status().passes - before} passes in a minute`)
})

test('a revision of an IngressDaemonSet that another program keeps is deleted once, and then the loop is at rest', async (t) => {
  const ground = await IngressGround.open({ nodes: 3 })
  t.after(() => ground.end())
  let deletes = 0
  const { loop } = ground.begin('controller 1', {
    passageOf: ({ method, path }) => {
      if (method === 'DELETE' && path.includes('/controllerrevisions/')) deletes += 1
      return { kind: 'passes' }
    },
  })
  const { store } = ground.cluster.world
  const rolledOut = (version: string) =>
    ground.until(
      version,
      () => ground.podLines().length === 6 && ground.podLines().every((line) => line.endsWith(` ${version}`)),
      240,
    )
  ground.apply(anIngressManifest('v1', { revisionHistoryLimit: 1 }))
  await rolledOut('v1')
  for (const one of [...store.all(CONTROLLER_REVISIONS)])
    store.put(CONTROLLER_REVISIONS, { ...one, metadata: { ...one.metadata, ...HELD } })
  for (const version of ['v2', 'v3']) {
    ground.apply(anIngressManifest(version, { revisionHistoryLimit: 1 }))
    await rolledOut(version)
  }
  await ground.until('the first revision to be deleted', () => deletes > 0, 60)
  await ground.cluster.time.advance(60_000)
  const before = loop.status().passes
  await ground.cluster.time.advance(60_000)
  assert.equal(deletes, 1)
  assert.ok(loop.status().passes - before <= 15, `${loop.status().passes - before} passes in a minute`)
})
