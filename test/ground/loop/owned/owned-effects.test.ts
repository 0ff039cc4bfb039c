import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Latest } from '../../../../src/ground/loop/owned/latest.ts'
import { OwnedEffects } from '../../../../src/ground/loop/owned/owned-effects.ts'
import { GATES } from '../../../../src/ground/loop/owned/owned-kinds.ts'
import type { OwnedObject } from '../../../../src/ground/model/owned-object.ts'
import type { Objects } from '../../../../src/ground/ports/objects.ts'
import { served } from '../../../support/served-object.ts'

const never = new AbortController().signal
const aGate = (): OwnedObject => served('PodDisruptionBudget', { metadata: { name: 'one' } } as never)

test('what was deleted is not deleted again while a cache shows it as it was before', async () => {
  const deleted: string[] = []
  const refused = (): never => assert.fail('nothing else is asked for')
  const objects: Pick<Objects, 'get' | 'create' | 'patch' | 'delete'> = {
    ...{ get: refused, create: refused, patch: refused },
    delete: async ({ name }) => {
      deleted.push(name)
      return true
    },
  }
  const latest = new Latest()
  const effects = new OwnedEffects({ objects, latest })
  const cached = aGate()
  await effects.delete(GATES, cached, never)
  await effects.delete(GATES, cached, never)
  assert.deepEqual(deleted, ['one'])
  assert.equal(latest.of(cached).deleting, true)
  await effects.delete(GATES, aGate(), never)
  assert.deepEqual(deleted, ['one', 'one'], 'an object that came after it')
})
