import { simulationTest } from '../support/simulation-test.ts'
import { GuardGround } from '../support/virtual-guard/guard-ground.ts'
import { guardTemplate, nodeGuard, storage } from '../support/virtual-guard/guard-manifests.ts'

const test = simulationTest(import.meta.url)
for (const gone of ['n1', 'n2', 'n3'] as const)
  test(`the guards of the other nodes are replaced, though ${gone} is removed in the midst of their rollout`, async (t) => {
    const ground = await GuardGround.open({ nodes: 3 })
    t.after(() => ground.end())
    const process = ground.begin()
    process.onError = (error) => {
      throw error
    }
    ground.apply(storage())
    ground.apply(nodeGuard({ mode: 'Budget' }))
    await ground.until('guarded', () => ground.condition('Ready') === 'True AllGuarded', 60)
    ground.apply(nodeGuard({ mode: 'Budget', template: guardTemplate('2') }))
    const fresh = () => ground.guardPods().filter((pod) => JSON.stringify(pod.spec).includes('"VERSION","value":"2"'))
    await ground.until('a first one', () => fresh().length === 1, 60)
    ground.removeNode(gone)
    await ground.until(
      'two of the new one',
      () => fresh().filter(({ spec }) => spec.nodeName).length === 2 && ground.guardPods().length === 2,
      300,
    )
  })
