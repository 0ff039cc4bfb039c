import assert from 'node:assert/strict'
import { simulationTest } from '../support/simulation-test.ts'
import { OperatorGround } from '../support/virtual-operator/operator-ground.ts'
import { articleCluster } from '../support/virtual-roll/article-cluster.ts'

const test = simulationTest(import.meta.url)

async function ground(): Promise<OperatorGround> {
  return new OperatorGround(await articleCluster({ nodes: 3, graceSeconds: 1 }))
}

test('a Roll that is applied reboots each node once, loses no request, and says so', async (t) => {
  const here = await ground()
  t.after(() => here.cluster.end())
  const before = here.boots()
  const controller = here.begin()
  here.apply('kernel')
  await here.until('the end of the Roll', () => ['Succeeded', 'Stopped'].includes(here.state('kernel')), 900)
  assert.equal(here.state('kernel'), 'Succeeded', JSON.stringify(here.status('kernel'), null, 1))
  const { nodesTotal, nodesDone, requestsFailed, nodes } = here.status('kernel')
  assert.deepEqual([nodesTotal, nodesDone, requestsFailed, nodes], [3, 3, 0, []])
  assert.deepEqual(
    here.boots().map((boots, at) => boots - (before[at] ?? 0)),
    [1, 1, 1],
  )
  assert.deepEqual(here.leftovers(), [])
  assert.equal(controller.error, undefined)
})

/** How often each node was rebooted. */
async function rebooted(here: OperatorGround, work: () => Promise<void>): Promise<readonly number[]> {
  const before = here.boots()
  await work()
  return here.boots().map((boots, at) => boots - (before[at] ?? 0))
}

const ended = (here: OperatorGround, name: string, state: string) =>
  here.until(`${name} to be ${state}`, () => here.state(name) === state, 900)

test('a paused Roll begins nothing, goes on with the node in work where it is paused later, and ends once it goes on', async (t) => {
  const here = await ground()
  t.after(() => here.cluster.end())
  here.begin()
  here.apply('kernel', { paused: true })
  await here.until('a status', () => here.state('kernel') === 'Waiting', 30)
  await here.cluster.time.advance(60_000)
  assert.deepEqual(
    [here.status('kernel').message, here.jobs()],
    ['spec.paused is true: no node is begun until it is false', []],
  )
  const boots = await rebooted(here, async () => {
    here.patch('kernel', { paused: false })
    await here.until(
      'the first node',
      () => (here.status('kernel').nodes as readonly unknown[] | undefined)?.length === 1,
      120,
    )
    here.patch('kernel', { paused: true })
    await here.until('the pause', () => here.status('kernel').nodesDone === 1 && here.state('kernel') === 'Held', 300)
    await here.cluster.time.advance(120_000)
    assert.equal(here.status('kernel').message, 'spec.paused is true: no node is begun until it is false')
    assert.deepEqual([here.status('kernel').nodesDone, here.leftovers()], [1, []])
  })
  assert.deepEqual(boots.toSorted(), [0, 0, 1])
  here.patch('kernel', { paused: false })
  await ended(here, 'kernel', 'Succeeded')
  assert.deepEqual(here.leftovers(), [])
})

test('with approvals each node waits until a person names it', async (t) => {
  const here = await ground()
  t.after(() => here.cluster.end())
  here.begin()
  here.apply('kernel', { approval: 'perNode' })
  const waits = (): string => /^(\S+) waits for an approval/.exec(String(here.status('kernel').message))?.[1] ?? ''
  await here.until('the first question', () => waits() !== '', 120)
  const first = waits()
  await here.cluster.time.advance(60_000)
  assert.equal(here.status('kernel').nodesDone, 0)
  here.patch('kernel', { approved: [first] })
  await here.until('the second question', () => waits() !== '' && waits() !== first, 300)
  assert.equal(here.status('kernel').nodesDone, 1)
  // One edit of both is seen as one: the approval does not overtake the pause.
  here.patch('kernel', { approved: ['all'], paused: true })
  await here.cluster.time.advance(60_000)
  assert.deepEqual([here.status('kernel').nodesDone, here.leftovers()], [1, []])
  here.patch('kernel', { paused: false })
  await ended(here, 'kernel', 'Succeeded')
})

for (const [how, finish] of [
  ['aborted', (here: OperatorGround) => here.patch('kernel', { abort: true })],
  ['deleted', (here: OperatorGround) => here.remove('kernel')],
] as const) {
  test(`a Roll that is ${how} in its midst puts back the node that is out, and begins no other`, async (t) => {
    const here = await ground()
    t.after(() => here.cluster.end())
    here.begin()
    here.apply('kernel')
    const drains = (): boolean =>
      ((here.status('kernel').nodes ?? []) as readonly { readonly step?: string }[]).some(
        ({ step }) => step === 'drain',
      )
    await here.until('a node to be drained', drains, 120)
    finish(here)
    if (how === 'deleted') await here.until('the Roll to be gone', () => here.object('kernel') === undefined, 300)
    else await ended(here, 'kernel', 'Aborted')
    assert.deepEqual(here.leftovers(), [])
    await here.cluster.time.advance(120_000)
    assert.deepEqual(here.leftovers(), [])
    if (how === 'aborted') assert.equal(here.state('kernel'), 'Aborted')
    else await here.until('its Jobs to be gone', () => here.jobs().length === 0, 60)
  })
}

test('of two Rolls the second one waits for the end of the first', async (t) => {
  const here = await ground()
  t.after(() => here.cluster.end())
  here.begin()
  here.apply('first')
  await here.until('the first to run', () => here.state('first') === 'Running', 60)
  here.apply('second')
  await here.until('a status', () => here.state('second') === 'Waiting', 30)
  assert.equal(here.status('second').message, 'Roll first goes first: one Roll works at a time. its run is being begun')
  await ended(here, 'first', 'Succeeded')
  await ended(here, 'second', 'Succeeded')
})

test('a Roll with wrong fields begins nothing, and names each of them', async (t) => {
  const here = await ground()
  t.after(() => here.cluster.end())
  here.begin()
  here.apply('kernel', { drian: {}, soak: '5 parsecs', hooks: [{ name: 'h', at: 'beforeNode', run: ['sh'] }] })
  await ended(here, 'kernel', 'Stopped')
  assert.equal(
    here.status('kernel').message,
    'spec.soak: "5 parsecs" is not a duration; soak: 30s. spec: unknown field "drian"; write "drain"',
  )
  assert.deepEqual(here.jobs(), [])
})

test('a Roll that was restored from a backup is not run a second time', async (t) => {
  const here = await ground()
  t.after(() => here.cluster.end())
  here.begin()
  here.apply('kernel', { paused: true })
  here.annotate('kernel', 'evenkeel.dev/roll-begun', 'another')
  here.patch('kernel', { paused: false })
  await ended(here, 'kernel', 'Stopped')
  assert.deepEqual(here.jobs(), [])
})

test('a controller that is killed at any moment, and a pod whose machine loses its power, cost no second reboot', async (t) => {
  const here = await ground()
  t.after(() => here.cluster.end())
  let controller = here.begin()
  const boots = await rebooted(here, async () => {
    here.apply('kernel')
    for (let turn = 0; turn < 40 && here.state('kernel') !== 'Succeeded'; turn += 1) {
      await here.cluster.time.advance(7_000)
      controller.kill()
      controller = here.begin()
    }
    await ended(here, 'kernel', 'Succeeded')
  })
  assert.deepEqual(boots, [1, 1, 1])
  assert.deepEqual(here.leftovers(), [])
})

test('a schedule makes a Roll at each of its times, keeps the newest that have ended, and says when the next one is due', async (t) => {
  const here = await ground()
  t.after(() => here.cluster.end())
  here.begin()
  here.schedule('often', { schedule: '*/10 * * * *', successfulRollsHistoryLimit: 1 })
  const names = (): readonly string[] => Object.keys(here.rolls())
  await here.until('the first Roll', () => here.rolls()['often-202601010010'] === 'Succeeded', 1_200)
  assert.equal(here.scheduleStatus('often').nextScheduleTime, '2026-01-01T00:20:00Z')
  await here.until('the second Roll', () => here.rolls()['often-202601010020'] === 'Succeeded', 1_200)
  await here.until('the first one to be gone', () => names().join() === 'often-202601010020', 60)
  assert.equal(here.scheduleStatus('often').lastScheduleTime, '2026-01-01T00:20:00Z')
  assert.deepEqual(here.leftovers(), [])
})

test('a schedule that waits for need makes no Roll until a Node says that it needs a reboot', async (t) => {
  const here = await ground()
  t.after(() => here.cluster.end())
  here.begin()
  here.schedule('needed', { schedule: '*/10 * * * *', when: 'RebootRequired' })
  await here.until(
    'the first time',
    () => here.scheduleStatus('needed').lastScheduleTime === '2026-01-01T00:10:00Z',
    1_200,
  )
  assert.deepEqual(here.rolls(), {})
  here.need('n2')
  await here.until('a Roll', () => here.rolls()['needed-202601010020'] === 'Succeeded', 1_800)
})
