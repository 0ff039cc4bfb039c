import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { BalancerPoller } from '../../../src/roll/run/balancer-poller.ts'
import type { InstanceReading, ServerRef } from '../../../src/service/model/balancer.ts'
import { aServer, aSpec } from '../../support/roll-world.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const SILENT = new WorldError('no process listens there', { code: 'BALANCER_UNREACHABLE', retry: 'backoff' })

/** One instance that answers after a while, fails or hangs, as it is told to. */
class Ground {
  readonly clock = new VirtualClock()
  readonly stop = new AbortController()
  /** When each poll began. */
  readonly begun: number[] = []
  /** After each poll of the loop, whether it was news. */
  readonly news: boolean[] = []
  answersAfterMs = 0
  sessions = 0
  state: 'ready' | 'drain' = 'ready'
  fault: Error | 'hangs' | undefined
  readonly poller: BalancerPoller

  /** When each look began; `sees`: whether it finds that more than counters changed. */
  readonly looked: number[] = []
  sees = false

  constructor(t: TestContext, { looks = false } = {}) {
    t.after(() => this.stop.abort(new Error('the test is over')))
    const [spec = assert.fail()] = aSpec().balancers
    this.poller = new BalancerPoller({
      balancer: {
        name: 'edge',
        instances: ['lb-1'],
        read: (_instance, signal) => this.#read(signal),
        ...(looks ? { readCounters: (_instance, own) => this.#look(own) } : {}),
        inspect: () => Promise.reject(SILENT),
      },
      spec,
      instance: 'lb-1',
      clock: this.clock,
      own: () => [aServer('n1').ref],
      onPoll: async (isNews) => void this.news.push(isNews),
      onAnswer: () => undefined,
      onUnreached: () => undefined,
    })
  }

  run(): Promise<never> {
    const running = this.poller.run(this.stop.signal)
    running.catch(() => undefined)
    return running
  }

  /** The news of the polls since this was asked last. */
  takeNews(): readonly boolean[] {
    return this.news.splice(0)
  }

  async #look(own: readonly ServerRef[]): Promise<InstanceReading | undefined> {
    const { clock, fault } = this
    this.looked.push(clock.monoMs())
    if (fault instanceof Error) throw fault
    assert.deepEqual(own, [aServer('n1').ref])
    if (this.sees) return undefined
    const servers = [aServer('n1', { totalSessions: this.sessions })]
    return { instance: 'lb-1', process: '100', version: '3.0', at: clock.monoMs(), servers }
  }

  async #read(signal: AbortSignal): Promise<InstanceReading> {
    const { clock, fault } = this
    this.begun.push(clock.monoMs())
    if (fault === 'hangs')
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    if (fault !== undefined) throw fault
    if (this.answersAfterMs > 0) await clock.sleep(this.answersAfterMs, signal)
    const servers = [aServer('n1', { adminState: this.state, totalSessions: this.sessions })]
    return { instance: 'lb-1', process: '100', version: '3.0', at: clock.monoMs(), servers }
  }
}

test('an instance is asked five times a second, and only what may change a decision is news', async (t) => {
  const ground = new Ground(t)
  void ground.run()
  await ground.clock.advance(999)
  assert.deepEqual(ground.begun, [0, 200, 400, 600, 800])
  assert.deepEqual(ground.takeNews(), [true, false, false, false, false])
  ground.sessions = 7
  await ground.clock.advance(200)
  assert.deepEqual(ground.takeNews(), [false])
  ground.state = 'drain'
  await ground.clock.advance(400)
  assert.deepEqual(ground.takeNews(), [true, false])
})

test('where a look is cheap it is what polls do, and everything is read at every fourth', async (t) => {
  const ground = new Ground(t, { looks: true })
  void ground.run()
  await ground.clock.advance(2_300)
  assert.deepEqual(ground.begun, [0, 800, 1_600])
  assert.deepEqual(ground.looked, [200, 400, 600, 1_000, 1_200, 1_400, 1_800, 2_000, 2_200])
  ground.sessions = 7
  await ground.clock.advance(200)
  assert.equal(ground.poller.snapshot().reading?.servers[0]?.totalSessions, 7)
})

test('what a look sees to have changed is read at once', async (t) => {
  const ground = new Ground(t, { looks: true })
  void ground.run()
  await ground.clock.advance(300)
  ground.takeNews()
  ground.sees = true
  ground.state = 'drain'
  await ground.clock.advance(100)
  assert.deepEqual([ground.begun, ground.takeNews()], [[0, 400], [true]])
  assert.equal(ground.poller.snapshot().reading?.servers[0]?.adminState, 'drain')
})

test('a look counts as an answer, and not as a reading of everything', async (t) => {
  const ground = new Ground(t, { looks: true })
  void ground.run()
  await ground.clock.advance(700)
  const { facts, since } = { facts: ground.poller.snapshot(), since: ground.poller.hasAnsweredSince(monoMs(600)) }
  assert.deepEqual([facts.askedAt, since], [0, true])
})

test('after a look that was not answered everything is read', async (t) => {
  const ground = new Ground(t, { looks: true })
  void ground.run()
  await ground.clock.advance(100)
  ground.fault = SILENT
  await ground.clock.advance(150)
  assert.deepEqual([ground.looked, ground.poller.snapshot().silentForMs], [[200], 50])
  ground.fault = undefined
  await ground.clock.advance(150)
  assert.deepEqual([ground.begun, ground.looked, ground.poller.snapshot().silentForMs], [[0, 400], [200], 0])
})

test('a pass that asks reads everything, whenever that was read last', async (t) => {
  const ground = new Ground(t, { looks: true })
  void ground.run()
  await ground.clock.advance(250)
  await ground.poller.poll(ground.stop.signal)
  assert.deepEqual(ground.begun, [0, 250])
})

test('silence is news each time, is counted from its first moment, and its end is news', async (t) => {
  const ground = new Ground(t)
  void ground.run()
  await ground.clock.advance(100)
  assert.equal(ground.poller.snapshot().silentForMs, 0)
  ground.takeNews()
  ground.fault = SILENT
  await ground.clock.advance(100)
  assert.equal(ground.poller.snapshot().silentForMs, 1)
  await ground.clock.advance(450)
  const { silentForMs, error, reading } = ground.poller.snapshot()
  assert.deepEqual([silentForMs, error, reading?.servers.length], [450, 'no process listens there', 1])
  ground.fault = undefined
  await ground.clock.advance(150)
  assert.deepEqual(ground.takeNews(), [true, true, true, true])
  const healed = ground.poller.snapshot()
  assert.deepEqual([healed.silentForMs, healed.error], [0, undefined])
  await ground.clock.advance(200)
  assert.deepEqual(ground.takeNews(), [false])
})

test('news of a poll that a pass asked for is reported with the next one', async (t) => {
  const ground = new Ground(t)
  void ground.run()
  await ground.clock.advance(100)
  ground.takeNews()
  ground.state = 'drain'
  await ground.poller.poll(ground.stop.signal)
  assert.deepEqual(ground.takeNews(), [])
  await ground.clock.advance(300)
  assert.deepEqual(ground.takeNews(), [true, false])
})

test('an answer counts as of when it was asked for: what came meanwhile it need not tell', async (t) => {
  const ground = new Ground(t)
  ground.answersAfterMs = 500
  const polled = ground.poller.poll(ground.stop.signal)
  await ground.clock.advance(600)
  await polled
  assert.deepEqual(
    [0, 1].map((at) => ground.poller.hasAnsweredSince(monoMs(at))),
    [true, false],
  )
  assert.equal(ground.poller.snapshot().askedAt, 0)
})

test('a poll begins after the one before it has ended', async (t) => {
  const ground = new Ground(t)
  ground.answersAfterMs = 300
  const both = Promise.all([ground.poller.poll(ground.stop.signal), ground.poller.poll(ground.stop.signal)])
  await ground.clock.advance(1_000)
  await both
  assert.deepEqual(ground.begun, [0, 300])
})

test('an instance that hears and does not answer is silent after two seconds', async (t) => {
  const ground = new Ground(t)
  ground.fault = 'hangs'
  void ground.run()
  await ground.clock.advance(1_999)
  assert.equal(ground.poller.snapshot().error, undefined)
  await ground.clock.advance(1)
  assert.equal(ground.poller.snapshot().error, 'lb-1 of edge did not answer within 2000 ms')
})

test('what is no trouble of the world is no silence: it ends the polls', async (t) => {
  const ground = new Ground(t)
  ground.fault = new TypeError('a bug')
  await assert.rejects(ground.run(), ground.fault)
})
