import assert from 'node:assert/strict'
import { ingressAnswer } from '../../src/agent/decide/ingress-answer.ts'
import { deploymentsOf } from '../../src/agent/run/ingress-deployments.ts'
import { Untrusted } from '../../src/ground/model/untrusted.ts'
import { type SimulationContext, simulationTest } from '../support/simulation-test.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest, type Json } from '../support/virtual-ingress/ingress-manifests.ts'

const LOOK_EVERY_MS = 50

/** What the agents of all nodes would answer at the health ports, by the Deployments as they stand in the world, again and again. */
class HealthWitness {
  mostOut = 0
  /** `n2 down`, each that was ever seen. */
  readonly seen = new Set<string>()
  readonly #ground: IngressGround

  constructor(ground: IngressGround) {
    this.#ground = ground
    this.#look()
  }

  /** `n1 up 30100 2`: the answer, the ports, and how many ready pods are enough. */
  lines(): readonly string[] {
    return this.#answers()
      .map(({ node, answer, order }) => `${node} ${answer} ${order?.ports.join('+')} ${order?.minReadyPods}`)
      .toSorted()
  }

  #answers() {
    return this.#ground.deployments().map((object) => {
      const { node, ...facts } = deploymentsOf('').kind.parse(new Untrusted(object, 'deployment'))
      const { answer } = ingressAnswer({ answer: 'up', reasons: [] }, facts)
      return { node, answer, order: facts.order }
    })
  }

  #look(): void {
    const out = this.#answers().filter(({ answer }) => answer !== 'up')
    for (const { node, answer } of out) this.seen.add(`${node} ${answer}`)
    this.mostOut = Math.max(this.mostOut, out.length)
    this.#ground.cluster.time.later(LOOK_EVERY_MS, () => this.#look())
  }
}

const test = simulationTest(import.meta.url)

/** Three nodes with two pods each, all in service, and what their health ports say from then on. */
async function inService(t: SimulationContext, begin: (ground: IngressGround) => void) {
  const ground = await IngressGround.open({ nodes: 3 })
  t.after(() => ground.end())
  begin(ground)
  const apply = (version: string, spec: Json = {}): void =>
    ground.apply(anIngressManifest(version, { healthCheckNodePorts: [30_100], ...spec }))
  const settled = (pods: number, version = 'v1'): Promise<void> =>
    ground.until(`${pods} pods of ${version} on each node`, () => {
      const lines = ground.podLines()
      return (
        lines.length === 3 * pods &&
        lines.every((line) => line.endsWith(version)) &&
        ground.condition('Ready') === 'True AllInService'
      )
    })
  apply('v1')
  await settled(2)
  const health = new HealthWitness(ground)
  const eachSays = (wanted: string): Promise<void> =>
    ground.until(`each node to say ${wanted}`, () => health.lines().every((line) => line.endsWith(wanted)), 60)
  return { ground, apply, settled, health, eachSays }
}

/** A controller that is killed before or after each third write, and begun anew a second later. */
function mortal(ground: IngressGround): void {
  let effects = 0
  const begin = (): void =>
    void ground.begin('controller', {
      onEffect: (_effect, phase, lifeline) => {
        if (phase === 'before') effects += 1
        if (effects % 3 !== 0 || phase !== (effects % 2 === 0 ? 'before' : 'after')) return
        lifeline.cut()
        ground.cluster.time.later(1_000, begin)
      },
    })
  begin()
}

for (const [what, begin] of [
  ['', (ground: IngressGround) => void ground.begin()],
  [', also if the controller is killed at every third write', mortal],
] as const) {
  test(`pods that are added to each node or removed fail no health check${what}`, async (t) => {
    const { apply, settled, health, eachSays } = await inService(t, begin)
    for (const pods of [4, 1, 3]) {
      apply('v1', { podsPerNode: pods })
      await settled(pods)
      await eachSays(`up 30100 ${pods}`)
    }
    assert.deepEqual([health.mostOut, [...health.seen]], [0, []])
  })
}

test('a second health port, and fewer pods that have to be ready, are written to each node and replace no pod', async (t) => {
  const { ground, apply, health, eachSays } = await inService(t, (on) => void on.begin())
  const uids = () =>
    ground
      .pods()
      .map(({ metadata }) => metadata.uid)
      .toSorted()
  const before = uids()
  apply('v1', { healthCheckNodePorts: [30_100, 30_101], minReadyPodsPerNode: 1 })
  await eachSays('up 30100+30101 1')
  apply('v1', { healthCheckNodePorts: [30_101], minReadyPodsPerNode: 2 })
  await eachSays('up 30101 2')
  apply('v1', { healthCheckNodePorts: [] })
  await eachSays('up  2')
  assert.deepEqual([uids(), health.mostOut], [before, 0])
})

test('in a rollout the health port of one node after the other says drain, and never that of two', async (t) => {
  const { apply, settled, health } = await inService(t, (ground) => void ground.begin())
  apply('v2')
  await settled(2, 'v2')
  assert.deepEqual([health.mostOut, [...health.seen].toSorted()], [1, ['n1 drain', 'n2 drain', 'n3 drain']])
})

test('a node that comes back after a person had it out is in service at once, though its checks failed meanwhile', async (t) => {
  const ground = await IngressGround.open({ nodes: 3 })
  t.after(() => ground.end())
  ground.begin()
  ground.apply(anIngressManifest('v1', { healthCheckNodePorts: [30_100] }))
  await ground.until('all nodes to be in service', () => ground.condition('Ready') === 'True AllInService', 60)
  ground.claim('n2', true)
  ground.closedPorts.add('n2:30100')
  await ground.cluster.time.advance(300_000)
  ground.claim('n2', false)
  // An agent hears of it a little later.
  ground.cluster.time.later(200, () => ground.closedPorts.clear())
  await ground.until('all nodes to be in service again', () => ground.condition('Ready') === 'True AllInService', 5)
  assert.ok(!ground.events().some((event) => event.startsWith('HealthCheckFails')), ground.events().join('\n'))
})

test('a node is not in service while a health check of it fails, though its pods are ready, and is once the port opens', async (t) => {
  const ground = await IngressGround.open({ nodes: 3 })
  t.after(() => ground.end())
  for (const node of ground.cluster.nodes) ground.closedPorts.add(`${node}:30100`)
  ground.begin()
  ground.apply(anIngressManifest('v1', { healthCheckNodePorts: [30_100] }))
  let wasReady = false
  const isSaid = (): boolean => {
    wasReady ||= ground.condition('Ready') === 'True AllInService'
    return ground.podLines().length === 6 && ground.events().some((event) => event.startsWith('HealthCheckFails'))
  }
  await ground.until('it to be said', isSaid, 120)
  await ground.cluster.time.advance(120_000)
  assert.deepEqual([ground.condition('Ready'), ground.status().readyNodes], ['False NodesOut', 0])
  assert.equal(ground.condition('Available'), 'False TooFewInService')
  assert.equal(wasReady, false)
  const nodes = ground.status().nodes as readonly Json[]
  assert.deepEqual(
    nodes.map(({ name, state, reason }) => `${name} ${state} ${reason}`),
    ['n1', 'n2', 'n3'].map((name) => `${name} Degraded HealthCheckFails`),
  )
  ground.closedPorts.clear()
  await ground.until('all nodes to be in service', () => ground.condition('Ready') === 'True AllInService', 40)
  ground.closedPorts.add('n3:30100')
  await ground.until('it to be said again', () => ground.condition('Ready') === 'False NodesOut', 90)
})
