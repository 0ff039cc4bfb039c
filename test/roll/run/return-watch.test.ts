import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lease } from '../../../src/ground/model/lease.ts'
import type { Pod } from '../../../src/ground/model/pod.ts'
import type { FollowEvent } from '../../../src/ground/ports/cluster.ts'
import { ReturnWatch } from '../../../src/roll/run/return-watch.ts'
import { aNode, aPod, aRecord, NEW_BOOT } from '../../support/roll-world.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const node = aNode('n1', { bootId: NEW_BOOT })

/** A data port that answers as the test says, and an API that tells the Lease it is given. */
function watched(answers: () => Promise<boolean>) {
  const clock = new VirtualClock()
  const asked: number[] = []
  let tell: (event: FollowEvent<Lease>) => void = () => assert.fail('nobody follows')
  let tellPods: (event: FollowEvent<Pod>) => void = () => assert.fail('nobody follows')
  const untilAborted = (signal: AbortSignal): Promise<void> =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const cluster = {
    followHeartbeat(_: string, sink: typeof tell, signal: AbortSignal): Promise<void> {
      tell = sink
      return untilAborted(signal)
    },
    followPodsOf(_: string, sink: typeof tellPods, signal: AbortSignal): Promise<void> {
      tellPods = sink
      return untilAborted(signal)
    },
  }
  const dataPort = {
    answers(): Promise<boolean> {
      asked.push(clock.monoMs())
      return answers()
    },
  }
  const watch = new ReturnWatch({ cluster, dataPort, clock, onChange: () => undefined })
  const stop = new AbortController()
  watch.run(stop.signal).catch(() => undefined)
  const beat = (renewTime: string): void => {
    const rest = { resourceVersion: '1', holder: 'n1', durationSeconds: 40, transitions: 0, annotations: {} }
    tell({ type: 'listed', objects: [{ namespace: 'kube-node-lease', name: 'n1', renewTime, ...rest }] })
  }
  const pods = (...containers: string[]): void =>
    tellPods({ type: 'listed', objects: containers.map((id) => aPod('proxy', 'n1', { containerIds: { proxy: id } })) })
  return { clock, watch, asked, beat, pods, stop }
}

test('a heartbeat is not waited for: it is reported as soon as it is known', async (t) => {
  const { clock, watch, beat, stop } = watched(async () => true)
  t.after(() => stop.abort())
  assert.deepEqual(await watch.ask(node, aRecord(), never), { dataPorts: { '10.0.0.1:30080': true } })
  await clock.advance(10)
  beat('beat-1')
  assert.equal((await watch.ask(node, aRecord(), never)).leaseRenewTime, 'beat-1')
  assert.deepEqual(watch.rest(), { dataPorts: {} })
  assert.equal((await watch.ask(node, aRecord(), never)).leaseRenewTime, undefined)
})

test('containers are new that the first list after the boot id did not show, and are forgotten at rest', async (t) => {
  const { clock, watch, pods, stop } = watched(async () => true)
  t.after(() => stop.abort())
  const newContainers = async () => (await watch.ask(node, aRecord(), never)).newContainers
  assert.equal(await newContainers(), undefined)
  await clock.advance(10)
  pods('old')
  assert.deepEqual(await newContainers(), [])
  pods('old', 'new')
  assert.deepEqual(await newContainers(), ['new'])
  watch.rest()
  assert.equal(await newContainers(), undefined)
})

test('data ports are asked twice a second, however often they are asked for', async (t) => {
  const { clock, watch, asked, stop } = watched(async () => true)
  t.after(() => stop.abort())
  for (let i = 0; i < 100; i++) {
    await watch.ask(node, aRecord(), never)
    await clock.advance(20)
  }
  assert.deepEqual(asked, [0, 460, 920, 1380, 1840])
})

test('a data port that keeps its caller waiting does not answer', async (t) => {
  const { clock, watch, stop } = watched(() => new Promise(() => undefined))
  t.after(() => stop.abort())
  const facts = watch.ask(node, aRecord(), never)
  await clock.advance(1_000)
  assert.deepEqual((await facts).dataPorts, { '10.0.0.1:30080': false })
})

test('a data port is asked at the address that the balancer wrote another way', async (t) => {
  const { watch, asked, stop } = watched(async () => true)
  t.after(() => stop.abort())
  const servers = aRecord().servers.map((server) => ({ ...server, address: '::ffff:10.0.0.1' }))
  const { dataPorts } = await watch.ask(node, aRecord({ servers }), never)
  assert.deepEqual(dataPorts, { '::ffff:10.0.0.1:30080': true })
  assert.equal(asked.length, 1)
})

test('what a data port answered before another boot is no answer for this one', async (t) => {
  const { watch, asked, stop } = watched(async () => true)
  t.after(() => stop.abort())
  await watch.ask(aNode('n1'), aRecord(), never)
  await watch.ask(node, aRecord(), never)
  assert.equal(asked.length, 2)
})

test('a data port that the record names at another node is not asked', async (t) => {
  const { watch, stop } = watched(async () => true)
  t.after(() => stop.abort())
  const servers = aRecord().servers.flatMap((server) => [server, { ...server, address: '10.0.0.2' }])
  assert.deepEqual(Object.keys((await watch.ask(node, aRecord({ servers }), never)).dataPorts), ['10.0.0.1:30080'])
})
