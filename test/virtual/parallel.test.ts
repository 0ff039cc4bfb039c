import assert from 'node:assert/strict'
import { fourNodesRolled, oneOfTwoNeverBack } from '../scenarios/two-at-once.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import type { RollGround, Spec } from '../support/roll-ground/roll-ground.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { type ArticleOptions, articleCluster } from '../support/virtual-roll/article-cluster.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'
import { budgetOf, watchOut } from '../support/virtual-roll/watch-out.ts'

const test = simulationTest(import.meta.url)

/** Of virtual time. */
const LIMIT_MS = 3_600_000
const FOUR: ArticleOptions = { nodes: 4, darkMs: 20_000 }
const SSH = { configFile: '/etc/ssh/ssh_config', command: ['systemctl', 'reboot'] }
const TWO: Spec = { parallel: 2, soak: '2s' }
const ONCE = { n1: 1, n2: 1, n3: 1, n4: 1 }

interface Story {
  readonly ground: RollGround
  readonly out: ReturnType<typeof watchOut>
}

/** `maxOut`: of the budget object. */
async function onCluster(
  { maxOut, ...options }: ArticleOptions & { readonly maxOut: string },
  scenario: (story: Story) => Promise<void>,
): Promise<void> {
  const cluster = await articleCluster(options)
  const ground = new VirtualGround(cluster)
  const out = watchOut(cluster)
  const whole = async (): Promise<void> => {
    await ground.apply([budgetOf(maxOut)])
    await scenario({ ground, out })
  }
  await cluster.time.settle(whole(), LIMIT_MS)
  cluster.end()
}

test('two nodes at a time where the budget allows two: never three, without one failed request, and in less than two thirds of the time', async () => {
  const took: number[] = []
  for (const parallel of [1, 2]) {
    await onCluster({ ...FOUR, maxOut: '2' }, async ({ ground, out }) => {
      took.push((await fourNodesRolled(ground, { ...TWO, parallel })).tookMs)
      assert.equal(out.most, parallel, out.together)
    })
  }
  const [alone = 0, together = 0] = took
  assert.ok(together < (alone * 2) / 3, `${together} ms, one at a time ${alone} ms`)
})

test('with room for one in the budget, a roll that would take two nodes takes one at a time and is not held up by that', async () => {
  await onCluster({ ...FOUR, maxOut: '1' }, async ({ ground, out }) => {
    await fourNodesRolled(ground, TWO)
    assert.equal(out.most, 1, out.together)
  })
})

test('of four nodes, two at once, one never comes back: the other is finished, nothing new is begun, and no request fails; resume does the rest', async () => {
  await onCluster({ ...FOUR, darkMs: 5_000, maxOut: '2' }, async ({ ground }) => {
    const reboot = { ssh: SSH, resendAfter: '30s', returnLimit: '12s' }
    await oneOfTwoNeverBack(ground, { ...TWO, soak: '10s', reboot })
  })
})

test('a failed request while two nodes are out stops both lanes: what is not rebooted is restored', async () => {
  await onCluster({ ...FOUR, maxOut: '2' }, async ({ ground }) => {
    const roll = await ground.roll(TWO)
    await Promise.all(['n1', 'n2'].map((node) => roll.untilStep('drain', node)))
    for (const node of ['n3', 'n4']) await ground.powerOff(node)
    const stopped = await roll.until('the stop', (event) => event.type === 'roll.ended')
    assert.ok(stopped.type === 'roll.ended')
    assert.equal(stopped.outcome, 'stopped')
    assert.ok(
      stopped.reasons.some(({ code }) => code === 'RequestsFailed'),
      JSON.stringify(stopped.reasons),
    )
    assert.deepEqual(
      stopped.standings.filter(({ state }) => state === 'notTouched').map(({ node }) => node),
      ['n3', 'n4'],
    )
  })
})

/** By day the one with the most under way. */
const KILLED_IN = process.env.CRASH_STRIDE === '1' ? (['cordon', 'reboot', 'attach'] as const) : (['reboot'] as const)

for (const step of KILLED_IN) {
  test(`killed in step ${step} of the second node while two are in work, and resumed: both nodes go on, each is rebooted once, and no request fails`, async () => {
    await onCluster({ ...FOUR, maxOut: '2' }, async ({ ground, out }) => {
      const boots = ground.countBoots()
      const judge = await ground.judge()
      const roll = await ground.roll(TWO)
      await roll.untilStep(step, 'n2')
      await roll.kill()
      await roll.ended()
      const { code, story } = await (await ground.resume()).ended()
      assert.equal(code, 0, story)
      const { failedRequests, windows } = await judge.verdict()
      assert.deepEqual([failedRequests, windows], [0, []])
      assert.deepEqual(await boots.stop(), ONCE)
      assert.deepEqual(await leftoversOf(ground), [])
      assert.equal(out.most, 2, out.together)
    })
  })
}
