import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AgentLife } from '../../support/agent/agent-life.ts'
import { REQUEST } from '../../support/agent-world.ts'

const CORDONED = { unschedulable: true }
const ASKED = { maintenance: REQUEST }

test('what the API tells is answered at once', async (t) => {
  const life = await new AgentLife(t).start()
  assert.equal(life.now, 'down ColdStart')
  life.feed.node()
  assert.equal(life.now, 'up InService')
  life.feed.node(CORDONED)
  assert.equal(life.now, 'drain Cordoned')
})

test('law: an API server that is away changes no answer of an agent, unless its options say so; for an hour, and over a restart of the agent', async (t) => {
  const life = await new AgentLife(t).start()
  life.feed.node({ excluded: true })
  await life.clock.advance(10)
  life.feed.away()
  await life.clock.advance(3_600_000)
  assert.equal(life.now, 'drain NodeExcluded')
  await life.restart()
  assert.equal(life.now, 'drain NodeExcluded')
  await life.clock.advance(3_600_000)
  assert.equal(life.now, 'drain NodeExcluded')
  life.feed.node()
  assert.equal(life.now, 'up InService')
})

test('a machine that has booted while the API server is away is out until that tells of the node', async (t) => {
  const life = await new AgentLife(t).start()
  life.feed.node()
  await life.clock.advance(10)
  life.feed.away()
  await life.reboot()
  await life.clock.advance(3_600_000)
  assert.equal(life.now, 'down ColdStart')
  life.feed.node()
  assert.equal(life.now, 'up InService')
})

test('law: a request is acknowledged once it is synced to the disk of its node; a request is acknowledged once it is on the disk, and never if the disk is full', async (t) => {
  const life = await new AgentLife(t).start()
  life.store.full.add('kept')
  life.feed.node(ASKED)
  assert.equal(life.now, 'drain Maintenance')
  await life.clock.advance(5_000)
  assert.deepEqual(life.agent.status().acknowledged, [])
  assert.deepEqual(life.agent.status().trouble, ['kept: no space left'])
  life.store.full.clear()
  await life.clock.advance(1_000)
  assert.deepEqual([life.agent.status().acknowledged, life.agent.status().trouble], [['r-1'], []])
})

test('a request survives the reboot that it was made for, until the API shows that it is withdrawn', async (t) => {
  const life = await new AgentLife(t).start()
  life.feed.node(ASKED)
  await life.clock.advance(10)
  life.feed.away()
  await life.reboot()
  await life.clock.advance(3_600_000)
  assert.equal(life.now, 'drain MaintenanceKept')
  life.feed.node(ASKED)
  await life.clock.advance(10)
  assert.equal(life.now, 'drain Maintenance')
  life.feed.node()
  await life.clock.advance(10)
  assert.equal(life.now, 'up InService')
  await life.reboot()
  await life.clock.advance(10)
  assert.equal(life.now, 'up InService')
})

test('a Node that was registered anew without the request withdraws nothing; an explicit withdrawal does', async (t) => {
  const life = await new AgentLife(t).start()
  life.feed.node(ASKED)
  await life.clock.advance(10)
  life.feed.noNode()
  life.feed.node({ uid: 'uid-of-another' })
  await life.clock.advance(10)
  assert.equal(life.now, 'drain MaintenanceKept')
  life.feed.node({ uid: 'uid-of-another', maintenance: 'withdrawn' })
  await life.clock.advance(10)
  assert.equal(life.now, 'up InService')
})

test('a kept request on the disk that makes no sense keeps the node out, since the agent cannot know what it said', async (t) => {
  const life = new AgentLife(t)
  life.store.texts.set('kept', '{"version":')
  life.feed.node()
  await life.start()
  await life.clock.advance(10)
  assert.equal(life.now, 'drain MaintenanceKept')
  assert.deepEqual(life.agent.status().acknowledged, [])
})

test('a disk that cannot be read may bear a request, until it can', async (t) => {
  const life = new AgentLife(t)
  life.store.broken = true
  life.feed.node()
  await life.start()
  await life.clock.advance(5_000)
  assert.equal(life.now, 'drain MaintenanceKept')
  assert.equal(life.agent.status().isKeptKnown, false)
  life.store.broken = false
  await life.clock.advance(2_000)
  assert.equal(life.now, 'up InService')
  life.store.broken = true
  await life.clock.advance(2_000)
  assert.deepEqual([life.now, life.agent.status().isKeptKnown], ['up InService', true])
})

test('a balancer whose IPv4 address is written as IPv6 is the one that was declared', async (t) => {
  const life = await new AgentLife(t).start()
  const caller = { address: '::ffff:10.0.0.9', port: 1 }
  life.feed.node({ excluded: true })
  assert.equal(life.agent.agentCheckLine(caller), 'up drain')
  life.feed.node()
  assert.equal(life.agent.agentCheckLine(caller), 'up ready')
  await life.clock.advance(1_001)
  assert.equal(life.agent.agentCheckLine(caller), 'up')
  assert.deepEqual(
    life.agent.status().polls.map(({ address }) => address),
    ['10.0.0.9'],
  )
})

test('a node that the API knows no more leaves, and comes back when it is there again', async (t) => {
  const life = await new AgentLife(t, { upDelayMs: 5_000 }).start()
  life.feed.node()
  await life.clock.advance(5_000)
  life.feed.noNode()
  assert.equal(life.now, 'drain NodeGone')
  life.feed.node({ uid: 'uid-of-another' })
  assert.equal(life.now, 'drain Returning')
  await life.clock.advance(5_000)
  assert.equal(life.now, 'up InService')
})

test('an override is heeded within a second, and its end, too', async (t) => {
  const life = await new AgentLife(t).start()
  life.feed.node()
  life.store.texts.set('override', 'drain until the disk is changed\n')
  await life.clock.advance(1_000)
  assert.equal(life.now, 'drain Overridden')
  for (const text of ['perhaps', 'Drain', '']) {
    life.store.texts.set('override', text)
    await life.clock.advance(1_000)
    assert.equal(life.now, 'drain Overridden')
    assert.deepEqual(life.agent.status().trouble, ['the override file must begin with up, drain or down'])
  }
  life.store.broken = true
  await life.clock.advance(1_000)
  assert.equal(life.now, 'drain Overridden')
  life.store.broken = false
  life.store.texts.delete('override')
  await life.clock.advance(1_000)
  assert.equal(life.now, 'up InService')
  assert.deepEqual(life.agent.status().trouble, [])
})

test('a full tmpfs costs a restarted agent its memory and nothing else', async (t) => {
  const life = await new AgentLife(t).start()
  life.store.full.add('memory')
  life.feed.node({ excluded: true })
  await life.clock.advance(2_000)
  assert.equal(life.now, 'drain NodeExcluded')
  await life.restart()
  await life.clock.advance(10)
  assert.equal(life.now, 'drain NodeExcluded')
})

test('on a full tmpfs no memory is left that says what is over, and one that says what is still so is', async (t) => {
  const life = await new AgentLife(t).start()
  life.feed.node()
  await life.clock.advance(1_000)
  life.store.full.add('memory')
  life.feed.node({ resourceVersion: '77' })
  await life.clock.advance(2_000)
  life.feed.away()
  await life.restart()
  assert.equal(life.now, 'up InService')
  life.feed.node({ unschedulable: true })
  await life.clock.advance(2_000)
  assert.equal(life.now, 'drain Cordoned')
  assert.equal(life.store.texts.has('memory'), false)
  life.feed.away()
  await life.restart()
  await life.clock.advance(60_000)
  assert.equal(life.now, 'down ColdStart')
})

test('debts of a drain that a full tmpfs could not remember are read from the disk', async (t) => {
  const life = await new AgentLife(t).start()
  const caller = { address: '10.0.0.9', port: 1 }
  life.feed.node()
  await life.clock.advance(1_000)
  life.store.full.add('memory')
  life.feed.node({ excluded: true })
  assert.equal(life.agent.agentCheckLine(caller), 'up drain')
  await life.clock.advance(2_000)
  await life.restart()
  life.feed.node()
  await life.clock.advance(10)
  assert.equal(life.agent.agentCheckLine(caller), 'up ready')
})

test('a clock that is set changes no answer and no time that is waited for', async (t) => {
  const life = await new AgentLife(t, { upDelayMs: 5_000 }).start()
  life.feed.node({ excluded: true })
  await life.clock.advance(10)
  life.feed.node()
  for (const byMs of [3_600_000, -7_200_000]) life.clock.jumpWall(byMs)
  await life.clock.advance(4_000)
  assert.equal(life.now, 'drain Returning')
  await life.clock.advance(1_100)
  assert.equal(life.now, 'up InService')
})

test('polls are counted by address, and anew when the answer changes', async (t) => {
  const life = await new AgentLife(t).start()
  life.feed.node()
  for (const port of [1, 2, 3]) life.agent.asked({ address: '10.0.0.9', port })
  life.agent.asked({ address: '10.0.0.8', port: 1 })
  life.feed.node({ excluded: true })
  life.agent.asked({ address: '10.0.0.9', port: 4 })
  const seen = life.agent
    .status()
    .polls.map(({ address, answer, total, sinceAnswer }) => [address, answer, total, sinceAnswer])
  assert.deepEqual(seen, [
    ['10.0.0.8', 'up', 1, 0],
    ['10.0.0.9', 'drain', 4, 1],
  ])
})

test('polls of an earlier drain say nothing of the one that is now', async (t) => {
  const life = await new AgentLife(t).start()
  const poll = (times: number): void => {
    for (let i = 0; i < times; i++) life.agent.asked({ address: '10.0.0.9', port: i })
  }
  const counts = () => life.agent.status().polls.map(({ answer, total, sinceAnswer }) => [answer, total, sinceAnswer])
  life.feed.node({ excluded: true })
  poll(3)
  assert.deepEqual(counts(), [['drain', 3, 3]])
  life.feed.node({ excluded: true, unschedulable: true })
  assert.deepEqual(counts(), [['drain', 3, 3]])
  // In between the answer was up, and no client asked.
  life.feed.node()
  life.feed.node({ excluded: true })
  assert.deepEqual(counts(), [['drain', 3, 0]])
  poll(1)
  assert.deepEqual(counts(), [['drain', 4, 1]])
})

test('it tells for how long the API server was not heard, and nothing of it while it is heard', async (t) => {
  const life = await new AgentLife(t).start()
  life.feed.node()
  assert.equal(life.agent.status().unheardForMs, undefined)
  life.feed.away()
  await life.clock.advance(4_000)
  life.feed.away()
  await life.clock.advance(1_500)
  assert.equal(life.agent.status().unheardForMs, 5_500)
  life.feed.node()
  assert.equal(life.agent.status().unheardForMs, undefined)
})

test('an answer that changes by time alone changes on time, between two looks at the files', async (t) => {
  const life = await new AgentLife(t, { upDelayMs: 300 }).start()
  life.feed.node({ excluded: true })
  await life.clock.advance(10)
  life.feed.node()
  await life.clock.advance(290)
  assert.equal(life.now, 'drain Returning')
  await life.clock.advance(20)
  assert.equal(life.now, 'up InService')
})
