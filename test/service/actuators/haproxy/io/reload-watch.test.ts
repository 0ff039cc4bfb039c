import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../../../src/ground/machine/system-random.ts'
import { BalancerPoller } from '../../../../../src/roll/run/balancer-poller.ts'
import { ReloadWatch } from '../../../../../src/roll/run/reload-watch.ts'
import { HaproxyBalancer } from '../../../../../src/service/actuators/haproxy/io/haproxy-balancer.ts'
import { LocalHaproxy } from '../../../../support/local-haproxy.ts'
import { requires } from '../../../../support/requires.ts'

const never = new AbortController().signal

const sections = (): string => `backend web
  server n1 127.0.0.1:1
  server n2 127.0.0.2:1
`

test(
  'a real HAProxy that is reloaded: from the last answer before until it says drain again',
  requires('haproxy'),
  async (t) => {
    const haproxy = await LocalHaproxy.start(t, { sections, kind: 'master and worker' })
    const instances = [{ name: 'lb-1', address: { kind: 'unix', path: haproxy.socket } as const }]
    const edge = { name: 'edge', backends: ['web'], allowLastServer: false }
    const spec = { ...edge, instances: ['lb-1'], via: { kind: 'haproxy' as const, instances } }
    const balancer = new HaproxyBalancer({ spec: { ...edge, instances }, clock: systemClock, random: systemRandom })
    t.after(() => balancer.close())
    const watch = new ReloadWatch(() => [
      { balancer: 'edge', instance: 'lb-1', backend: 'web', address: '127.0.0.2', node: 'n2' },
    ])
    const poller = new BalancerPoller({
      balancer,
      spec,
      instance: 'lb-1',
      clock: systemClock,
      own: () => [],
      onPoll: () => Promise.resolve(),
      onAnswer: (look) => watch.answered(look),
      onUnreached: () => undefined,
    })
    const n2 = { instance: 'lb-1', backend: 'web', server: 'n2' }
    await balancer.setState(n2, 'drain', never)
    await poller.poll(never)
    const lastAsked = Date.now()
    await poller.poll(never)
    assert.equal(poller.hasAnsweredSince(systemClock.monoMs()), false)
    await haproxy.reload()
    const reloaded = Date.now()
    assert.deepEqual(watch.all(), [])

    await poller.poll(never)
    const [open] = watch.all()
    assert.deepEqual([open?.servers, open?.nodes, open?.to], [['web/n2'], ['n2'], undefined])
    assert.ok(open !== undefined && open.from >= lastAsked && open.from <= reloaded && open.seenAt >= reloaded)

    const begun = systemClock.monoMs()
    await balancer.setState(n2, 'drain', never)
    const saidAgain = Date.now()
    await poller.poll(never)
    assert.equal(poller.hasAnsweredSince(begun), true)
    const [closed, ...more] = watch.all()
    assert.deepEqual(more, [])
    assert.ok(closed?.to !== undefined && closed.to >= saidAgain)
    assert.deepEqual({ ...closed, to: undefined }, { ...open, to: undefined })
  },
)
