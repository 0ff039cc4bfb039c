import assert from 'node:assert/strict'
import { isReady, type PodObject } from '../../src/sim/actors/pod-object.ts'
import { NODE_GUARDS, NODES, PODS } from '../../src/sim/world/api-resource.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { guardTemplate, nodeGuard } from '../support/virtual-guard/guard-manifests.ts'
import { GuardProcess } from '../support/virtual-guard/guard-process.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest } from '../support/virtual-ingress/ingress-manifests.ts'

const test = simulationTest(import.meta.url)

const isGuard = ({ metadata }: PodObject): boolean => metadata.labels?.['evenkeel.dev/guard'] === 'guard'

/** Nodes without a guard that is ready, once each had one. */
class Unguarded {
  most = 0
  readonly #ground: IngressGround

  constructor(ground: IngressGround) {
    this.#ground = ground
    this.#look()
  }

  #look(): void {
    const { cluster } = this.#ground
    const guarded = new Set(
      this.#ground
        .pods()
        .filter((pod) => isGuard(pod) && isReady(pod))
        .map(({ spec }) => spec.nodeName),
    )
    const without = [...cluster.world.store.all(NODES)].filter(({ metadata }) => !guarded.has(metadata.name))
    this.most = Math.max(this.most, without.length)
    cluster.time.later(50, () => this.#look())
  }
}

const areGuarded = (ground: IngressGround): boolean =>
  JSON.stringify(
    ground.cluster.world.store.get(NODE_GUARDS, { namespace: 'default', name: 'guard' })?.status ?? {},
  ).includes('AllGuarded')

for (const mode of ['PerNode', 'Budget'] as const)
  test(`${mode}: a roll over guarded nodes in the midst of a rollout loses no request, and leaves one node at a time without its guard`, async (t) => {
    const ground = await IngressGround.open()
    t.after(() => ground.end())
    ground.begin()
    const source = {
      pathFault: () => undefined,
      ask: () => Promise.resolve({ kind: 'clear', evidence: 'answered 200' } as const),
    }
    const guards = new GuardProcess({ cluster: ground.cluster, name: 'guards', source, outside: {} })
    ground.apply(anIngressManifest('v1'))
    ground.apply(nodeGuard({ follow: { nodeSelector: {} }, mode, template: guardTemplate() }))
    await ground.until(
      'all nodes to serve, and to be guarded',
      () => ground.condition('Ready') === 'True AllInService' && ground.isServed() && areGuarded(ground),
      120,
    )
    const unguarded = new Unguarded(ground)
    const judged = ground.traffic()
    const roll = ground.roll()
    await ground.cluster.time.advance(15_000)
    ground.apply(anIngressManifest('v2'))
    assert.equal(await ground.cluster.time.settle(roll, 3_600_000), 'completed')
    await ground.until(
      'the rollout to end, and all nodes to be guarded',
      () => ground.podLines().filter((line) => line.endsWith(' v2')).length === 6 && areGuarded(ground),
      300,
    )
    const judge = await judged()
    assert.equal(guards.error, undefined)
    assert.deepEqual(judge.lost, [])
    assert.ok(judge.sent > 1_000, `${judge.sent} requests`)
    assert.equal(unguarded.most, 1)
    const pods = [...ground.cluster.world.store.all(PODS)] as PodObject[]
    assert.equal(pods.filter(isGuard).length, 3)
    await ground.until('slots to be free', () => ground.slotHolders().every((holder) => holder === ''), 60)
  })
