import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawnFields, reasonsTooMany, whyUndrawn } from '../support/virtual-roll/swarm/drawn-fields.ts'
import { FIRST_WITH_MORE } from '../support/virtual-roll/swarm/scenario-by-step.ts'

/** As many as draw each field several times over. */
const SEEDS = Array.from({ length: 400 }, (_, i) => String(FIRST_WITH_MORE + i))

test('the worlds of rolls draw each field of the roll file, or say why not', () => {
  const fields = drawnFields(SEEDS)
  const missing = fields.filter(([path, values]) => values === 0 && whyUndrawn(path) === undefined)
  assert.deepEqual(missing, [])
  assert.deepEqual(reasonsTooMany(fields), [])
})
