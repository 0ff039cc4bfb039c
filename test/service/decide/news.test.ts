import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { isNodeNews } from '../../../src/roll/decide/is-node-news.ts'
import { isBalancerNews } from '../../../src/service/decide/is-balancer-news.ts'
import type { InstanceReading, ServerReading } from '../../../src/service/model/balancer.ts'
import { RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { aNode, aServer } from '../../support/roll-world.ts'

const reading = (servers: readonly ServerReading[], process = '1'): InstanceReading => ({
  instance: 'lb-1',
  process,
  version: '2.6.12',
  at: monoMs(0),
  servers,
})

const isNews = (was: Partial<ServerReading>, is: Partial<ServerReading>): boolean =>
  isBalancerNews(reading([aServer('n1', was)]), reading([aServer('n1', is)]))

test('the first answer of an instance, another process, and a server more or less are news', () => {
  const one = reading([aServer('n1')])
  assert.equal(isBalancerNews(undefined, one), true)
  assert.equal(isBalancerNews(one, reading([aServer('n1')], '2')), true)
  assert.equal(isBalancerNews(one, reading([aServer('n1'), aServer('n2')])), true)
  assert.equal(isBalancerNews(one, reading([aServer('n2', { address: '10.0.0.1' })])), true)
  assert.equal(isBalancerNews(one, reading([aServer('n1')])), false)
})

const CHANGES: readonly Partial<ServerReading>[] = [
  { adminState: 'drain', ownState: 'ready', inherited: true },
  { ownState: 'drain' },
  { operational: 'down' },
  { check: 'failing' },
  { weight: 0 },
  { address: '10.0.0.9' },
  { port: 1 },
  { agent: true },
  { persistent: true },
  { backup: true },
]
for (const change of CHANGES)
  test(`a server that serves is news once it differs in ${Object.keys(change)[0]}`, () => {
    assert.equal(isNews({}, change), true)
    assert.equal(isNews(change, {}), true)
  })

const COUNTERS: readonly Partial<ServerReading>[] = [
  { currentSessions: 1 },
  { queued: 1 },
  { totalSessions: 101 },
  { idleConnections: 1 },
]
for (const counter of COUNTERS)
  test(`${Object.keys(counter)[0]} is news of a server that is out, and of no other`, () => {
    assert.equal(isNews({}, counter), false)
    for (const state of ['drain', 'maint'] as const) {
      const out = { adminState: state, ownState: state }
      assert.equal(isNews(out, { ...out, ...counter }), true)
    }
  })

test('a heartbeat alone is no news of a node, but of one that bears a record', () => {
  const beat = { heartbeat: '2026-01-01T00:00:10Z', resourceVersion: '2' }
  assert.equal(isNodeNews(aNode('n1'), aNode('n1', beat)), false)
  const annotations = { [RECORD_ANNOTATION]: '{}' }
  assert.equal(isNodeNews(aNode('n1', { annotations }), aNode('n1', { annotations, ...beat })), true)
  assert.equal(isNodeNews(aNode('n1', { annotations }), aNode('n1')), true)
})

const NODE_CHANGES: readonly Partial<Node>[] = [
  { uid: 'another' },
  { ready: 'Unknown' },
  { bootId: 'another' },
  { unschedulable: true },
  { labels: { a: 'b' } },
  { annotations: { a: 'b' } },
  { taints: [{ key: 'a', effect: 'NoSchedule' }] },
  { internalAddresses: ['10.0.0.9'] },
  { volumesAttached: ['a'] },
  { deleting: true },
  { lifecycle: ['DrainInProgress'] },
]
for (const change of NODE_CHANGES)
  test(`a node is news once it differs in ${Object.keys(change)[0]}`, () => {
    assert.equal(isNodeNews(aNode('n1'), aNode('n1', change)), true)
    assert.equal(isNodeNews(aNode('n1', change), aNode('n1')), true)
  })
