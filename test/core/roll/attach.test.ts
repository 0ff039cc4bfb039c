import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide } from '../../../src/core/roll/decide.ts'
import type { ServerReading } from '../../../src/model/balancer.ts'
import type { NodeRecord } from '../../../src/model/node-record.ts'
import { settled, withPort } from '../../support/roll-stages.ts'
import { anInstance, aRecord, aServer, aSnapshot } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const was = (state: 'ready' | 'drain' | 'maint'): NodeRecord =>
  aRecord({ servers: aRecord().servers.map((server) => ({ ...server, state })) })

/** What is decided for a settled node whose server is so now; before us it was in service, unless told otherwise. */
function next(server: Partial<ServerReading>, record = was('ready')): string {
  const servers = [aServer('n1', server), aServer('n2'), aServer('n3')]
  return shortDecision(decide(withPort(aSnapshot({ ...settled, record, servers }))))
}

test('out of maint a server goes to drain first, where its checks run and nothing is sent', () => {
  assert.equal(next({ adminState: 'maint', check: 'passing' }), 'act attach: setServer drain')
  assert.equal(next({ adminState: 'drain', check: 'failing' }), 'hold attach: NotUpYet')
  assert.equal(next({ adminState: 'drain', check: 'passing' }), 'act attach: setServer ready')
})

test('a server that is told ready is waited for until it is up', () => {
  assert.equal(next({ adminState: 'ready', operational: 'down', check: 'failing' }), 'hold attach: NotUpYet')
  assert.equal(next({ adminState: 'ready', operational: 'up' }), 'hold soak: Soaking')
})

test('what was out before us goes back to where it was, and is not put into service', () => {
  assert.equal(next({ adminState: 'drain' }, was('maint')), 'act attach: setServer maint')
  assert.equal(next({ adminState: 'maint' }, was('maint')), 'hold soak: Soaking')
  assert.equal(next({ adminState: 'maint', ownState: 'maint' }, was('drain')), 'act attach: setServer drain')
})

test('connections to the machine before its reboot are dropped before it serves', () => {
  assert.equal(next({ adminState: 'drain', idleConnections: 2 }), 'act attach: setServer maint')
})

test('a server without a check is put back only where its data port answers', () => {
  const unchecked = [aServer('n1', { adminState: 'drain', check: 'none' }), aServer('n2')]
  const s = aSnapshot({
    ...settled,
    servers: unchecked,
    evidence: { ...settled.evidence, attachingSince: settled.evidence.returned.at },
  })
  assert.equal(shortDecision(decide(s)), 'hold attach: NotUpYet')
  assert.equal(shortDecision(decide(withPort(s))), 'act attach: setServer ready')
})

test('an instance that is silent keeps every server out', () => {
  const instances = [anInstance([aServer('n1', { adminState: 'drain' }), aServer('n2')], { silentForMs: 1 })]
  assert.equal(
    shortDecision(decide(withPort(aSnapshot({ ...settled, change: { instances } })))),
    'hold attach: InstanceSilent',
  )
})
