import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { AgentLife } from '../../support/agent/agent-life.ts'

/** An agent answers, and another one begins beside it. */
async function beside(t: TestContext) {
  const life = await new AgentLife(t).start()
  const next = new AgentLife(t, {}, undefined, life)
  return { life, next, caller: { address: '10.0.0.9', port: 1 } }
}

test('an agent that waits beside another writes nothing over that the other remembers or owes', async (t) => {
  const { life, next, caller } = await beside(t)
  life.feed.node({ excluded: true })
  life.agent.agentCheckLine(caller)
  await life.clock.advance(1_000)
  const left = [...life.store.texts]
  assert.deepEqual(left.map(([file]) => file).toSorted(), ['memory', 'owed'])
  await life.kill()
  next.feed.node()
  await next.start({ isBeside: true })
  await next.clock.advance(700_000)
  assert.equal(next.now, 'up InService')
  assert.deepEqual([...next.store.texts], left)
  await next.takeOver()
  await next.clock.advance(10)
  assert.notEqual(next.store.texts.get('memory'), new Map(left).get('memory'))
})

test('it goes on from what the other has remembered meanwhile: whom it owes, and what it said where the API is away', async (t) => {
  for (const isHeard of [true, false]) {
    const { life, next, caller } = await beside(t)
    life.feed.node()
    await life.clock.advance(1_000)
    if (isHeard) next.feed.node()
    await next.start({ isBeside: true })
    life.feed.node({ excluded: true })
    assert.equal(life.agent.agentCheckLine(caller), 'up drain')
    await life.clock.advance(1_000)
    await life.kill()
    await next.takeOver()
    assert.equal(next.now, isHeard ? 'up InService' : 'drain NodeExcluded')
    next.feed.node()
    assert.equal(next.agent.agentCheckLine(caller), 'up ready')
  }
})

test('an address that heard the end of the drain meanwhile is owed nothing', async (t) => {
  const { life, next, caller } = await beside(t)
  life.feed.node({ excluded: true })
  life.agent.agentCheckLine(caller)
  await life.clock.advance(1_000)
  next.feed.node()
  await next.start({ isBeside: true })
  life.feed.node()
  for (const line of ['up ready', 'up']) {
    assert.equal(life.agent.agentCheckLine(caller), line)
    await life.clock.advance(1_001)
  }
  await life.kill()
  await next.takeOver()
  assert.equal(next.agent.agentCheckLine(caller), 'up')
})
