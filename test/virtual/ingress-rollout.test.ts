import assert from 'node:assert/strict'
import { newIdentity } from '../../src/ingress/decide/names.ts'
import { type SimulationContext, simulationTest } from '../support/simulation-test.ts'
import type { ControllerProcess } from '../support/virtual-ingress/controller-process.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest, daemonSet } from '../support/virtual-ingress/ingress-manifests.ts'
import { RolloutWitness } from '../support/virtual-ingress/rollout-witness.ts'

const test = simulationTest(import.meta.url)

async function aGround(t: SimulationContext, nodes = 3): Promise<IngressGround> {
  const ground = await IngressGround.open({ nodes })
  t.after(() => ground.end())
  return ground
}

const everyNode = (version: string): readonly string[] =>
  ['n1', 'n2', 'n3'].flatMap((node) => [`${node} ${version}`, `${node} ${version}`])

test('two pods come up on each node, each node behind a closed gate, and the status says so', async (t) => {
  const ground = await aGround(t)
  const { loop } = ground.begin()
  ground.apply(anIngressManifest('v1'))
  await ground.until('Ready', () => ground.condition('Ready') === 'True AllInService', 120)
  assert.deepEqual(ground.podLines(), everyNode('v1'))
  assert.equal(ground.gates().length, 3)
  assert.deepEqual(ground.claimed(), [])
  assert.equal(loop.status().trouble, undefined)
})

async function rolledOut(ground: IngressGround, version: string): Promise<void> {
  await ground.until(`every node to have ${version}`, () => {
    const lines = ground.podLines()
    return (
      lines.length === 6 &&
      lines.every((line) => line.endsWith(` ${version}`)) &&
      ground.condition('Ready') === 'True AllInService'
    )
  })
}

test('law: the template of a node that serves is not changed before the node is detached, unless its object updates in place; a rollout takes one node after the other out, and all come back', async (t) => {
  const ground = await aGround(t)
  const { loop } = ground.begin()
  ground.apply(anIngressManifest('v1'))
  await rolledOut(ground, 'v1')
  const seen = new RolloutWitness(ground, 5_000)
  ground.apply(anIngressManifest('v2'))
  await rolledOut(ground, 'v2')
  assert.deepEqual([seen.mostClaimed, seen.early], [1, []])
  assert.deepEqual(ground.claimed(), [])
  await ground.until('the slots to be free', () => ground.slotHolders().every((holder) => holder === ''), 60)
  assert.equal(loop.status().trouble, undefined)
})

/** A controller that is killed before or after each so-manieth write, and begun anew a second later. */
function mortal(ground: IngressGround, killAt: (effect: number) => 'before' | 'after' | undefined) {
  const seen = { effects: 0, kills: 0, errors: [] as unknown[] }
  let process: ControllerProcess | undefined
  const begin = (): void => {
    if (process?.error !== undefined) seen.errors.push(process.error)
    process = ground.begin(`controller ${seen.kills}`, {
      onEffect: (_effect, phase, lifeline) => {
        if (phase === 'before') seen.effects += 1
        if (killAt(seen.effects) !== phase) return
        seen.kills += 1
        lifeline.cut()
        ground.cluster.time.later(1_000, begin)
      },
    })
  }
  begin()
  return seen
}

for (const every of [3, 5, 7, 11]) {
  test(`killed at every ${every}th write, a controller still takes out one node at a time, and leaves nothing behind`, async (t) => {
    const ground = await aGround(t)
    const seen = mortal(ground, (effect) => (effect % every !== 0 ? undefined : effect % 2 === 0 ? 'before' : 'after'))
    ground.apply(anIngressManifest('v1'))
    await rolledOut(ground, 'v1')
    const watched = new RolloutWitness(ground, 5_000)
    ground.apply(anIngressManifest('v2'))
    await rolledOut(ground, 'v2')
    await ground.until('the slots to be free', () => ground.slotHolders().every((holder) => holder === ''), 60)
    assert.deepEqual([watched.mostClaimed, watched.early, ground.claimed(), seen.errors], [1, [], [], []])
    assert.ok(seen.kills > 5, `${seen.kills} kills`)
  })
}

test('law: nothing of an IngressDaemonSet is left on a Node once the object is gone; deleted in mid-rollout, it attaches its node again first', async (t) => {
  const ground = await aGround(t)
  ground.begin()
  ground.apply(anIngressManifest('v1'))
  await rolledOut(ground, 'v1')
  ground.apply(anIngressManifest('v2'))
  await ground.until('a node to be claimed', () => ground.claimed().length === 1)
  ground.remove()
  await ground.until('the object to be gone', () => ground.object() === undefined)
  assert.deepEqual(ground.claimed(), [])
  await ground.until('all that was its own to be gone', () => ground.deployments().length + ground.gates().length === 0)
  await ground.until('the slots to be free', () => ground.slotHolders().every((holder) => holder === ''), 60)
})

test('deleted in the foreground in mid-rollout, all of its pods end at once, and its node is attached and its slot given back all the same', async (t) => {
  const ground = await aGround(t)
  ground.begin()
  ground.apply(anIngressManifest('v1'))
  await rolledOut(ground, 'v1')
  ground.apply(anIngressManifest('v2'))
  await ground.until('a node to be claimed', () => ground.claimed().length === 1)
  ground.remove('Foreground')
  await ground.until('the Deployments of all nodes to go', () => ground.deployments().length === 0, 5)
  assert.notEqual(ground.object(), undefined)
  await ground.until('the object to be gone', () => ground.object() === undefined)
  assert.deepEqual([ground.claimed(), ground.gates()], [[], []])
  await ground.until('the slots to be free', () => ground.slotHolders().every((holder) => holder === ''), 60)
})

test('an unmodified drain waits at the gate until the node is detached, and the node comes back with the uncordon', async (t) => {
  const ground = await aGround(t)
  ground.begin()
  ground.apply(anIngressManifest('v1'))
  await rolledOut(ground, 'v1')
  ground.cordon('n2', true)
  const cordonedAt = ground.cluster.time.monoMs()
  const pods = ground.pods().filter(({ spec }) => spec.nodeName === 'n2')
  assert.deepEqual(
    pods.map((pod) => ground.evict(pod)),
    [429, 429],
  )
  const left = new Set(pods)
  await ground.until('the pods of n2 to be evicted', () => {
    for (const pod of left) if (ground.evict(pod) === 'evicted') left.delete(pod)
    return left.size === 0
  })
  const tookMs = ground.cluster.time.monoMs() - cordonedAt
  assert.ok(tookMs >= 5_000, `evicted after ${tookMs} ms, before the grace was over`)
  assert.deepEqual(ground.claimed(), ['n2'])
  ground.cordon('n2', false)
  await rolledOut(ground, 'v1')
  assert.deepEqual(ground.claimed(), [])
})

test('a rollout that begins while another owner has a slot of the only one waits for it, and says so', async (t) => {
  const ground = await aGround(t)
  ground.begin()
  ground.apply(anIngressManifest('v1'))
  await rolledOut(ground, 'v1')
  ground.holdSlot(0, 'n3')
  ground.apply(anIngressManifest('v2'))
  await ground.cluster.time.advance(60_000)
  assert.deepEqual(ground.podLines(), everyNode('v1'))
  assert.match(JSON.stringify(ground.status().nodes), /the budget allows at most 1/)
  ground.holdSlot(0, undefined)
  await rolledOut(ground, 'v2')
})

test('an object of others that has the name of a Deployment of ours is never written to, and is named', async (t) => {
  const ground = await aGround(t)
  ground.apply(anIngressManifest('v1'))
  const name = newIdentity({ name: 'web', uid: '' }, 'n1').name
  ground.apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'default', name },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'other' } },
      template: {
        metadata: { labels: { app: 'other' } },
        spec: { containers: [{ name: 'a', image: 'testbed.local/app:1' }] },
      },
    },
  })
  await ground.cluster.time.advance(1_000)
  const before = JSON.stringify(ground.deployments()[0])
  ground.begin()
  await ground.until('pods on n2 and n3', () => ground.podLines().length === 4)
  await ground.cluster.time.advance(60_000)
  const foreign = ground.deployments().find(({ metadata }) => metadata.name === name)
  assert.equal(JSON.stringify(foreign), before)
  assert.ok(
    ground.events().some((event) => event.includes(`the Deployment of n1 cannot be created: ${name}`)),
    ground.events().join('\n'),
  )
})

test('while the API server is away nothing changes, and the rollout goes on after it', async (t) => {
  const ground = await aGround(t)
  const { loop } = ground.begin()
  ground.apply(anIngressManifest('v1'))
  await rolledOut(ground, 'v1')
  const seen = new RolloutWitness(ground, 5_000)
  ground.apply(anIngressManifest('v2'))
  await ground.until('a node to be claimed', () => ground.claimed().length === 1)
  ground.cluster.apiServer.kill()
  await ground.cluster.time.advance(30_000)
  ground.cluster.apiServer.start()
  await rolledOut(ground, 'v2')
  assert.deepEqual([seen.mostClaimed, seen.early, loop.status().trouble], [1, [], undefined])
})

test('an object that contradicts itself is left alone, and says what to change', async (t) => {
  const ground = await aGround(t)
  ground.begin()
  ground.apply(anIngressManifest('v1', { podsPerNode: 0 }))
  await ground.until('it to be refused', () => ground.condition('Stalled') === 'True IngressRefused')
  assert.deepEqual(ground.podLines(), [])
})

const rolloutOf = (ground: IngressGround): { readonly startedAt?: string; readonly admitted?: readonly string[] } =>
  ground.status().rollout ?? {}

test('the status says since when a rollout is under way and which node is out for it, also to a controller that begins anew', async (t) => {
  const ground = await aGround(t)
  const first = ground.begin()
  ground.apply(anIngressManifest('v1'))
  await rolledOut(ground, 'v1')
  assert.deepEqual(rolloutOf(ground), {})
  await ground.cluster.time.advance(60_000)
  ground.apply(anIngressManifest('v2'))
  await ground.until('a node to be claimed', () => ground.claimed().length === 1)
  await ground.cluster.time.advance(1_000)
  const { startedAt = '', admitted } = rolloutOf(ground)
  assert.deepEqual(admitted, ground.claimed())
  assert.ok(ground.cluster.time.wallMs() - Date.parse(startedAt) < 10_000, startedAt)
  first.kill()
  ground.begin('controller 2')
  await ground.until(
    'the next node to be out',
    () => !ground.claimed().includes(admitted?.[0] ?? '') && ground.claimed().length === 1,
  )
  await ground.cluster.time.advance(1_000)
  assert.deepEqual(rolloutOf(ground), { startedAt, admitted: ground.claimed() })
  await rolledOut(ground, 'v2')
  assert.deepEqual(rolloutOf(ground), {})
})

test('ten idle minutes cost no write', async (t) => {
  const ground = await aGround(t)
  ground.begin()
  ground.apply(anIngressManifest('v1'))
  await rolledOut(ground, 'v1')
  await ground.cluster.time.advance(5_000)
  const before = ground.ownWrites()
  await ground.cluster.time.advance(600_000)
  assert.equal(ground.ownWrites(), before)
})

test('a rollout under traffic loses no request, behind a load balancer that has nothing but a health check', async (t) => {
  const ground = await aGround(t)
  ground.begin()
  ground.apply(anIngressManifest('v1'))
  await rolledOut(ground, 'v1')
  await ground.until('the load balancer to send to all nodes', () => ground.isServed())
  const lost = ground.traffic()
  ground.apply(anIngressManifest('v2'))
  await rolledOut(ground, 'v2')
  const judge = await lost()
  assert.deepEqual(judge.lost, [])
  assert.ok(judge.sent > 1_000, `${judge.sent} requests`)
})

test('the same change of a DaemonSet loses requests', async (t) => {
  const ground = await aGround(t)
  ground.apply(daemonSet('v1'))
  await ground.until('its pods', () => ground.podLines().length === 3 && ground.isServed())
  const lost = ground.traffic()
  ground.apply(daemonSet('v2'))
  await ground.until('its new pods', () => {
    const lines = ground.podLines()
    return lines.length === 3 && lines.every((line) => line.endsWith(' v2'))
  })
  assert.ok((await lost()).failed > 0)
})

/** Nodes that bear a record of the roll or a claim of the object, and the most that did at once. */
function outAtOnce(ground: IngressGround): { most: number } {
  const seen = { most: 0 }
  const look = (): void => {
    const out = ground.cluster.nodes.filter((name) => {
      const { annotations = {} } = ground.node(name).metadata
      return annotations['evenkeel.dev/record'] !== undefined || ground.claimed().includes(name)
    })
    seen.most = Math.max(seen.most, out.length)
    ground.cluster.time.later(50, look)
  }
  look()
  return seen
}

for (const [title, rollFirst] of [
  ['a roll that begins while a rollout is under way', false],
  ['a rollout that begins while a roll is under way', true],
] as const) {
  test(`${title} ends as well as the other, with one node out at a time and no request lost`, async (t) => {
    const ground = await aGround(t)
    ground.begin()
    ground.apply(anIngressManifest('v1'))
    await rolledOut(ground, 'v1')
    await ground.until('the load balancer to send to all nodes', () => ground.isServed())
    const seen = outAtOnce(ground)
    const lost = ground.traffic()
    if (!rollFirst) ground.apply(anIngressManifest('v2'))
    const roll = ground.roll()
    await ground.cluster.time.advance(rollFirst ? 15_000 : 1_000)
    if (rollFirst) ground.apply(anIngressManifest('v2'))
    assert.equal(await ground.cluster.time.settle(roll, 3_600_000), 'completed')
    await rolledOut(ground, 'v2')
    const judge = await lost()
    assert.deepEqual([judge.lost, seen.most, ground.claimed()], [[], 1, []])
  })
}
