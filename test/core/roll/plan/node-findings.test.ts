import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeChecks } from '../../../../src/core/roll/plan/node-findings.ts'
import { formatRecord, RECORD_ANNOTATION } from '../../../../src/model/node-record.ts'
import { aNode, anInstance, aRecord, aServer, aSnapshot, aSpec } from '../../../support/roll-world.ts'

/** What the plan says of n1 with that record. */
function recorded(text: string) {
  const node = aNode('n1', { annotations: { [RECORD_ANNOTATION]: text } })
  const facts = {
    clusterName: 'test',
    apiServer: { address: '10.0.0.100', port: 443 },
    spec: aSpec(),
    cluster: { ...aSnapshot().cluster, nodes: [node, aNode('n2')] },
    services: [],
    instances: [anInstance([aServer('n1'), aServer('n2')])],
    inspections: [],
    forbidden: [],
    hostFindings: [],
  }
  return nodeChecks(facts, node)
    .flat()
    .map((found) => [found.code, found.text, found.fix])
}

test('a node that is out says for which run, and what to type', () => {
  assert.deepEqual(recorded(formatRecord(aRecord())), [
    [
      'NodeRecorded',
      'n1 is out for run run-1',
      'evenkeel roll resume run-1, or evenkeel roll abort run-1 (with -f roll.yaml where its journal is lost)',
    ],
  ])
})

test('a record that nobody can read names no run, however it looks', () => {
  const by = (why: string) => [
    [
      'NodeRecorded',
      `n1 carries a record that cannot be read: ${why}`,
      'put n1 back by hand (docs/roll.md), then: kubectl annotate node n1 evenkeel.dev/record-',
    ],
  ]
  assert.deepEqual(recorded('{}'), by('its version is undefined, not 1'))
  assert.deepEqual(recorded(formatRecord(aRecord({ run: 'x; reboot' }))), by('run is no name of a run'))
})
