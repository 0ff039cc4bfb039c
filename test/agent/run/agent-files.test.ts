import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AgentLife } from '../../support/agent/agent-life.ts'
import { KEPT, REQUEST } from '../../support/agent-world.ts'

const ASKED = { maintenance: REQUEST }
/** As another agent of the node writes it. */
const NEWER = JSON.stringify({
  ...KEPT,
  resourceVersion: '200',
  claims: KEPT.claims.map((claim) => ({ ...claim, id: 'r-2' })),
})
const DECLARED = { address: '10.0.0.9', port: 1 }
const OTHER = { address: '10.0.0.8', port: 1 }

test('law: a request leaves the disk of its node by what is newer alone; a request that another agent of the node has written is neither removed nor replaced by what is older', async (t) => {
  for (const facts of [{}, { maintenance: 'withdrawn' }, ASKED]) {
    const life = await new AgentLife(t).start()
    life.feed.node(ASKED)
    await life.clock.advance(10)
    life.store.texts.set('kept', NEWER)
    life.feed.node({ ...facts, resourceVersion: '150' })
    await life.clock.advance(5_000)
    assert.match(life.store.texts.get('kept') ?? '', /"id":"r-2"/)
    assert.match(life.now, /^drain Maintenance/)
    life.feed.node({ resourceVersion: '201' })
    await life.clock.advance(5_000)
    assert.equal(life.store.texts.get('kept'), undefined)
    assert.equal(life.now, 'up InService')
  }
})

test('what another agent writes between a look and a write is looked at once more', async (t) => {
  const life = await new AgentLife(t).start()
  life.feed.node(ASKED)
  await life.clock.advance(10)
  life.store.after.set('override', () => life.store.texts.set('kept', NEWER))
  life.feed.node({ resourceVersion: '150' })
  await life.clock.advance(5_000)
  assert.match(life.store.texts.get('kept') ?? '', /"id":"r-2"/)
  assert.equal(life.now, 'drain MaintenanceKept')
})

test('a request that another program removed from the disk is written again while it is asked for', async (t) => {
  const life = await new AgentLife(t).start()
  life.feed.node(ASKED)
  await life.clock.advance(10)
  life.store.texts.delete('kept')
  await life.clock.advance(2_000)
  assert.match(life.store.texts.get('kept') ?? '', /"id":"r-1"/)
})

test('law: a request is acknowledged once it is synced to the disk of its node; a request that can be read and would not survive a power cut is not acknowledged', async (t) => {
  const life = await new AgentLife(t).start()
  life.store.unsynced.add('kept')
  life.feed.node(ASKED)
  await life.clock.advance(5_000)
  assert.match(life.store.texts.get('kept') ?? '', /"id":"r-1"/)
  assert.deepEqual(life.agent.status().acknowledged, [])
  life.store.unsynced.clear()
  await life.clock.advance(1_000)
  assert.deepEqual(life.agent.status().acknowledged, ['r-1'])
  await life.restart()
  await life.clock.advance(10)
  assert.deepEqual(life.agent.status().acknowledged, ['r-1'])
})

test('a checker that was answered drain hears that the drain is over, though the machine booted in between', async (t) => {
  const life = await new AgentLife(t).start()
  life.feed.node({ unschedulable: true })
  assert.equal(life.agent.agentCheckLine(DECLARED), 'up drain')
  assert.equal(life.agent.agentCheckLine(OTHER), 'up drain')
  await life.clock.advance(10)
  life.feed.away()
  await life.reboot()
  await life.clock.advance(60_000)
  life.feed.node()
  assert.equal(life.now, 'up InService')
  assert.equal(life.agent.agentCheckLine(DECLARED), 'up ready')
  assert.equal(life.agent.agentCheckLine(OTHER), 'up ready')
  assert.equal(life.agent.agentCheckLine({ address: '10.0.0.7', port: 1 }), 'up')
  await life.clock.advance(3_001)
  for (const caller of [DECLARED, OTHER]) assert.equal(life.agent.agentCheckLine(caller), 'up')
  await life.clock.advance(10)
  assert.equal(life.store.texts.has('owed'), false)
  await life.reboot()
  life.feed.node()
  for (const caller of [DECLARED, OTHER]) assert.equal(life.agent.agentCheckLine(caller), 'up')
})

test('a debt that was paid is not owed again since a disk became read-only', async (t) => {
  const life = await new AgentLife(t).start()
  life.feed.node({ unschedulable: true })
  life.agent.agentCheckLine(DECLARED)
  await life.clock.advance(10)
  life.store.readOnly.add('owed')
  life.feed.node()
  life.agent.agentCheckLine(DECLARED)
  await life.clock.advance(1_001)
  assert.equal(life.agent.agentCheckLine(DECLARED), 'up')
  await life.clock.advance(10)
  assert.deepEqual(life.agent.status().trouble, ['owed: read-only'])
  await life.restart()
  assert.equal(life.agent.agentCheckLine(DECLARED), 'up')
})

test('an undeclared address that has not asked for ten minutes of up counts as another client by then', async (t) => {
  const life = await new AgentLife(t).start()
  life.feed.node({ unschedulable: true })
  for (const caller of [DECLARED, OTHER]) life.agent.agentCheckLine(caller)
  await life.clock.advance(3_600_000)
  life.feed.node()
  await life.clock.advance(599_000)
  assert.match(life.store.texts.get('owed') ?? '', /10\.0\.0\.8/)
  await life.clock.advance(3_000)
  assert.equal(life.store.texts.get('owed'), '{"version":1,"addresses":["10.0.0.9"]}')
  assert.equal(life.agent.agentCheckLine(OTHER), 'up')
  assert.equal(life.agent.agentCheckLine(DECLARED), 'up ready')
})

test('a file of debts that cannot be read is not written over, and is heeded once it can', async (t) => {
  const life = new AgentLife(t)
  life.store.texts.set('owed', '{"version":1,"addresses":["10.0.0.8"]}')
  life.store.broken = true
  life.feed.node()
  await life.start()
  await life.clock.advance(3_000)
  assert.match(life.store.texts.get('owed') ?? '', /10\.0\.0\.8/)
  life.store.broken = false
  await life.clock.advance(2_000)
  assert.equal(life.now, 'up InService')
  assert.equal(life.agent.agentCheckLine(OTHER), 'up ready')
})

test('a disk that hangs holds up neither the beginning nor a pass, and takes one thread', async (t) => {
  const life = new AgentLife(t)
  for (const file of ['kept', 'owed', 'override'] as const) life.store.hanging.add(file)
  const started = life.start()
  await life.clock.advance(2_000)
  await started
  assert.equal(life.now, 'drain MaintenanceKept')
  life.feed.node()
  for (let i = 0; i < 60; i++) {
    await life.clock.advance(1_000)
    assert.ok(life.agent.status().filesReadAgoMs <= 1_000)
  }
  assert.equal(life.store.waiting, 1)
  assert.deepEqual(life.agent.status().trouble, [
    'kept: the disk does not answer',
    'owed: the disk does not answer',
    'override: the disk does not answer',
  ])
  life.store.answer()
  await life.clock.advance(2_000)
  assert.equal(life.now, 'up InService')
  assert.deepEqual(life.agent.status().trouble, [])
})

test('a disk that begins to hang changes no answer, and a request is acknowledged when it answers again', async (t) => {
  const life = await new AgentLife(t).start()
  life.feed.node()
  await life.clock.advance(10)
  for (const file of ['kept', 'owed', 'override'] as const) life.store.hanging.add(file)
  await life.clock.advance(60_000)
  assert.equal(life.now, 'up InService')
  life.feed.node(ASKED)
  await life.clock.advance(60_000)
  assert.equal(life.now, 'drain Maintenance')
  assert.deepEqual(life.agent.status().acknowledged, [])
  life.store.answer()
  await life.clock.advance(2_000)
  assert.deepEqual(life.agent.status().acknowledged, ['r-1'])
})

test('a memory that makes no sense is reported until it is not missed any more, and one of another boot is none', async (t) => {
  for (const text of ['', '{"version":1,', '7', `{"version":1,"bootId":"x","evidence":"${'x'.repeat(99_999)}`]) {
    const life = new AgentLife(t)
    life.store.texts.set('memory', text)
    await life.start()
    await life.clock.advance(5_000)
    const trouble = ['the memory of the previous agent is malformed and is ignored']
    assert.deepEqual(life.agent.status().trouble, trouble)
    assert.deepEqual(life.said, trouble)
    life.feed.node()
    assert.deepEqual(life.agent.status().trouble, [])
    const memory = life.store.texts.get('memory') ?? ''
    await life.reboot()
    life.store.texts.set('memory', memory)
    await life.restart()
    assert.deepEqual(life.agent.status().trouble, [])
  }
})

test('a request that cannot be read, since the disk fails to be read, is not written over', async (t) => {
  const life = await new AgentLife(t).start()
  life.store.texts.set('kept', NEWER)
  life.store.broken = true
  life.feed.node(ASKED)
  await life.clock.advance(5_000)
  assert.equal(life.store.texts.get('kept'), NEWER)
  assert.deepEqual(life.agent.status().acknowledged, [])
})

test('a request that is on the disk is not acknowledged while the override file says up', async (t) => {
  const life = await new AgentLife(t).start()
  life.feed.node(ASKED)
  await life.clock.advance(10)
  assert.deepEqual(life.agent.status().acknowledged, ['r-1'])
  life.store.texts.set('override', 'up while the balancer is moved')
  await life.clock.advance(2_000)
  assert.deepEqual([life.now, life.agent.status().acknowledged], ['up Overridden', []])
  assert.match(life.store.texts.get('kept') ?? '', /"id":"r-1"/)
})
