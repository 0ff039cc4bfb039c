import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataPortFindings, servingPorts } from '../../../../src/roll/decide/plan/data-port-findings.ts'
import type { ServerReading } from '../../../../src/service/model/balancer.ts'
import { aNode, anInstance, aServer, aSpec } from '../../../support/roll-world.ts'
import { planSnapshot as facts } from '../plan-snapshot.ts'

const NODES = [aNode('n1')]

const of = (n1: Partial<ServerReading>, change: Parameters<typeof facts>[0] = {}) =>
  facts({ instances: [anInstance([aServer('n1', n1), aServer('n2')])], ...change })

const found = (s: ReturnType<typeof of>) =>
  dataPortFindings(s, NODES).map(({ severity, code, text }) => `${severity} ${code}: ${text}`)

test('the ports at which nodes of the roll serve are asked, each once', () => {
  assert.deepEqual(servingPorts(of({}), NODES), [{ address: '10.0.0.1', port: 30080 }])
  const asked = (n1: Partial<ServerReading>) => servingPorts(of(n1), NODES).length
  assert.equal(asked({ ownState: 'maint', adminState: 'maint' }), 0, 'out')
  assert.equal(asked({ operational: 'down' }), 0, 'down')
  assert.equal(asked({ uncheckedYet: true }), 0, 'not checked yet')
  assert.equal(asked({ port: 0 }), 0, 'without a port')
  const { settle } = aSpec()
  assert.equal(servingPorts(of({}, { spec: aSpec({ settle: { ...settle, dataPort: false } }) }), NODES).length, 0)
})

test('a port where a node serves and nothing answers this machine forbids the roll', () => {
  const silentPorts = [{ address: '10.0.0.1', port: 30080 }]
  assert.deepEqual(found(of({}, { silentPorts })), [
    'error DataPortSilent: nothing answers this machine at 10.0.0.1:30080, where a balancer sends: after a reboot the roll would wait for it in vain',
  ])
  assert.deepEqual(found(of({}, { silentPorts: [] })), [])
  const [finding] = dataPortFindings(of({ port: 10 }, { silentPorts: [{ address: 'fd00::1', port: 10 }] }), NODES)
  assert.equal(
    finding?.fix,
    'let this machine reach that port, or set settle.dataPort: false, so that only the checks of the balancer count. HAProxy shows a port with a sign in haproxy.cfg, such as ":+10", without it, and sends to another one: no answer comes there, so set settle.dataPort: false',
  )
})

test('a server without a port of its own needs a check, and is named', () => {
  assert.deepEqual(found(of({ port: 0 })), [
    'warning DataPortUnknown: web/n1 on lb-1 has no fixed port in haproxy.cfg: none at all, or an offset to the port of the client. Only its check tells that the node is back',
  ])
  assert.deepEqual(found(of({ port: 0, check: 'none' })), [
    'error DataPortUnknown: web/n1 on lb-1 has no fixed port in haproxy.cfg: none at all, or an offset to the port of the client. Without a check nothing would tell that the node is back',
  ])
})
