import assert from 'node:assert/strict'
import { test } from 'node:test'
import { STEPS } from '../../src/roll/model/step.ts'
import { SeededRandom } from '../../src/sim/clocks/seeded-random.ts'
import { cellTable, emptyCells } from '../support/virtual-roll/swarm/cell-table.ts'
import { CELLS, cellOf, FAULT_NAMES, whyImpossible } from '../support/virtual-roll/swarm/cells.ts'
import { faultName } from '../support/virtual-roll/swarm/fault.ts'
import { namedFault } from '../support/virtual-roll/swarm/named-fault.ts'

test('seeds that follow each other have every fault in every step before any comes again', () => {
  const drawn = CELLS.map((_, i) => cellOf(i + 12_345)).map(({ step, fault }) => `${step} ${fault}`)
  assert.equal(new Set(drawn).size, CELLS.length)
  const impossible = STEPS.flatMap((step) =>
    FAULT_NAMES.filter((fault) => whyImpossible({ step, fault }) !== undefined),
  )
  assert.equal(CELLS.length + impossible.length, STEPS.length * FAULT_NAMES.length)
})

test('each fault that a step can bring about goes by its own name', () => {
  const random = new SeededRandom('names')
  assert.deepEqual(
    CELLS.map((cell) => namedFault(random, cell).map(faultName)[0]),
    CELLS.map(({ fault }) => fault),
  )
})

test('a cell that could be filled and is not is named, one that cannot be is distinguished', () => {
  const all = Object.fromEntries(CELLS.map(({ step, fault }) => [`${step} ${fault}`, 2]))
  assert.deepEqual(emptyCells(all), [])
  assert.deepEqual(emptyCells({ ...all, 'cordon kill': 0 }), [{ step: 'cordon', fault: 'kill' }])
  const lines = cellTable({ ...all, 'cordon kill': 0 })
  assert.ok(lines.includes('| kill | 2 | 2 | 0 | 2 | 2 | 2 | 2 | 2 | 2 | 2 | 2 |'), lines.join('\n'))
  assert.ok(lines.includes('| ssh.lost | - | - | - | - | - | 2 | - | - | - | - | - |'), lines.join('\n'))
})
