import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { AgentLife } from '../../support/agent/agent-life.ts'
import { ToldGrantsFeed } from '../../support/agent/told-grants-feed.ts'

const CORDONED = { unschedulable: true }

async function braked(t: TestContext): Promise<{ readonly life: AgentLife; readonly grants: ToldGrantsFeed }> {
  const grants = new ToldGrantsFeed()
  const life = await new AgentLife(t, {}, grants).start()
  return { life, grants }
}

/** The answer with its reasons, and the brake. */
const now = (life: AgentLife): string => `${life.now}, ${life.agent.status().brake}`

test('where no brake is looked for there is none', async (t) => {
  const life = await new AgentLife(t).start()
  life.feed.node(CORDONED)
  assert.equal(now(life), 'drain Cordoned, none')
})

test('law: a cordon takes a node out only where there is no brake, or the brake names the node; it counts once there is no brake or it names the node, and not a moment longer', async (t) => {
  const { life, grants } = await braked(t)
  life.feed.node()
  grants.granted('n2')
  assert.equal(now(life), 'up InService, withheld')
  life.feed.node(CORDONED)
  assert.equal(now(life), 'up CordonNotGranted, withheld')
  grants.granted('n1', 'n2')
  assert.equal(now(life), 'drain Cordoned, granted')
  grants.granted('n2')
  assert.equal(now(life), 'up CordonNotGranted, withheld')
  grants.deleted()
  assert.equal(now(life), 'drain Cordoned, none')
  grants.granted()
  assert.equal(now(life), 'up CordonNotGranted, withheld')
  grants.noObject()
  assert.equal(now(life), 'drain Cordoned, none')
})

test('an API server that is away changes nothing of the brake, over a restart of the agent, too', async (t) => {
  const { life, grants } = await braked(t)
  for (const [names, answer] of [
    [['n1'], 'drain Cordoned, granted'],
    [['n2'], 'up CordonNotGranted, withheld'],
  ] as const) {
    life.feed.node(CORDONED)
    grants.granted(...names)
    await life.clock.advance(10)
    life.feed.away()
    grants.away()
    await life.clock.advance(3_600_000)
    assert.equal(now(life), answer)
    await life.restart()
    await life.clock.advance(10)
    assert.equal(now(life), answer)
  }
})

test('law: a brake that cannot be read takes no node out and puts none back', async (t) => {
  for (const fails of ['senseless', 'forbidden'] as const) {
    const { life, grants } = await braked(t)
    life.feed.node(CORDONED)
    grants.granted('n1')
    grants[fails]()
    assert.equal(now(life), 'drain Cordoned, unknown', fails)
    await life.clock.advance(10)
    await life.restart()
    assert.equal(now(life), 'drain Cordoned, unknown', fails)
    life.feed.node()
    life.feed.node(CORDONED)
    assert.equal(now(life), 'up BrakeUnknown, unknown', fails)
    assert.equal(life.agent.status().trouble.length, 1)
    await life.clock.advance(10)
    assert.equal(now(life), 'up BrakeUnknown, unknown', fails)
    grants.granted('n1')
    assert.equal(now(life), 'drain Cordoned, granted', fails)
    assert.deepEqual(life.agent.status().trouble, [])
  }
})

test('a grant that was heard before the end of the last cordon is read once more when the next cordon begins', async (t) => {
  const { life, grants } = await braked(t)
  life.feed.node(CORDONED)
  grants.granted('n1')
  life.feed.node()
  life.feed.node(CORDONED)
  assert.equal(now(life), 'up BrakeUnknown, unknown')
  await life.clock.advance(10)
  assert.equal(now(life), 'drain Cordoned, granted')
})

test('what keeps the brake from being read is reported', async (t) => {
  const { life, grants } = await braked(t)
  grants.forbidden()
  assert.deepEqual(life.agent.status().trouble, [
    'it is not known which cordons are granted: list configmaps: forbidden',
  ])
  grants.senseless()
  assert.deepEqual(life.agent.status().trouble, ['the ConfigMap of the granted cordons is malformed'])
  grants.away()
  assert.deepEqual(life.agent.status().trouble, ['the ConfigMap of the granted cordons is malformed'])
  grants.noObject()
  assert.deepEqual(life.agent.status().trouble, [])
})

test('a cordoned machine that has just booted stays out until the brake is heard of', async (t) => {
  const { life, grants } = await braked(t)
  life.feed.node(CORDONED)
  grants.granted('n1')
  await life.clock.advance(10)
  grants.away()
  await life.reboot()
  await life.clock.advance(60_000)
  assert.equal(now(life), 'down BrakeUnknown, unknown')
  grants.granted('n1')
  assert.equal(now(life), 'drain Cordoned, granted')
  grants.away()
  await life.reboot()
  assert.equal(now(life), 'down BrakeUnknown, unknown')
  grants.forbidden()
  assert.equal(now(life), 'up BrakeUnknown, unknown')
})

test('the brake holds nothing back but cordons', async (t) => {
  const { life, grants } = await braked(t)
  grants.granted()
  life.feed.node({ ...CORDONED, lifecycle: ['DrainInProgress'] })
  assert.equal(now(life), 'drain NodeLeaves, withheld')
})
