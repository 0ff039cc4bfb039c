import assert from 'node:assert/strict'
import type { Passage } from '../../src/sim/doors/in-process-api.ts'
import type { ApiRequest } from '../../src/sim/world/api-request.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { GuardGround } from '../support/virtual-guard/guard-ground.ts'
import { nodeGuard, storage } from '../support/virtual-guard/guard-manifests.ts'

const test = simulationTest(import.meta.url)

const makesDeploymentOfN1 = ({ method, path, body }: ApiRequest): boolean =>
  method === 'POST' && path.endsWith('/deployments') && JSON.stringify(body).includes('"evenkeel.dev/node":"n1"')

test('a webhook that takes longer than a write may keeps no other node from its guard and from its drain, and is not tried without a pause', async (t) => {
  const ground = await GuardGround.open({ nodes: 3 })
  t.after(() => ground.end())
  const hung = { isOn: true, tries: 0 }
  ground.begin('controller 1', {
    passageOf: (request): Passage => {
      if (!hung.isOn || !makesDeploymentOfN1(request)) return { kind: 'passes' }
      hung.tries += 1
      return { kind: 'silent' }
    },
  })
  ground.apply(storage())
  ground.apply(nodeGuard())
  await ground.until('n2 and n3 to be guarded', () => ground.guarded().join() === 'n2,n3', 60)
  await ground.until(
    'n1 to be told',
    () =>
      /^False WriteRefused/.test(ground.condition('Ready')) ||
      ground.events().some((e) => e.startsWith('WriteRefused')),
    60,
  )
  const before = hung.tries
  await ground.cluster.time.advance(60_000)
  assert.ok(hung.tries - before <= 6, `${hung.tries - before} tries in a minute`)
  hung.isOn = false
  await ground.until('all nodes to be guarded', () => ground.condition('Ready') === 'True AllGuarded', 60)
})
