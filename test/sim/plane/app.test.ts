import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Connection } from '../../../src/sim/network/network.ts'
import type { AppBehaviour } from '../../../src/sim/plane/app-behaviour.ts'
import { aPlane, GRACEFUL, IMMEDIATE } from './a-plane.ts'
import { heardClient } from './heard-client.ts'

/** One pod, asked at its own address; what is heard is kept with the time, to a hundredth of a second. */
async function anApp(app: AppBehaviour) {
  const { time, network, start } = aPlane(app)
  const pod = start('app', 'n1')
  const begunMs = time.monoMs()
  const heard: string[] = []
  const say = (what: string): void => void heard.push(`${Math.round((time.monoMs() - begunMs) / 10) / 100} s: ${what}`)
  pod.onExit((code) => say(`exit ${code}`))
  const { ask, open: openTo } = heardClient({ network, time, say })
  const open = (): Promise<Connection> => openTo({ host: pod.address, port: 8_080 })
  return { time, pod, heard, ask, open }
}

test('an app that starts answers that it is not ready, until it is', async () => {
  const { time, pod, heard, ask, open } = await anApp({ ...GRACEFUL, startMs: 500 })
  const connection = await open()
  ask(connection, '/readyz')
  await time.advance(498)
  assert.equal(pod.isReady(), false)
  await time.advance(1)
  assert.equal(pod.isReady(), true)
  ask(connection, '/readyz')
  await time.advance(1)
  assert.deepEqual(heard, ['0 s: 503 starting', '0.5 s: 200 ok'])
})

test('told to stop, a graceful app is unready, serves on for its grace and closes what it answered', async () => {
  const { time, pod, heard, ask, open } = await anApp(GRACEFUL)
  const [busy, idle] = [await open(), await open()]
  ask(idle)
  await time.advance(8)
  pod.terminate()
  assert.equal(pod.isReady(), false)
  const probe = await open()
  ask(probe, '/readyz')
  await time.advance(989)
  ask(busy)
  await time.advance(1_001)
  assert.deepEqual(heard, [
    '0 s: 200 served by app/n1',
    '0.01 s: 503 stopping, closes',
    '0.01 s: closed',
    '1 s: 200 served by app/n1, closes',
    '1 s: closed',
  ])
  await time.advance(2_000)
  assert.deepEqual(heard.slice(5), ['3.01 s: exit 0', '3.01 s: closed'], 'the idle one is closed at the end')
})

test('a request under way when the grace ends is finished before the app exits; a new client is refused', async () => {
  const { time, pod, heard, ask, open } = await anApp({ ...GRACEFUL, graceMs: 100, answerMs: 1_000 })
  const connection = await open()
  pod.terminate()
  await time.advance(99)
  ask(connection)
  await time.advance(100)
  await assert.rejects(open(), { message: 'not open' })
  await time.advance(1_000)
  assert.deepEqual(heard, ['0.2 s: refused', '1.1 s: exit 0', '1.1 s: 200 served by app/n1, closes', '1.1 s: closed'])
})

test('a connection on which nothing was asked yet is waited for, but not for ever', async () => {
  const { time, pod, heard, open } = await anApp({ ...GRACEFUL, graceMs: 100 })
  await open()
  pod.terminate()
  await time.advance(10_000)
  assert.deepEqual(heard, ['5.1 s: exit 0', '5.1 s: closed'])
})

test('an app that stops at once cuts what is under way, and so does SIGKILL', async () => {
  const { time, pod, heard, ask, open } = await anApp({ ...IMMEDIATE, answerMs: 1_000 })
  ask(await open())
  await time.advance(99)
  pod.terminate()
  await time.advance(2_000)
  assert.deepEqual(heard, ['0.1 s: exit 0', '0.1 s: broken', '0.1 s: closed'])

  const killed = await anApp({ ...GRACEFUL, answerMs: 1_000 })
  killed.ask(await killed.open())
  await killed.time.advance(99)
  killed.pod.terminate()
  killed.pod.kill()
  await killed.time.advance(30_000)
  assert.deepEqual(killed.heard, ['0.1 s: exit 137', '0.1 s: broken', '0.1 s: closed'])
})

test('a caller that asks after the end gets how the app ended', async () => {
  const { time, pod, heard } = await anApp(IMMEDIATE)
  pod.terminate()
  await time.advance(10)
  pod.onExit((code) => heard.push(`late ${code}`))
  await time.advance(10)
  assert.deepEqual(heard, ['0 s: exit 0', 'late 0'])
})
