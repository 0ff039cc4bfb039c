import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../../src/ground/model/node.ts'
import { plainText } from '../../../../src/ground/model/sentence.ts'
import { UserError } from '../../../../src/ground/model/user-error.ts'
import { leftRun } from '../../../../src/roll/decide/resume/left-run.ts'
import { mendRun } from '../../../../src/roll/decide/resume/mend-run.ts'
import { nodesOut } from '../../../../src/roll/decide/resume/nodes-out.ts'
import { outsideFile } from '../../../../src/roll/decide/resume/outside-file.ts'
import { restOfPlan } from '../../../../src/roll/decide/resume/rest-of-plan.ts'
import type { RollSpec } from '../../../../src/roll/model/roll-spec.ts'
import type { BalancerSpec } from '../../../../src/service/model/balancer-spec.ts'
import { formatRecord, type NodeRecord, RECORD_ANNOTATION } from '../../../../src/service/model/node-record.ts'
import { aNode, aRecord, aSpec } from '../../../support/roll-world.ts'

const out = (name: string, change: Partial<NodeRecord> = {}): Node =>
  aNode(name, { annotations: { [RECORD_ANNOTATION]: formatRecord(aRecord(change)) } })
const unreadable = (name: string): Node => aNode(name, { annotations: { [RECORD_ANNOTATION]: '{}' } })

const [EDGE] = aSpec().balancers
const balancer = (name: string, backends: readonly string[]): BalancerSpec => {
  assert.ok(EDGE)
  return { ...EDGE, name, backends }
}

const found = (had: readonly BalancerSpec[], change: Partial<RollSpec>) => {
  const run = { id: 'run-1', spec: aSpec({ balancers: had }), order: ['n1'], done: [] }
  const answer = mendRun(run, aSpec(change), [out('n1')])
  return answer.ok ? [] : answer.findings
}
const ABORT = 'or put back what is out and begin a new roll: evenkeel roll abort run-1'

test('another slot is refused with what it could do, and what to write instead', () => {
  assert.deepEqual(found(aSpec().balancers, { slots: { namespace: 'other', leaseDurationMs: 1 } }), [
    {
      path: ['spec', 'slots', 'namespace'],
      text: 'the slot of this run is in namespace "evenkeel"',
      hint: 'another Lease would let a second node out',
      fix: 'namespace: evenkeel',
    },
  ])
})

test('names that changed are refused with those that the run has, and each balancer is compared with its own', () => {
  const had = [balancer('inner', ['api', 'ws']), balancer('edge', ['web'])]
  assert.deepEqual(found(had, { balancers: had }), [])
  assert.deepEqual(found(had, { balancers: [balancer('inner', ['api', 'ws']), balancer('outer', ['web'])] }), [
    {
      path: ['spec', 'balancers'],
      text: 'balancer "edge" of this run is not in the file',
      hint: 'this run has: inner, edge',
      fix: `name "edge" as before, ${ABORT}`,
    },
    {
      path: ['spec', 'balancers', 1],
      text: 'balancer "outer" is not part of this run',
      hint: 'this run has: inner, edge',
      fix: `take it out, ${ABORT}`,
    },
  ])
  const backends = { path: ['spec', 'balancers', 0, 'backends'], hint: 'this run has: api, ws' }
  assert.deepEqual(found(had, { balancers: [balancer('inner', ['api', 'app']), balancer('edge', ['web'])] }), [
    { ...backends, text: 'backend "ws" of this run is not in the file', fix: `name "ws" as before, ${ABORT}` },
    {
      ...backends,
      path: [...backends.path, 1],
      text: 'backend "app" is not part of this run',
      fix: `take it out, ${ABORT}`,
    },
  ])
})

test('a node that is out and not chosen is refused with what to do', () => {
  const nodes = { names: ['n2'], all: false, allowUnbalanced: false }
  assert.deepEqual(found(aSpec().balancers, { nodes }), [
    {
      path: ['spec', 'nodes'],
      text: 'n1 is kept out by this run, and the file does not choose it',
      fix: `choose n1 as well, ${ABORT}`,
    },
  ])
})

const refusal = (nodes: readonly Node[], run?: string) => {
  try {
    leftRun(nodes, { ...(run === undefined ? {} : { run }), file: 'mine.yaml' })
  } catch (error) {
    assert.ok(error instanceof UserError)
    return [error.code, error.message, plainText(error.fix ?? '')]
  }
  return undefined
}

test('an abort that cannot know which run is meant says which there are', () => {
  const name = 'name the run: evenkeel roll abort run-1 -f mine.yaml'
  assert.deepEqual(refusal([out('n1'), out('n2', { run: 'run-2' }), out('n3')]), [
    'abort.which-run',
    'several runs keep nodes out: run-1 (n1, n3); run-2 (n2)',
    name,
  ])
  assert.deepEqual(refusal([out('n1')], 'run-9'), ['abort.which-run', 'run run-9 keeps no node out: run-1 (n1)', name])
})

test('an abort of a record that cannot be read says which nodes carry one', () => {
  const fix = (nodes: string) =>
    `put them back by hand (docs/put-a-node-back.md), then: kubectl annotate node ${nodes} evenkeel.dev/record-`
  assert.deepEqual(refusal([unreadable('n1')]), [
    'abort.record-unreadable',
    'n1 carries a record that cannot be read',
    fix('n1'),
  ])
  assert.deepEqual(refusal([unreadable('n1'), unreadable('n2')]), [
    'abort.record-unreadable',
    'n1, n2 carry records that cannot be read',
    fix('n1 n2'),
  ])
})

test('each node is either out by its record, carries one that cannot be read, or carries none', () => {
  const { recorded, unreadable: rest } = nodesOut([aNode('n1'), out('n2'), unreadable('n3')])
  assert.deepEqual([recorded.map(({ node }) => node.name), rest.map(({ name }) => name)], [['n2'], ['n3']])
})

test('what a file does not reach of a node that is out is reported with what to add', () => {
  const { recorded } = nodesOut([out('n1', { slotNamespace: 'ops' })])
  assert.deepEqual(outsideFile(recorded, aSpec({ balancers: [balancer('outer', ['web'])] })), [
    {
      path: ['spec', 'slots', 'namespace'],
      text: 'the slot of run run-1 is in namespace "ops"',
      fix: 'namespace: ops',
    },
    {
      path: ['spec', 'balancers'],
      text: 'n1 was taken out of web/n1 on lb-1 of "edge", which the file does not name',
      fix: 'name balancer "edge", instance "lb-1" and backend "web" as in the file of the roll',
    },
  ])
})

test('a server is reached by one of several balancers, and by one of several instances of it', () => {
  const { recorded } = nodesOut([out('n1')])
  assert.ok(EDGE)
  const two: BalancerSpec = { ...EDGE, instances: ['lb-1', 'lb-2'] }
  assert.deepEqual(outsideFile(recorded, aSpec({ balancers: [balancer('inner', ['api']), two] })), [])
})

test('of a node under way the plan of the rest still refuses a way to its machine that is wrong', () => {
  const codes = [
    'HOST_DENIED',
    'HOST_KEY',
    'HOST_NAME',
    'HOST_NO_SSH',
    'HOST_SSH_CONFIG',
    'HOST_UNRESOLVED',
    'HostMayNotReboot',
    'HOST_TIMEOUT',
  ]
  const findings = codes.map((code) => ({ severity: 'error' as const, code, node: 'n2', text: 'x' }))
  const plan = { cluster: 'c', nodes: [], skipped: [], unmatchedServers: [], findings, load: [], checksPassed: 0 }
  assert.deepEqual(
    restOfPlan(plan, [{ name: 'n2', kind: 'node', hasRebooted: false }]).findings.map(({ code }) => code),
    codes.slice(0, -1),
  )
})
