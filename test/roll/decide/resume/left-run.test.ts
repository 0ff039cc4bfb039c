import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../../src/ground/model/node.ts'
import type { PlanFinding } from '../../../../src/ground/model/plan-finding.ts'
import { leftRun } from '../../../../src/roll/decide/resume/left-run.ts'
import { nodesOut } from '../../../../src/roll/decide/resume/nodes-out.ts'
import { outsideFile } from '../../../../src/roll/decide/resume/outside-file.ts'
import { restOfPlan } from '../../../../src/roll/decide/resume/rest-of-plan.ts'
import type { BalancerSpec } from '../../../../src/service/model/balancer-spec.ts'
import { formatRecord, type NodeRecord, RECORD_ANNOTATION } from '../../../../src/service/model/node-record.ts'
import { userError } from '../../../support/plain.ts'
import { aNode, aRecord, aSpec } from '../../../support/roll-world.ts'

const out = (name: string, change: Partial<NodeRecord> = {}): Node =>
  aNode(name, { annotations: { [RECORD_ANNOTATION]: formatRecord(aRecord(change)) } })

test('the run that has a node out is the one that is meant', () => {
  const left = leftRun([aNode('n1'), out('n2')], { file: 'roll.yaml' })
  assert.deepEqual([left.run, left.out.map(({ node }) => node.name)], ['run-1', ['n2']])
})

test('of several runs one has to be named', () => {
  const nodes = [out('n1'), out('n2', { run: 'run-2' })]
  assert.throws(
    () => leftRun(nodes, { file: 'mine.yaml' }),
    userError(
      'abort.which-run',
      /run-1 \(n1\); run-2 \(n2\)/,
      /^name the run: evenkeel roll abort run-1 -f mine\.yaml$/,
    ),
  )
  assert.deepEqual(leftRun(nodes, { run: 'run-2', file: 'mine.yaml' }).run, 'run-2')
  assert.throws(
    () => leftRun(nodes, { run: 'run-3', file: 'mine.yaml' }),
    userError('abort.which-run', /^run run-3 keeps no node out: run-1/, /run-1/),
  )
})

test('where nothing is out there is nothing to put back', () => {
  const cordoned = [aNode('n1', { unschedulable: true })]
  assert.throws(
    () => leftRun(cordoned, { file: 'f' }),
    userError('abort.nothing-out', /carries a record/, /kubectl uncordon/),
  )
  assert.throws(() => leftRun(cordoned, { run: 'run-1', file: 'f' }), userError('abort.nothing-out', /./, /./))
})

test('a record that cannot be read belongs to no run, and text that a shell would run as a command is no name of a run', () => {
  const nodes = [aNode('n1', { annotations: { [RECORD_ANNOTATION]: '{}' } }), out('n2', { run: 'x; reboot' })]
  assert.deepEqual(
    nodesOut(nodes).unreadable.map(({ name }) => name),
    ['n1', 'n2'],
  )
  assert.throws(
    () => leftRun(nodes, { file: 'f' }),
    userError(
      'abort.record-unreadable',
      /^n1, n2 carry records/,
      /kubectl annotate node n1 n2 evenkeel\.dev\/record-$/,
    ),
  )
})

test('putting a node back needs every balancer that the node was taken out of', () => {
  const [own] = aRecord().servers
  assert.ok(own)
  const { recorded } = nodesOut([out('n1', { slotNamespace: 'evenkeel' })])
  assert.deepEqual(outsideFile(recorded, aSpec()), [])
  const servers = [own, { ...own, instance: 'lb-2' }, { ...own, backend: 'app' }, { ...own, balancer: 'inner' }]
  const more = nodesOut([out('n1', { servers, slotNamespace: 'other' })]).recorded
  assert.deepEqual(
    outsideFile(more, aSpec()).map(({ path, text }) => `${path.join('.')}: ${text}`),
    [
      'spec.slots.namespace: the slot of run run-1 is in namespace "other"',
      'spec.balancers: n1 was taken out of web/n1 on lb-2 of "edge", which the file does not name',
      'spec.balancers: n1 was taken out of app/n1 on lb-1 of "edge", which the file does not name',
      'spec.balancers: n1 was taken out of web/n1 on lb-1 of "inner", which the file does not name',
    ],
  )
})

test('a node that was taken out by a mark on it is put back by a file with that mark', () => {
  const [own] = aRecord().servers
  assert.ok(own)
  const [edge] = aSpec().balancers
  assert.ok(edge)
  const checks = { intervalMs: 2_000, fall: 3, rise: 2, drainsAtOnce: false, slackMs: 2_000 }
  const marked = (key: string): BalancerSpec => ({
    ...edge,
    via: { kind: 'mark', mark: { kind: 'label', key, value: '' }, markDelayMs: 1, checks, dataPort: 443 },
  })
  const texts = (key: string, nodeMark?: string): readonly string[] => {
    const server = nodeMark === undefined ? own : { ...own, nodeMark }
    const { recorded } = nodesOut([out('n1', { servers: [server] })])
    return outsideFile(recorded, aSpec({ balancers: [marked(key)] })).map(({ text }) => text)
  }
  assert.deepEqual(texts('example.com/off', 'label example.com/out'), [
    'n1 was taken out of "edge" by label example.com/out on its Node, which the file does not have',
  ])
  assert.deepEqual(texts('example.com/out', 'label example.com/out'), [])
  assert.deepEqual(texts('example.com/off'), [], 'a record of an earlier version does not say it')
})

test('a record that names a server elsewhere keeps no run from putting the node back', () => {
  const [own] = aRecord().servers
  assert.ok(own)
  const { recorded } = nodesOut([out('n1', { servers: [own, { ...own, balancer: 'theirs', address: '10.9.9.9' }] })])
  assert.deepEqual(outsideFile(recorded, aSpec()), [])
})

test('of a node under way the plan of the rest minds the way to the machine alone', () => {
  const error = (code: string, node?: string): PlanFinding => ({
    severity: 'error',
    code,
    text: code,
    ...(node === undefined ? {} : { node }),
  })
  const findings = [
    error('NodeRecorded', 'n2'),
    error('HOST_TIMEOUT', 'n2'),
    error('HostMayNotReboot', 'n2'),
    error('HOST_TIMEOUT', 'n3'),
    error('BALANCER_UNREACHABLE'),
    error('NoNodes'),
  ]
  const plan = { cluster: 'c', nodes: [], skipped: [], unmatchedServers: [], findings, load: [], checksPassed: 0 }
  assert.deepEqual(restOfPlan(plan, [{ name: 'n2', kind: 'node', hasRebooted: false }]).findings.map(shown), [
    'HostMayNotReboot n2',
    'HOST_TIMEOUT n3',
    'BALANCER_UNREACHABLE',
  ])
})

test('of a machine under way it also minds what the machine says itself, and of one that has rebooted no right to reboot', () => {
  const codes = [
    'HOST_TIMEOUT',
    'BALANCER_UNREACHABLE',
    'HOST_DENIED',
    'HostCannotMove',
    'HostIsNode',
    'HostIsOurs',
    'HostMayNotReboot',
  ]
  const findings = codes.map((code): PlanFinding => ({ severity: 'error', code, node: 'lb-1', text: code }))
  const plan = { cluster: 'c', nodes: [], skipped: [], unmatchedServers: [], findings, load: [], checksPassed: 0 }
  const minded = (hasRebooted: boolean) =>
    restOfPlan(plan, [{ name: 'lb-1', kind: 'host', hasRebooted }]).findings.map(({ code }) => code)
  assert.deepEqual(minded(false), codes.slice(2))
  assert.deepEqual(minded(true), codes.slice(2, 5))
})

const shown = ({ code, node }: PlanFinding): string => `${code} ${node ?? ''}`.trim()
