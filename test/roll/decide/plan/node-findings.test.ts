import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../../src/ground/model/node.ts'
import { plainText } from '../../../../src/ground/model/sentence.ts'
import { budgetFindings, nodeChecks } from '../../../../src/roll/decide/plan/node-findings.ts'
import type { PlanSnapshot } from '../../../../src/roll/decide/plan/plan-snapshot.ts'
import type { ServerReading } from '../../../../src/service/model/balancer.ts'
import { formatRecord, RECORD_ANNOTATION } from '../../../../src/service/model/node-record.ts'
import { agents, anEndpoint, OTHERS } from '../../../support/endpoint-world.ts'
import { plain } from '../../../support/plain.ts'
import { aNode, anInstance, aRecord, aServer, aSpec } from '../../../support/roll-world.ts'
import { planSnapshot } from '../plan-snapshot.ts'

/** What the plan says of n1 with that record. */
function recorded(text: string) {
  const node = aNode('n1', { annotations: { [RECORD_ANNOTATION]: text } })
  const instances = [anInstance([aServer('n1'), aServer('n2')])]
  const facts = planSnapshot({ instances }, { nodes: [node, aNode('n2')] })
  return nodeChecks(facts, node)
    .flat()
    .map(({ code, text, fix = '' }) => [code, text, plainText(fix)])
}

test('a node that is out says for which run, and what to type', () => {
  assert.deepEqual(recorded(formatRecord(aRecord())), [
    [
      'NodeRecorded',
      'n1 is kept out by run run-1',
      'evenkeel roll resume run-1, or evenkeel roll abort run-1 (if its journal is lost: evenkeel roll abort run-1 -f roll.yaml)',
    ],
  ])
})

test('a record that cannot be read names no run, however it looks', () => {
  const by = (why: string) => [
    [
      'NodeRecorded',
      `n1 carries a record that cannot be read: ${why}`,
      'put n1 back by hand (docs/put-a-node-back.md), then: kubectl annotate node n1 evenkeel.dev/record-',
    ],
  ]
  assert.deepEqual(recorded('{}'), by('its version is undefined, not 1'))
  assert.deepEqual(recorded(formatRecord(aRecord({ run: 'x; reboot' }))), by('run is not the name of a run'))
})

const found = (node: Node, change: Partial<PlanSnapshot> = {}) => nodeChecks(planSnapshot(change), node).flat()

test('a node that no server leads to is named with its addresses, while every balancer has answered', () => {
  const unbalanced = (addresses: string) => ({
    severity: 'error',
    code: 'NodeUnbalanced',
    node: 'n7',
    text: `n7 (${addresses}) matches no server of any balancer, so nothing would be detached`,
    fix: 'add its backend under "balancers", or set nodes.allowUnbalanced',
  })
  assert.deepEqual(found(aNode('n7')), [unbalanced('10.0.0.7')])
  const internalAddresses = ['10.0.0.7', 'fd00::7']
  assert.deepEqual(found(aNode('n7', { internalAddresses })), [unbalanced('10.0.0.7, fd00::7')])
  assert.deepEqual(found(aNode('n7', { internalAddresses: [] })), [unbalanced('no InternalIP')])
  const { reading: _, ...silent } = anInstance([])
  assert.deepEqual(found(aNode('n7'), { instances: [anInstance([aServer('n1')]), silent] }), [])
})

test('a node with an address that another Node of the cluster has is not rolled, whether that one is rolled or not', () => {
  const servers = [aServer('n1'), aServer('n2'), aServer('n3')]
  const n1 = aNode('n1', { internalAddresses: ['10.0.0.1', '10.0.0.2'] })
  const change = planSnapshot({ instances: [anInstance(servers)] }, { nodes: [n1, aNode('n2'), aNode('n3')] })
  assert.deepEqual(
    found(n1, change).map(({ severity, code, text }) => `${severity} ${code}: ${text}`),
    [
      'error AddressShared: n1 and n2 both have the address 10.0.0.2, so it is not known whose servers and whose machine are there',
    ],
  )
  assert.deepEqual(found(aNode('n3'), change), [])
})

test('a node that one instance of a balancer has, and that another one may have by another address, is not rolled', () => {
  const at = (server: string, address: string, change: Partial<ServerReading> = {}) =>
    aServer(server, { ref: { instance: 'lb-2', backend: 'web', server }, address, ...change })
  const lb1 = anInstance([aServer('n1'), aServer('n2')])
  const codes = (second: readonly ServerReading[], allowUnbalanced = false) => {
    const spec = aSpec({ nodes: { names: [], all: true, allowUnbalanced } })
    const instances = [lb1, anInstance(second, { instance: 'lb-2' })]
    return found(aNode('n1'), { instances, spec }).map(({ severity, code }) => `${severity} ${code}`)
  }
  assert.deepEqual(codes([at('s1', '192.168.7.1'), at('n2', '10.0.0.2')]), ['error NodeNotOnInstance'])
  assert.deepEqual(codes([at('s1', '192.168.7.1')], true), [])
  assert.deepEqual(codes([at('n2', '10.0.0.2')]), [], 'it sends to other nodes alone')
  assert.deepEqual(codes([at('n1', '10.0.0.1'), at('vm', '192.168.7.1')]), [], 'it has the node')
  const spare = at('spare', '127.0.0.1', { adminState: 'maint', ownState: 'maint' })
  assert.deepEqual(codes([spare, at('n2', '10.0.0.2')]), [], 'a spare server is sent nothing')
})

test('a node that shares its kernel with another one is not rolled, since no reboot of it could be seen', () => {
  const codes = (...bootIds: readonly string[]) => {
    const nodes = bootIds.map((bootId, at) => aNode(`n${at + 1}`, { bootId }))
    return nodes.map((node) =>
      found(node, planSnapshot({}, { nodes })).map(({ severity, code }) => `${severity} ${code}`),
    )
  }
  const [one, another] = ['1f0c7a52-3d0e-4b7a-9a61-5d0a0c4e1b2f', '9b1d6a0e-77c4-4e55-8f3c-2f4b6d8a9c01']
  assert.deepEqual(codes(one, one, another), [['error BootIdShared'], ['error BootIdShared'], []])
  assert.deepEqual(codes('7', '7'), [[], []], 'Windows counts its boots, and two machines may have had as many')
})

test('a node whose agent is not heard cannot be taken out of its balancers', () => {
  const instances = (heard: boolean) => ({
    instances: agents([
      anEndpoint('n1', { heard, polls: { '10.0.0.9': 3 } }, { checkText: 'no answer at 10.0.0.1:8081' }),
      ...OTHERS,
    ]),
  })
  assert.deepEqual(found(aNode('n1'), instances(true)), [])
  const unpolled = found(aNode('n1'), { instances: agents([anEndpoint('n1', { heard: true }), ...OTHERS]) })
  assert.deepEqual(
    unpolled.map(({ severity, code }) => `${severity} ${code}`),
    ['warning AgentUnpolled'],
  )
  assert.deepEqual(found(aNode('n1'), instances(false)), [
    {
      severity: 'error',
      code: 'AgentSilent',
      node: 'n1',
      text: 'n1 cannot be taken out of edge: no answer at 10.0.0.1:8081',
      fix: 'let an agent run on it (docs/agent.md), and check healthEndpoint.agentPort',
    },
  ])
})

test('a node without which a backend has no server is named with what to change', () => {
  const servers = [aServer('n1'), aServer('n2', { operational: 'down' })]
  assert.deepEqual(found(aNode('n1'), { instances: [anInstance(servers)] }), [
    {
      severity: 'hold',
      code: 'LastUsableServer',
      node: 'n1',
      text: 'web/n1 is the last usable server of web on lb-1',
      fix: 'bring another server of web up, or set allowLastServer for a pool of one',
    },
  ])
})

test('a node without which a backend has none but backups blocks: no waiting makes one of them a server that counts', () => {
  const servers = [aServer('n1'), aServer('n2', { backup: true }), aServer('n3', { backup: true })]
  const instances = [anInstance(servers)]
  assert.deepEqual(found(aNode('n1'), { instances }), [
    {
      severity: 'block',
      code: 'LastUsableServer',
      node: 'n1',
      text: 'web/n1 is the last usable server of web on lb-1',
      fix: 'every other server of web is a "backup", which does not count: take that word out of one of their lines, or set allowLastServer if they may carry the traffic',
    },
  ])
  assert.deepEqual(found(aNode('n2'), { instances }), [])
})

test('a node that is not Ready says what its condition is', () => {
  assert.deepEqual(plain(found(aNode('n1', { ready: 'Unknown' }))), [
    {
      severity: 'hold',
      code: 'NodeNotReady',
      node: 'n1',
      text: 'n1 is not Ready (Ready is Unknown)',
      fix: 'repair it, or leave it out: kubectl describe node n1',
    },
  ])
})

test('each node that is not Ready or detached uses up the node budget', () => {
  const nodes = [aNode('n1'), aNode('n2', { ready: 'False' }), aNode('n3')]
  const instances = [anInstance([aServer('n1'), aServer('n2'), aServer('n3', { adminState: 'maint' })])]
  assert.deepEqual(plain(budgetFindings(planSnapshot({ instances }, { nodes }))), [
    {
      severity: 'hold',
      code: 'OtherNodeBad',
      node: 'n2',
      text: 'n2 is not Ready (Ready is False) and uses up the node budget while others are rolled',
      fix: 'bring it back; what counts as out: evenkeel budget',
    },
    {
      severity: 'hold',
      code: 'OtherNodeBad',
      node: 'n3',
      text: 'n3 is detached from every balancer and uses up the node budget while others are rolled',
      fix: 'bring it back; what counts as out: evenkeel budget',
    },
  ])
})
