import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import type { DnsAsker } from '../../../src/dns/ports/dns-asker.ts'
import { checkDns, type DnsCheck } from '../../../src/dns/run/check-dns.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { type DnsWorld, dnsWorld } from '../../support/dns/dns-world.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

const never = new AbortController().signal
const CACHE = '169.254.20.10'
const KUBELET = `clusterDNS:\n- ${CACHE}\nclusterDomain: cluster.local\n`

/** Kubelets send pods to a cache on their node, which is silent, or answers as the Service does. */
function check(
  { objects, service }: DnsWorld,
  { node, isSilent }: { readonly node?: string; readonly isSilent: boolean },
): Promise<DnsCheck> {
  const sockets = new SocketAsker(clock, systemRandom)
  const asker: DnsAsker = {
    ask: async ({ at, ...query }, signal) => {
      if (at.address !== CACHE) return sockets.ask({ at, ...query }, signal)
      assert.equal(at.port, 53)
      return isSilent
        ? { kind: 'timeout' }
        : sockets.ask({ at: { ...at, address: '127.0.0.1', port: service.port }, ...query }, signal)
    },
    canary: (at) => sockets.canary(at),
  }
  return checkDns(
    {
      objects: {
        ...objects,
        configMap: async (ref, signal) =>
          ref.name === 'kubelet-config' ? { kubelet: KUBELET } : objects.configMap(ref, signal),
      },
      asker,
      loopback: { ask: async () => ({ kind: 'notAsked', text: 'forbidden' }) },
      control: { reaches: async () => true },
      clock,
      random: new SeededRandom(1),
      sought: {},
      timeoutMs: 100,
      ...(node === undefined ? {} : { node }),
    },
    never,
  )
}

const said = ({ findings }: DnsCheck): readonly string[] =>
  findings.map(({ code, subjects }) => `${code} ${subjects.map(({ name }) => name).join(', ')}`)
const kinds = ({ scene }: DnsCheck): readonly string[] =>
  scene.paths.map(({ target }) => `${target.kind} ${target.name}`)

test('a cache at the link-local address that pods are sent to is asked from a node', async (t) => {
  const checked = await check(await dnsWorld(t), { node: 'n3', isSilent: false })
  assert.deepEqual([checked.verdict, said(checked)], ['ok', ['Healthy dns']])
  assert.deepEqual(kinds(checked), ['pod coredns-1', 'pod coredns-2', 'service 127.0.0.1', `cache ${CACHE}`])
  assert.equal(checked.scene.nodeLocal, false)
})

test('such a cache that is silent is named by its node, where pods and the Service answer', async (t) => {
  const checked = await check(await dnsWorld(t), { node: 'n3', isSilent: true })
  assert.deepEqual(said(checked), ['CacheDead n3'])
})

test('a place that is no node of the cluster has no such cache, and does not ask it', async (t) => {
  const checked = await check(await dnsWorld(t), { isSilent: true })
  assert.deepEqual([checked.verdict, kinds(checked)], ['ok', ['pod coredns-1', 'pod coredns-2', 'service 127.0.0.1']])
})
