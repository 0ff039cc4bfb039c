import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OutLimit } from '../../../../src/ground/model/out-limit.ts'
import { maxOutFindings } from '../../../../src/roll/decide/plan/max-out-findings.ts'

const count = (nodes: number): OutLimit => ({ kind: 'count', count: nodes })

for (const [title, { budget, maxOut, parallel }, codes] of [
  ['nothing where the budget allows as many', { budget: '2', parallel: 2 }, []],
  ['that the budget allows fewer', { budget: '2', parallel: 3 }, ['ParallelAboveBudget']],
  ['that one is allowed where there is no budget object', { parallel: 2 }, ['ParallelAboveBudget']],
  ['that the file itself asks for fewer', { budget: '3', maxOut: 1, parallel: 2 }, ['ParallelAboveBudget']],
  [
    'both, where the file asks for more nodes out than the budget allows',
    { budget: '2', maxOut: 3, parallel: 3 },
    ['MaxOutAboveBudget', 'ParallelAboveBudget'],
  ],
] as const satisfies readonly (readonly [
  string,
  { readonly budget?: string; readonly maxOut?: number; readonly parallel?: number },
  readonly string[],
])[]) {
  test(`a plan with parallel says ${title}`, () => {
    const slots = {
      namespace: 'evenkeel',
      leaseDurationMs: 120_000,
      ...(maxOut === undefined ? {} : { maxOut: count(maxOut) }),
    }
    const found =
      budget === undefined
        ? undefined
        : {
            namespace: 'evenkeel',
            name: 'evenkeel-budget',
            resourceVersion: '1',
            annotations: {},
            data: { maxOut: budget },
          }
    const findings = maxOutFindings({ slots, parallel: { nodes: parallel, oneZone: false } }, found, 6)
    assert.deepEqual(
      findings.map(({ code }) => code),
      codes,
    )
  })
}
