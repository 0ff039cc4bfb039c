import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ForwardedCounters } from '../../../src/dns/io/forwarded-counters.ts'
import { ForwardedLoopback } from '../../../src/dns/io/forwarded-loopback.ts'
import { kubeDnsObjects } from '../../../src/dns/io/kube-dns-objects.ts'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import type { DnsAsker } from '../../../src/dns/ports/dns-asker.ts'
import { checkDns, type DnsCheck } from '../../../src/dns/run/check-dns.ts'
import { openApi } from '../../../src/ground/kube/open-cluster.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { CoreDnsGround } from '../../support/dns/coredns-ground.ts'
import { portForwardApi, toLoopback } from '../../support/dns/port-forward-api.ts'
import { requires } from '../../support/requires.ts'

const never = new AbortController().signal
const log = { debug: () => undefined, warn: () => undefined }
const BETWEEN_QUERIES_MS = 20

/** Nothing but the API server is reached. */
const nowhere: DnsAsker = {
  ask: async () => ({ kind: 'timeout' }),
  canary: () => ({ ask: async () => ({ kind: 'timeout' }), close: () => undefined }),
}

/** A check from outside, which reaches pods by port-forward alone. */
async function check(t: TestContext, ground: CoreDnsGround): Promise<DnsCheck> {
  const kubeconfigPath = ground.api.kubeconfig
  const { parts } = await openApi(
    { kubeconfigPath, context: undefined, env: {}, clock, random, log, userAgent: 'evenkeel/test' },
    never,
  )
  const { client } = await portForwardApi(t, toLoopback())
  const ports = {
    objects: kubeDnsObjects(parts),
    asker: nowhere,
    loopback: new ForwardedLoopback({ client, clock, random }),
    counters: new ForwardedCounters({ client, clock }),
    control: { reaches: async () => false },
    clock,
    random,
  }
  return checkDns({ ...ports, sought: {}, timeoutMs: 500 }, never)
}

/** Others ask these ports over UDP until `during` is over. */
async function loaded<T>(ports: readonly number[], during: () => Promise<T>): Promise<T> {
  const asker = new SocketAsker(clock, random)
  const stop = new AbortController()
  const question = { name: 'kubernetes.default.svc.cluster.local', type: 'A', class: 'IN' } as const
  const asking = (async () => {
    while (!stop.signal.aborted) {
      for (const port of ports)
        await asker.ask({ at: { address: '127.0.0.1', port }, question, over: 'udp', timeoutMs: 500 }, never)
      await clock.sleep(BETWEEN_QUERIES_MS, never)
    }
  })()
  try {
    return await during()
  } finally {
    stop.abort()
    await asking
  }
}

const said = ({ findings }: DnsCheck): readonly string[] =>
  findings.map(({ code, subjects }) => `${code} ${subjects.map(({ name }) => name).join(', ')}`)

test('real CoreDNS, asked by port-forward alone', requires('testbed'), async (t) => {
  const ground = await CoreDnsGround.of(t, 2)
  const ports = ground.pods.map(({ port }) => port)

  await t.test('that was never asked over UDP is idle, whatever is asked over TCP: UDP is not verified', async (t) => {
    const checked = await check(t, ground)
    assert.deepEqual(
      [checked.verdict, said(checked)],
      ['unverified', ['UdpUnseen coredns-1, coredns-2', 'NotAsked kube-system/kube-dns']],
    )
    for (const { udpSeen } of checked.scene.pods)
      assert.deepEqual([udpSeen?.state, udpSeen?.received, udpSeen?.answered], ['idle', 0, 0])
  })

  await t.test('that answers others over UDP is observed', async (t) => {
    const checked = await loaded(ports, () => check(t, ground))
    assert.deepEqual(
      [checked.verdict, said(checked)],
      ['observed', ['UdpObserved coredns-1, coredns-2']],
      JSON.stringify({ notes: checked.notes, pods: checked.scene.pods }),
    )
  })

  await t.test('to which no query over UDP comes while its sibling answers many is suspect', async (t) => {
    const checked = await loaded(ports.slice(0, 1), () => check(t, ground))
    assert.deepEqual(
      [checked.verdict, said(checked).slice(0, 2)],
      ['degraded', ['UdpSuspect coredns-2', 'UdpObserved coredns-1']],
      JSON.stringify({ notes: checked.notes, pods: checked.scene.pods }),
    )
  })
})
