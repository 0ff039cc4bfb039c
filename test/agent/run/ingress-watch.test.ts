import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AgentDecision } from '../../../src/agent/decide/decide.ts'
import { IngressWatch } from '../../../src/agent/run/ingress-watch.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { FollowEvent } from '../../../src/ground/ports/cluster.ts'
import type { Objects, Selection } from '../../../src/ground/ports/objects.ts'
import { healthDeployment } from '../../support/agent/health-deployment.ts'
import { MemoryAgentStore } from '../../support/agent/memory-agent-store.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

type Told = ReturnType<typeof healthDeployment>
type Sink = (event: FollowEvent<Untrusted>) => void

/** Tells of Deployments what a test says. A new follower is told the last list. */
class ToldDeployments implements Pick<Objects, 'follow'> {
  readonly selectors: string[] = []
  readonly #sinks = new Set<Sink>()
  #last: FollowEvent<Untrusted> | undefined

  listed(...objects: readonly Told[]): void {
    this.#last = { type: 'listed', objects: objects.map(untrusted) }
    this.#tell(this.#last)
  }

  applied(object: Told): void {
    this.#tell({ type: 'applied', object: untrusted(object) })
  }

  deleted(object: Told): void {
    this.#tell({ type: 'deleted', object: untrusted(object) })
  }

  /** From now on nothing is heard, by newcomers either. */
  away(code = 'KUBE_UNREACHABLE'): void {
    this.#last = undefined
    this.#tell({ type: 'broken', error: new WorldError(`${code}`, { code, retry: 'backoff' }), retryInMs: 1_000 })
  }

  follow<T>(selection: Selection<T>, sink: (event: FollowEvent<T>) => void, signal: AbortSignal): Promise<void> {
    this.selectors.push(selection.labelSelector ?? '')
    const { parse } = selection.kind
    const parsing: Sink = (event) => {
      if (event.type === 'listed') sink({ type: 'listed', objects: event.objects.map(parse) })
      else if (event.type === 'applied' || event.type === 'deleted') sink({ ...event, object: parse(event.object) })
      else sink(event)
    }
    this.#sinks.add(parsing)
    if (this.#last !== undefined) parsing(this.#last)
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        this.#sinks.delete(parsing)
        reject(signal.reason)
      })
    })
  }

  #tell(event: FollowEvent<Untrusted>): void {
    for (const sink of this.#sinks) sink(event)
  }
}

const untrusted = (object: Told): Untrusted => new Untrusted(object, 'deployment')

const BOOT = '11111111-1111-4111-8111-111111111111'
const UP: AgentDecision = { answer: 'up', reasons: [] }
const DRAIN: AgentDecision = { answer: 'drain', reasons: [{ code: 'Cordoned', text: 'the node is cordoned' }] }

/** One node, process after process, in time that passes when told. */
class Life {
  readonly clock = new VirtualClock()
  readonly store = new MemoryAgentStore()
  readonly feed = new ToldDeployments()
  readonly said: string[] = []
  changes = 0
  readonly #node: string
  #stop = new AbortController()
  #running: Promise<unknown> = Promise.resolve()
  #watch: IngressWatch | undefined

  constructor(t: TestContext, node = 'n1') {
    this.#node = node
    t.after(() => this.kill())
  }

  get watch(): IngressWatch {
    assert.ok(this.#watch)
    return this.#watch
  }

  /** Per IngressDaemonSet the answer and the codes of its reasons. */
  get now(): readonly string[] {
    return this.watch.answered.map(({ reading, decision: { answer, reasons } }) =>
      [reading.name, answer, ...reasons.map(({ code }) => code)].join(' '),
    )
  }

  async start({ bootId = BOOT, isBeside = false } = {}): Promise<this> {
    this.#stop = new AbortController()
    const watch = new IngressWatch({
      node: this.#node,
      objects: this.feed,
      store: this.store,
      bootId,
      clock: this.clock,
      log: { debug: () => undefined, warn: (text) => this.said.push(text) },
      onChange: () => {
        this.changes += 1
      },
    })
    this.#watch = watch
    await watch.begin(this.#stop.signal)
    watch.nodeAnswers(UP)
    if (!isBeside) watch.takeOver()
    this.#running = watch.run(this.#stop.signal).catch(() => undefined)
    await this.clock.advance(10)
    return this
  }

  async kill(): Promise<void> {
    this.#stop.abort(new Error('over'))
    await this.#running
  }
}

test('the Deployments of the node are followed by its label, and of a long name by its hash', async (t) => {
  await (await new Life(t).start()).kill()
  const life = await new Life(t, `${'a'.repeat(60)}.example.com`).start()
  assert.match(life.feed.selectors.join(), /^evenkeel\.dev\/ingress,evenkeel\.dev\/node=h\.[a-z2-7]{10}$/)
})

test('what the API tells is answered at once, and each IngressDaemonSet has an answer of its own', async (t) => {
  const life = await new Life(t).start()
  assert.deepEqual([life.now, life.watch.isKnown], [[], false])
  life.feed.listed(healthDeployment(), healthDeployment({ name: 'api', ready: 1 }))
  assert.deepEqual(life.now, ['web up IngressServes', 'api down IngressPodsMissing'])
  life.feed.applied(healthDeployment({ isMarked: true }))
  life.feed.applied(healthDeployment({ name: 'api', ready: 2 }))
  assert.deepEqual(life.now, ['web drain IngressUpdateDue', 'api up IngressServes'])
  life.watch.nodeAnswers(DRAIN)
  assert.deepEqual(life.now, ['web drain Cordoned', 'api drain Cordoned'])
  life.watch.nodeAnswers(UP)
  life.feed.deleted(healthDeployment())
  assert.deepEqual([life.now, life.changes > 0], [['api up IngressServes'], true])
})

test('a client that asks while a port is handed over to the pods of a health checker hears the last answer, and no bad one', async (t) => {
  const life = await new Life(t).start()
  const asked = (name: string) => life.watch.asked(`uid-${name}`, { address: '10.0.0.1', port: 1 })
  life.feed.listed(healthDeployment(), healthDeployment({ name: 'api' }), healthDeployment({ name: 'own', by: 'pods' }))
  assert.deepEqual([asked('web'), asked('own')], ['up', 'down'])
  life.feed.applied(healthDeployment({ by: 'pods' }))
  assert.deepEqual([life.now, asked('web')], [['api up IngressServes'], 'up'])
  life.feed.applied(healthDeployment({ isMarked: true }))
  assert.equal(asked('web'), 'drain')
  life.feed.listed(healthDeployment({ by: 'pods' }))
  assert.deepEqual([life.now, asked('web'), asked('api')], [[], 'drain', 'down'])
  life.feed.deleted(healthDeployment({ by: 'pods' }))
  assert.equal(asked('web'), 'down')
})

test('the Deployment of another node whose label has the same hash is let pass', async (t) => {
  const life = await new Life(t).start()
  life.feed.listed(healthDeployment({ node: 'n2' }))
  life.feed.applied(healthDeployment({ node: 'n2', name: 'api' }))
  assert.deepEqual([life.now, life.watch.heard], [[], true])
})

test('law: an API server that is away changes no answer of an agent, unless its options say so; of an IngressDaemonSet, for an hour and over a restart of the agent', async (t) => {
  const life = await new Life(t).start()
  life.feed.listed(healthDeployment(), healthDeployment({ name: 'api', isMarked: true }))
  const before = ['web up IngressServes', 'api drain IngressUpdateDue']
  await life.clock.advance(10)
  life.feed.away()
  await life.clock.advance(3_600_000)
  assert.deepEqual(life.now, before)
  await life.kill()
  await life.start()
  assert.deepEqual([life.now, life.watch.heard, life.watch.isKnown], [before, false, true])
  await life.clock.advance(3_600_000)
  assert.deepEqual(life.now, before)
  life.feed.listed(healthDeployment({ name: 'api' }))
  assert.deepEqual(life.now, ['api up IngressServes'])
})

test('a machine that has booted knows of no IngressDaemonSet until the API server tells of it', async (t) => {
  const life = await new Life(t).start()
  life.feed.listed(healthDeployment())
  await life.clock.advance(10)
  life.feed.away()
  await life.kill()
  // The memory is on tmpfs. Should it be there all the same, it is of another boot.
  await life.start({ bootId: BOOT.replaceAll('1', '2') })
  assert.deepEqual([life.now, life.watch.isKnown], [[], false])
  assert.equal(life.watch.asked('uid-web', { address: '10.0.0.9', port: 1 }), 'down')
  life.feed.listed(healthDeployment())
  assert.deepEqual(life.now, ['web up IngressServes'])
})

test('an agent that waits beside another one writes nothing over', async (t) => {
  const life = await new Life(t).start({ isBeside: true })
  life.feed.listed(healthDeployment())
  await life.clock.advance(5_000)
  assert.equal(life.store.texts.has('ingress'), false)
  life.watch.takeOver()
  await life.clock.advance(10)
  assert.equal(life.store.texts.has('ingress'), true)
})

test('on a full tmpfs no memory is left that says what is over', async (t) => {
  const life = await new Life(t).start()
  life.feed.listed(healthDeployment())
  await life.clock.advance(10)
  life.store.full.add('ingress')
  life.feed.applied(healthDeployment({ isMarked: true }))
  await life.clock.advance(2_000)
  assert.deepEqual([life.store.texts.has('ingress'), life.watch.trouble], [false, ['ingress: no space left']])
  life.store.full.clear()
  await life.clock.advance(1_100)
  assert.deepEqual([life.store.texts.has('ingress'), life.watch.trouble], [true, []])
})

test('an annotation that cannot be read drains the ports that were known, and one that never could has none', async (t) => {
  const life = await new Life(t).start()
  const hostile = [
    'garbage',
    `{"version":1,"ports":[${'1,'.repeat(9_999)}1]}`,
    '{"version":1,"ports":[1e99],"minReadyPods":-1}',
    '{"version":1,"ports":[30100],"minReadyPods":0,"mark":{"key":"a","value":""}}',
    null,
  ]
  for (const order of hostile) {
    life.feed.listed(healthDeployment())
    life.feed.applied(healthDeployment({ order }))
    assert.deepEqual(life.now, ['web drain IngressHealthUnreadable'])
    assert.deepEqual(life.watch.readings[0]?.order?.ports, [30_100])
    assert.match(life.watch.trouble.join(), /^the health order of Deployment default\/web-1 cannot be read: it/)
    life.feed.listed()
    life.feed.applied(healthDeployment({ order }))
    assert.equal(life.watch.readings[0]?.order, undefined)
  }
  life.feed.applied(healthDeployment())
  assert.deepEqual([life.now, life.watch.trouble], [['web up IngressServes'], []])
})

test('a list that the API server does not allow is trouble, and what was known goes on', async (t) => {
  const life = await new Life(t).start()
  life.feed.listed(healthDeployment())
  life.feed.away('KUBE_FORBIDDEN')
  life.feed.away('KUBE_FORBIDDEN')
  const trouble = 'the IngressDaemonSets of this node are not known: KUBE_FORBIDDEN'
  assert.deepEqual([life.now, life.watch.trouble], [['web up IngressServes'], [trouble]])
  assert.equal(life.said.filter((text) => text === trouble).length, 1)
  life.feed.listed(healthDeployment())
  assert.deepEqual(life.watch.trouble, [])
})

test('polls are counted for each IngressDaemonSet, and anew when its answer changes, though no client asks in between', async (t) => {
  const life = await new Life(t).start()
  life.feed.listed(healthDeployment({ isMarked: true }), healthDeployment({ name: 'api' }))
  const caller = { address: '::ffff:10.0.0.9', port: 1 }
  for (let i = 0; i < 3; i += 1) assert.equal(life.watch.asked('uid-web', caller), 'drain')
  assert.equal(life.watch.asked('uid-api', caller), 'up')
  const counts = () =>
    life.watch.answered.map(({ polls }) =>
      polls.map(({ address, total, sinceAnswer }) => [address, total, sinceAnswer]),
    )
  assert.deepEqual(counts(), [[['10.0.0.9', 3, 3]], [['10.0.0.9', 1, 1]]])
  life.feed.applied(healthDeployment())
  life.feed.applied(healthDeployment({ isMarked: true }))
  assert.deepEqual(counts(), [[['10.0.0.9', 1, 1]], [['10.0.0.9', 3, 0]]])
})
