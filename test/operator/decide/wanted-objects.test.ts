import assert from 'node:assert/strict'
import { test } from 'node:test'
import { templateFaults } from '../../../src/operator/decide/wanted-objects.ts'

const POD = { spec: { restartPolicy: 'Never', containers: [{ name: 'roll' }] } }

const ROWS: readonly (readonly [title: string, job: object, faults: readonly string[]])[] = [
  ['a container and no restart are all that it takes', { template: POD }, []],
  ['one pod is one pod', { template: POD, parallelism: 1, completions: 1, backoffLimit: 6 }, []],
  [
    'a Job that is removed after its end',
    { template: POD, ttlSecondsAfterFinished: 0 },
    ['spec.ttlSecondsAfterFinished → remove it: the Jobs of a Roll go with the Roll'],
  ],
  [
    'several pods at a time',
    { template: POD, parallelism: 2, completions: 3 },
    ['spec.parallelism → remove it, or write parallelism: 1', 'spec.completions → remove it, or write completions: 1'],
  ],
  [
    'nothing',
    {},
    [
      'spec.template.spec.containers → name the container of the run roll',
      'spec.template.spec.restartPolicy → write restartPolicy: Never',
    ],
  ],
]

for (const [title, job, faults] of ROWS) {
  test(`the template of a Job: ${title}`, () => {
    assert.deepEqual(
      templateFaults(job).map(({ text, fix }) => `${text.split(':')[0]} → ${fix}`),
      faults,
    )
  })
}
