import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { addressOf, aPlane, askedAt, GRACEFUL, NODE_PORT } from './a-plane.ts'

const FRONT = { host: addressOf('n1'), port: NODE_PORT }

test('a node port sends new connections to every endpoint, on whatever node', async () => {
  const plane = aPlane()
  const heard = new Set<string>()
  for (let n = 0; n < 60; n += 1) heard.add(await askedAt(plane, FRONT))
  assert.deepEqual([...heard].toSorted(), [
    'served by p1/n1',
    'served by p2/n2',
    'served by p3/n3',
    'served by p4/n1',
    'served by p5/n2',
  ])
})

test('pods of the first node live in the first pod network, and no address comes back at once', () => {
  const { pod, start } = aPlane()
  assert.deepEqual(
    ['p1', 'p2', 'p3', 'p4', 'p5'].map((name) => pod(name).address),
    ['10.244.1.2', '10.244.2.2', '10.244.3.2', '10.244.1.3', '10.244.2.3'],
  )
  pod('p4').remove()
  assert.equal(start('p6', 'n1').address, '10.244.1.4')
})

test('an open connection stays with its pod although rules change; a new one follows the rules', async () => {
  const plane = aPlane()
  const { network, time, offer } = plane
  offer(['p2'])
  const heard: string[] = []
  let ask = (): void => undefined
  network.dial(FRONT, (dialled) => {
    if (dialled.kind !== 'open') return
    ask = () =>
      dialled.connection.send({ path: '/' }, (reply) => void heard.push(reply === 'broken' ? reply : reply.body))
  })
  await time.advance(1)
  offer(['p3'])
  ask()
  await time.advance(1)
  offer([])
  ask()
  await time.advance(1)
  assert.deepEqual(heard, ['served by p2/n2\n', 'served by p2/n2\n'])
  offer(['p3'])
  assert.equal(await askedAt(plane, FRONT), 'served by p3/n3')
})

test('refused: no endpoints, or a process that has ended; silent: a sandbox that is gone, or a node without power', async () => {
  const plane = aPlane()
  const { offer, pod } = plane
  offer([])
  assert.equal(await askedAt(plane, FRONT), 'refused')
  offer(['p2'])
  pod('p2').kill()
  assert.equal(await askedAt(plane, FRONT), 'refused')
  pod('p2').remove()
  assert.equal(await askedAt(plane, FRONT), 'silent')
  offer(['p3'])
  plane.plane.setPower('n3', false)
  assert.equal(await askedAt(plane, FRONT), 'silent')
  plane.plane.setPower('n1', false)
  assert.equal(await askedAt(plane, FRONT), 'silent')
})

test('a node that is on again has no pods and no rules until it is given new ones', async () => {
  const plane = aPlane()
  const { offer, start, pod } = plane
  const exits: number[] = []
  pod('p1').onExit((code) => exits.push(code))
  plane.plane.setPower('n1', false)
  assert.equal(pod('p1').isReady(), false)
  plane.plane.setPower('n1', true)
  assert.equal(await askedAt(plane, FRONT), 'refused')
  offer(['p1'])
  assert.equal(await askedAt(plane, FRONT), 'silent', 'the address of before the cut')
  assert.equal(start('p1', 'n1').address, '10.244.1.4')
  assert.deepEqual(exits, [], 'nobody was left to tell')
})

test('a power cut of the node that a connection passes breaks it, even with a healthy pod behind that node', async () => {
  const { network, time, offer, plane } = aPlane()
  offer(['p2'])
  const heard: string[] = []
  let ask = (): void => undefined
  network.dial(FRONT, (dialled) => {
    if (dialled.kind !== 'open') return
    ask = () =>
      dialled.connection.send({ path: '/' }, (reply) => void heard.push(reply === 'broken' ? reply : reply.body))
  })
  await time.advance(1)
  plane.setPower('n1', false)
  await time.advance(2_000)
  plane.setPower('n1', true)
  ask()
  await time.advance(1)
  assert.deepEqual(heard, ['broken'])
})

test('a container that starts again in its sandbox keeps its address, and tells when it may be ready', async () => {
  const parts = aPlane()
  const pod = parts.pod('p1')
  const first = parts.endpoint('p1')
  const readiness: string[] = []
  pod.kill()
  await parts.time.advance(10)
  pod.remove()
  const again = parts.plane.startPod({
    uid: 'p1',
    name: 'p1',
    namespace: 'default',
    node: 'n1',
    port: 8_080,
    app: { ...GRACEFUL, startMs: 500 },
    address: first.host,
  })
  again.onReadiness?.(() => readiness.push(`${again.isReady()} at ${parts.time.monoMs()}`))
  const startedAt = parts.time.monoMs()
  await parts.time.advance(2_000)
  assert.equal(again.address, first.host)
  assert.deepEqual(readiness, [`true at ${startedAt + 500}`])
  assert.equal(await askedAt(parts, first), 'served by p1/n1')
})

/** One of them, or undefined of none. */
const oneOf = <T>(random: SeededRandom, of: readonly T[]): T | undefined => of[random.below(of.length)]

test('a check that is sure of its answer gets what asking gets, whatever has happened', async () => {
  const seen = { sure: 0, unsure: 0 }
  for (let seed = 0; seed < 30; seed += 1) {
    const random = new SeededRandom(`sure answers ${seed}`)
    const plane = aPlane()
    const { network, time, offer, pod } = plane
    offer(['p1'])
    const names = ['p1', 'p2', 'p3', 'p4', 'p5']
    const nodes = ['n1', 'n2', 'n3']
    network.addHost('balancer')
    const heals: (() => void)[] = []
    const events: readonly (() => void)[] = [
      () => offer([oneOf(random, names) ?? 'p1']),
      () => offer([]),
      () => pod(oneOf(random, names) ?? 'p1').terminate(),
      () => pod(oneOf(random, names) ?? 'p1').kill(),
      () => pod(oneOf(random, names) ?? 'p1').remove(),
      () => plane.plane.setPower(oneOf(random, nodes) ?? 'n1', random.below(2) === 0),
      () => heals.push(network.partition('balancer', addressOf(oneOf(random, nodes) ?? 'n1'))),
      () => heals.pop()?.(),
    ]
    for (let step = 0; step < 25; step += 1) {
      oneOf(random, events)?.()
      await time.advance(random.below(3) * 700)
      const from = network.from('balancer')
      for (const node of nodes) {
        const to = { host: addressOf(node), port: NODE_PORT }
        const sure = from.sureAnswer?.(to, { path: '/readyz' })
        const asked = await askedAt({ time, network: from }, to, '/readyz')
        seen[sure === undefined ? 'unsure' : 'sure'] += 1
        if (sure !== undefined) assert.equal(asked, sure.body.trim(), `seed ${seed}, step ${step}, ${node}`)
      }
    }
  }
  assert.ok(seen.sure > 200 && seen.unsure > 200, JSON.stringify(seen))
})
