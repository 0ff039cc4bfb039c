import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BalancerDoor, OpenBalancerDoor } from './balancer-door.ts'
import { serverOf, statOf } from './server-of.ts'

const wordOnceSaid = async (door: BalancerDoor, line: string, wanted: string): Promise<void> => {
  door.sayAgent(line)
  await door.until(`${line} to be ${wanted}`, async () => (await statOf(door, 'asked/a', 'status')) === wanted)
}

export function agentsContract(open: OpenBalancerDoor): void {
  test('an agent takes its server out and brings it back, by each of its words', async (t) => {
    const door = await open(t, { beside: 'asked' })
    await door.until('the agent to be asked', async () => (await statOf(door, 'asked/a', 'agent_status')) === 'L7OK')
    assert.deepEqual([(await serverOf(door, 'asked/a')).agent, (await serverOf(door, 'asked/b')).agent], [true, false])
    await wordOnceSaid(door, 'drain', 'DRAIN (agent)')
    assert.equal((await serverOf(door, 'asked/a')).adminState, 'drain')
    await wordOnceSaid(door, 'ready', 'no check')
    await wordOnceSaid(door, 'down # on fire', 'DOWN (agent)')
    assert.deepEqual(
      [await statOf(door, 'asked/a', 'agent_status'), await statOf(door, 'asked/a', 'agent_health')],
      ['L7STS', '0'],
    )
    await wordOnceSaid(door, 'up', 'no check')
    await wordOnceSaid(door, 'maint', 'MAINT')
    await wordOnceSaid(door, 'ready, up', 'no check')
  })

  test('an agent sets weights in percent and limits, and one that says nothing changes nothing', async (t) => {
    const door = await open(t, { beside: 'asked' })
    door.sayAgent('50% maxconn:7')
    await door.until('the weight to be set', async () => (await statOf(door, 'asked/a', 'uweight')) === '50')
    assert.deepEqual([await statOf(door, 'asked/a', 'weight'), await statOf(door, 'asked/a', 'slim')], ['50', '7'])
    door.sayAgent('')
    await door.until('it to say nothing', async () => (await statOf(door, 'asked/a', 'agent_status')) === 'CHECKED')
    assert.equal(await statOf(door, 'asked/a', 'uweight'), '50')
  })

  test('what people say of an agent holds until it is asked next; disabled it says nothing', async (t) => {
    const door = await open(t, { beside: 'asked' })
    await door.until('the agent to be asked', async () => (await statOf(door, 'asked/a', 'agent_status')) === 'L7OK')
    assert.equal(await door.command('disable agent asked/a'), '\n')
    assert.equal(await statOf(door, 'asked/a', 'agent_status'), '')
    const { agent, agentDisabled } = await serverOf(door, 'asked/a')
    assert.deepEqual([agent, agentDisabled], [true, true], 'a reload would begin it again')
    assert.equal(
      await door.command('set server asked/a agent down'),
      'agent checks are not enabled on this server.\n\n',
    )
    await door.command('enable agent asked/a')
    assert.equal((await serverOf(door, 'asked/a')).agentDisabled, undefined)
    assert.equal(await door.command('set server asked/a agent down'), '\n')
    await door.until('it to be up again', async () => (await serverOf(door, 'asked/a')).operational === 'up')
    assert.equal(
      await door.command('set server asked/a agent bogus'),
      "'set server <srv> agent' expects 'up' or 'down'.\n\n",
    )
  })
}
