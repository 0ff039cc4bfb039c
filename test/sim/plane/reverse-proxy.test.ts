import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Connection, Destination } from '../../../src/sim/network/network.ts'
import type { AppBehaviour } from '../../../src/sim/plane/app-behaviour.ts'
import type { PodProcess } from '../../../src/sim/plane/data-plane.ts'
import { aPlane, GRACEFUL, IMMEDIATE } from './a-plane.ts'
import { heardClient } from './heard-client.ts'

const INGRESS: AppBehaviour = { ...GRACEFUL, graceMs: 0, forwardsTo: 'whoami' }

/** Five pods that exit at once, and an ingress on n1; what is heard is kept with the time, to a tenth of a second. */
async function anIngress(app: AppBehaviour = IMMEDIATE) {
  const bed = aPlane(app)
  const { time, network, plane, endpoint } = bed
  const ingress: PodProcess = plane.startPod({
    uid: 'in',
    name: 'in',
    namespace: 'default',
    node: 'n1',
    port: 8_080,
    app: INGRESS,
  })
  await time.advance(1)
  const lead = (names: readonly string[]): void => ingress.setEndpoints?.(names.map(endpoint))
  const heard: string[] = []
  const begunMs = time.monoMs()
  const say = (what: string): void => void heard.push(`${Math.round((time.monoMs() - begunMs) / 100) / 10} s: ${what}`)
  ingress.onExit((code) => say(`exit ${code}`))
  const { ask, open: openTo } = heardClient({ network, time, say })
  const open = (to: Destination = { host: ingress.address, port: 8_080 }): Promise<Connection> => openTo(to)
  /** One request after the other over one connection. */
  const askOver = async (times: number): Promise<void> => {
    const connection = await open()
    for (let i = 0; i < times; i += 1) {
      ask(connection)
      await time.advance(10)
    }
  }
  return { ...bed, ingress, lead, heard, ask, askOver, open }
}

test('an ingress is ready once it knows where to send; where that is nowhere it says so', async () => {
  const { time, ingress, lead, heard, ask, open } = await anIngress()
  const connection = await open()
  ask(connection, '/healthz')
  await time.advance(10)
  assert.equal(ingress.isReady(), false)
  lead([])
  assert.equal(ingress.isReady(), true)
  ask(connection, '/healthz')
  await time.advance(10)
  ask(connection)
  await time.advance(10)
  assert.deepEqual(heard, ['0 s: 503 starting', '0 s: 200 ok', '0 s: 503 503 Service Temporarily Unavailable'])
})

test('each request goes to the next endpoint, on whichever node', async () => {
  const { lead, heard, askOver } = await anIngress()
  lead(['p1', 'p2', 'p3'])
  await askOver(4)
  assert.deepEqual(heard, [
    '0 s: 200 served by p2/n2',
    '0 s: 200 served by p3/n3',
    '0 s: 200 served by p1/n1',
    '0 s: 200 served by p2/n2',
  ])
})

test('a connection to an endpoint is used again', async () => {
  const { lead, heard, askOver, plane, time } = await anIngress()
  lead(['p2'])
  await askOver(1)
  plane.setPower('n2', false)
  await askOver(1)
  await time.advance(30_000)
  assert.deepEqual(heard, ['0 s: 200 served by p2/n2'], 'it is not dialled, or it would be given up after 5 s')
})

test('an endpoint that refuses costs nothing but the next try', async () => {
  const { pod, lead, heard, askOver } = await anIngress()
  lead(['p1', 'p2', 'p3'])
  pod('p2').terminate()
  await askOver(1)
  assert.deepEqual(heard, ['0 s: 200 served by p3/n3'])
})

test('an endpoint whose sandbox is gone is waited for, for 5 s', async () => {
  const { pod, lead, heard, askOver, time } = await anIngress()
  lead(['p1', 'p2', 'p3'])
  pod('p2').remove()
  await askOver(1)
  await time.advance(10_000)
  assert.deepEqual(heard, ['5 s: 200 served by p3/n3'])
})

test('an answer that is cut is asked for elsewhere', async () => {
  const { pod, lead, heard, ask, open, time } = await anIngress({ ...IMMEDIATE, answerMs: 1_000 })
  lead(['p1', 'p2', 'p3'])
  ask(await open())
  await time.advance(500)
  pod('p2').terminate()
  await time.advance(2_000)
  assert.deepEqual(heard, ['1.5 s: 200 served by p3/n3'])
})

test('after three tries that were refused it is a bad gateway', async () => {
  const { pod, lead, heard, askOver } = await anIngress()
  lead(['p1', 'p2', 'p3', 'p4', 'p5'])
  for (const name of ['p2', 'p3', 'p4']) pod(name).terminate()
  await askOver(1)
  assert.deepEqual(heard, ['0 s: 502 502 Bad Gateway'])
})

test('after three tries that hung it is a gateway time-out', async () => {
  const { pod, lead, heard, askOver, time } = await anIngress()
  lead(['p1', 'p2', 'p3', 'p4', 'p5'])
  for (const name of ['p2', 'p3', 'p4']) pod(name).remove()
  await askOver(1)
  await time.advance(20_000)
  assert.deepEqual(heard, ['15 s: 504 504 Gateway Time-out'])
})

test('told to stop, an ingress refuses at once, finishes what is under way, and exits', async () => {
  const { ingress, lead, heard, ask, open, time } = await anIngress({ ...IMMEDIATE, answerMs: 1_000 })
  lead(['p1'])
  const busy = await open()
  ask(busy)
  await time.advance(100)
  ingress.terminate()
  await time.advance(10)
  await assert.rejects(open(), { message: 'not open' })
  await time.advance(5_000)
  assert.deepEqual(heard, ['0.1 s: refused', '1 s: exit 0', '1 s: 200 served by p1/n1, closes', '1 s: closed'])
})

test('a machine that loses its power takes what its ingress had under way with it', async () => {
  const { plane, lead, heard, ask, open, time } = await anIngress({ ...IMMEDIATE, answerMs: 1_000 })
  lead(['p2'])
  ask(await open())
  await time.advance(100)
  plane.setPower('n1', false)
  await time.advance(120_000)
  assert.deepEqual(heard, [])
})
