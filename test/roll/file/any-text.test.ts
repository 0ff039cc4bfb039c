import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { load, rollYaml } from './roll-file.ts'

function specOrRefusal(text: string): void {
  try {
    assert.equal(typeof load(text).soakMs, 'number')
  } catch (error) {
    assert.ok(error instanceof UserError, String(error))
    assert.ok(error.details.length > 0 && error.details.length <= 20)
    for (const detail of error.details) assert.match(detail, /^error: .+ \([a-z.-]+\)\n +--> roll\.yaml:\d+:\d+\n/)
  }
}

const names = fc.constantFrom(
  ...['apiVersion', 'kind', 'metadata', 'name', 'spec', 'nodes', 'names', 'all', 'selector', 'drain', 'balancers'],
  ...['instances', 'ssh', 'tcp', 'socket', 'probes', 'url', 'reboot', 'command', 'window', 'matchLabels', '__proto__'],
)
const { value: tree } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, 0, 1.5, 30, 'Roll', 'evenkeel.dev/v1alpha1', '30s', 'a=b', 'w-1', '/s', ''),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 5 }),
  ),
}))

test('any text is a roll or a refusal that names lines', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), specOrRefusal), { numRuns: 200 })
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'a: \n-[]{}&*!|>\'"%@`#,?\t0'), maxLength: 60 }), specOrRefusal),
    { numRuns: 500 },
  )
})

test('any tree of known and unknown fields is a roll or a refusal that names lines', () => {
  fc.assert(
    fc.property(fc.dictionary(names, tree, { maxKeys: 5 }), tree, (spec, other) => {
      specOrRefusal(stringify(other))
      specOrRefusal(
        rollYaml(
          ...stringify(spec)
            .split('\n')
            .map((line) => `  ${line}`),
        ),
      )
    }),
    { numRuns: 200 },
  )
})
