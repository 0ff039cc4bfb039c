import assert from 'node:assert/strict'
import { test } from 'node:test'
import { strangeBackends } from '../../../../src/roll/decide/plan/strange-backends.ts'
import type { ServerReading } from '../../../../src/service/model/balancer.ts'
import { anInstance, aServer, aSpec } from '../../../support/roll-world.ts'
import { planSnapshot } from '../plan-snapshot.ts'

const at = (address: string, change: Partial<ServerReading> = {}) =>
  aServer('s1', { ref: { instance: 'lb-1', backend: 'web6', server: 's1' }, address, ...change })
const found = (servers: readonly ServerReading[], allowUnbalanced = false) =>
  strangeBackends(
    planSnapshot({
      spec: aSpec({ nodes: { names: [], all: true, allowUnbalanced } }),
      instances: [anInstance(servers, { backends: ['web', 'web6'] })],
    }),
  )

test('a backend that has the nodes by other addresses alone would go on sending to them', () => {
  assert.deepEqual(found([aServer('n1'), aServer('n2'), at('2001:db8::1')]), [
    {
      severity: 'error',
      code: 'BalancerBackendNoNode',
      text: 'backend web6 of lb-1 sends to servers of no known node: s1 at 2001:db8::1:30080. Nodes that are there by another address would not be taken out',
      fix: 'give its servers the InternalIP of their nodes, or take web6 out of "backends" if it sends to none',
    },
  ])
})

test('servers beside those of nodes, and servers that are sent nothing, are no such backend', () => {
  const other = aServer('n2', { ref: { instance: 'lb-1', backend: 'web6', server: 'n2' } })
  assert.deepEqual(found([aServer('n1'), at('2001:db8::1'), other]), [])
  assert.deepEqual(found([aServer('n1'), at('127.0.0.1', { adminState: 'maint' })]), [], 'a spare slot')
  assert.deepEqual(found([aServer('n1'), at('10.9.9.9', { operational: 'down' })]), [], 'its node is no more')
  assert.deepEqual(found([aServer('n1'), at('')]), [], 'a name that is not resolved')
  assert.deepEqual(found([at('2001:db8::1')]), [], 'each node has a finding of its own')
  assert.deepEqual(found([aServer('n1'), at('2001:db8::1')], true), [])
})
