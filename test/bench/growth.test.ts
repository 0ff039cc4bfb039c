import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exponent, exponentOfNLogN, growthPlot } from '../../bench/virtual/growth.ts'

test('time that doubles with the size grows by the first power, time that quadruples by the second', () => {
  assert.equal(exponent({ nodes: 10, ms: 50 }, { nodes: 20, ms: 100 }), 1)
  assert.equal(exponent({ nodes: 10, ms: 50 }, { nodes: 20, ms: 200 }), 2)
})

test('n log n grows by little more than the first power, and by less the larger it is', () => {
  assert.deepEqual([exponentOfNLogN(6, 30), exponentOfNLogN(100, 1_000)], [1.4, 1.18])
})

test('the plot is level where growth is linear', () => {
  assert.equal(
    growthPlot([
      { nodes: 10, ms: 100 },
      { nodes: 1_000, ms: 5_000 },
    ]),
    [`   10 nodes    10.0 ms a node ${'#'.repeat(60)}`, ` 1000 nodes     5.0 ms a node ${'#'.repeat(30)}`].join('\n'),
  )
})
