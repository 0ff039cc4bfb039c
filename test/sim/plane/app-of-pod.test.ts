import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appOfPod, portOfPod } from '../../../src/sim/plane/app-of-pod.ts'

const podWith = (env: Readonly<Record<string, string>>) => ({
  spec: { containers: [{}, { env: Object.entries(env).map(([name, value]) => ({ name, value })) }] },
})

test('an app that says nothing of itself answers at once and ends as soon as it is told to', () => {
  const plain = { startMs: 0, stop: 'graceful', graceMs: 0, answerMs: 3 }
  assert.deepEqual(appOfPod(podWith({})), plain)
  assert.deepEqual(appOfPod(podWith({ NODE_NAME: 'n1' })), plain)
})

test('the environment of an app sets how it starts, answers and stops', () => {
  assert.deepEqual(appOfPod(podWith({ STOP: 'immediate', START_DELAY: '1.5s', ANSWER: '20ms', GRACE: '1m' })), {
    startMs: 1_500,
    stop: 'immediate',
    graceMs: 60_000,
    answerMs: 20,
  })
  assert.deepEqual(appOfPod(podWith({ START_DELAY: '2s' })), {
    startMs: 2_000,
    stop: 'graceful',
    graceMs: 3_000,
    answerMs: 3,
  })
})

test('an app that forwards is told to which Service', () => {
  assert.equal(appOfPod(podWith({ FORWARD: 'shop/web' })).forwardsTo, 'shop/web')
})

test('a pod listens where its first named port is, else at 8080', () => {
  assert.equal(portOfPod(podWith({})), 8080)
  assert.equal(portOfPod({ spec: { containers: [{}, { ports: [{ containerPort: 9_090 }] }] } }), 9_090)
})
