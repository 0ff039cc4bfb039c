import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRollFile } from '../../../src/roll/file/read-roll-file.ts'

const FILE = `apiVersion: evenkeel.dev/v1alpha1
kind: Roll
metadata: {name: prod-eu1}
spec:
  slots:
    namespace: other
  balancers:
    - name: edge
      instances: [{name: lb-1, socket: /run/haproxy/admin.sock}]
      backends: [web, app]
`

test('a file for a run that has begun need choose no nodes', () => {
  assert.deepEqual(readRollFile({ file: 'roll.yaml', text: FILE }).spec.nodes, {
    names: [],
    all: false,
    allowUnbalanced: false,
  })
})

test('what a run stands against is told at its line, all at once, in the order of the file', () => {
  const { refusal } = readRollFile({ file: 'roll.yaml', text: FILE })
  const error = refusal([
    {
      path: ['spec', 'balancers', 0, 'backends', 1],
      text: 'backend "app" is not part of this run',
      fix: 'take it out',
    },
    { path: ['spec', 'slots', 'namespace'], text: 'it is in "evenkeel"', hint: 'a Lease', fix: 'namespace: evenkeel' },
    { path: ['spec', 'nodes'], text: 'n2 is out for this run', fix: 'choose n2 as well' },
    { path: ['spec', 'balancers'], text: 'balancer "in\u001bner" is gone', fix: 'name it' },
  ])
  assert.equal(error.code, 'config.roll-file')
  assert.equal(error.message, '4 errors in roll.yaml. Nothing was changed.')
  assert.deepEqual(
    error.details.map((detail) => detail.split('\n').slice(0, 5)),
    [
      [
        'error: n2 is out for this run (config.begun)',
        ' --> roll.yaml:4:1',
        '4 | spec:',
        '  | ^^^^',
        '  = fix: choose n2 as well',
      ],
      [
        'error: it is in "evenkeel" (config.begun)',
        ' --> roll.yaml:6:16',
        '6 |     namespace: other',
        '  |                ^^^^^ a Lease',
        '  = fix: namespace: evenkeel',
      ],
      [
        'error: balancer "in\\x1bner" is gone (config.begun)',
        ' --> roll.yaml:7:3',
        '7 |   balancers:',
        '  |   ^^^^^^^^^',
        '  = fix: name it',
      ],
      [
        'error: backend "app" is not part of this run (config.begun)',
        '  --> roll.yaml:10:23',
        '10 |       backends: [web, app]',
        '   |                       ^^^',
        '   = fix: take it out',
      ],
    ],
  )
})
