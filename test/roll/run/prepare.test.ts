import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { Access } from '../../../src/ground/model/access.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { prepare } from '../../../src/roll/run/prepare.ts'
import type { BalancerReader } from '../../../src/service/ports/balancer.ts'
import { memoryRoll } from '../../support/memory-roll.ts'
import { aServer, aSpec } from '../../support/roll-world.ts'

/** The findings of a plan by an identity that lacks these rights; what it may not list is refused. */
async function findingsWithout(forbidden: readonly Access[]): Promise<readonly string[]> {
  const { cluster } = memoryRoll()
  const host = {
    check: () => Promise.reject(new WorldError('no route to it', { code: 'HOST_UNREACHABLE', retry: 'backoff' })),
    reboot: () => Promise.reject(new Error('a plan reboots nothing')),
    ownBootId: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  }
  const list = cluster.list.bind(cluster)
  cluster.forbidden = (wanted: readonly Access[] = []) =>
    Promise.resolve(wanted.filter((access) => forbidden.some((other) => isDeepStrictEqual(access, other))) as never[])
  cluster.list = (kind) =>
    forbidden.some(({ verb, resource }) => verb === 'list' && resource === kind)
      ? Promise.reject(new WorldError(`list ${kind}: forbidden (HTTP 403)`, { code: 'KUBE_FORBIDDEN', retry: 'never' }))
      : list(kind)
  const parts = {
    spec: aSpec({ dns: { namespace: 'evenkeel', image: 'registry.example/evenkeel:1.0' } }),
    clusterName: 'test',
    cluster,
    balancers: [],
    host,
  }
  const { findings } = await prepare(parts, new AbortController().signal)
  return findings.map(({ code, text }) => `${code}: ${text}`)
}

test('a plan by an identity that may not list says what it lacks, and reads nothing else', async () => {
  const found = await findingsWithout([{ verb: 'list', group: '', resource: 'pods' }])
  assert.match(found.join('\n'), /^Forbidden: .*list.*pods/m)
  assert.doesNotMatch(found.join('\n'), /n1/)
})

test('a plan by an identity that may list, and lacks another right, is of the whole cluster', async () => {
  const found = await findingsWithout([{ verb: 'patch', group: '', resource: 'nodes' }])
  assert.match(found.join('\n'), /^Forbidden: .*patch.*nodes/m)
  assert.match(found.join('\n'), /n1/)
})

test('a plan by an identity that may not make relays, or read the Corefile, warns of that alone', async () => {
  const found = await findingsWithout([
    { verb: 'create', group: 'batch', resource: 'jobs', namespace: 'evenkeel' },
    { verb: 'get', group: '', resource: 'configmaps', name: 'coredns', namespace: 'kube-system' },
  ])
  const less = 'DnsForbidden: less of DNS will be known, because this identity is not allowed to'
  assert.deepEqual(found.slice(0, 2), [
    `${less} get configmaps in namespace kube-system: its Service and zone are found another way, or set by dns.service and dns.zone`,
    `${less} create jobs.batch in namespace evenkeel: it is asked only from here`,
  ])
  assert.doesNotMatch(found.join('\n'), /Forbidden: this/)
})

/** What a plan says of silent data ports. Of n1, n2 and n3 the machine of `needless` needs no reboot. */
async function silentPorts(
  answers: (address: string, isSecond: boolean) => boolean,
  { needless = '', servers = [aServer('n1'), aServer('n2'), aServer('n3')] } = {},
) {
  const { cluster, clock } = memoryRoll()
  const web = { name: 'web', mode: 'http', servers, stickTable: false, redispatch: 'unknown' } as const
  const known = { instance: 'lb-1', process: '1', version: '2.6.12', level: 'admin', processes: 1 } as const
  const inspection = { ...known, missingBackends: [], disabledBackends: [], backends: [web], outside: [] }
  const balancer = {
    name: 'edge',
    inspect: () => Promise.resolve(inspection),
  } as Partial<BalancerReader> as BalancerReader
  const asked: string[] = []
  const dataPort = {
    answers: ({ address }: { readonly address: string }) => {
      const isSecond = asked.includes(address)
      asked.push(address)
      return Promise.resolve(answers(address, isSecond))
    },
  }
  const host = {
    check: ({ node }: { readonly node: string }) => {
      const sentinel =
        node === needless ? { kind: 'absent' as const } : { kind: 'there' as const, packages: [], isCut: false }
      return Promise.resolve({ mayReboot: true, hops: [], need: { sentinel } })
    },
    reboot: () => Promise.reject(new Error('a plan reboots nothing')),
    ownBootId: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  }
  const ports = { dataPort, clock }
  const { reboot } = aSpec()
  const spec = aSpec({ reboot: { ...reboot, onlyIfNeeded: { sentinel: '/run/x', versions: {} } } })
  const parts = { spec, clusterName: 'test', cluster, balancers: [balancer], host, ports }
  const { findings } = await prepare(parts, new AbortController().signal)
  const found = findings.filter(({ code }) => code === 'DataPortSilent')
  return { asked, found: found.map(({ severity, text }) => `${severity}: ${text.split(',')[0]}`) }
}

const isN1OrLater = (address: string, isSecond: boolean): boolean =>
  address === '10.0.0.1' || (address === '10.0.0.2' && isSecond)

test('a plan calls a data port silent where two connections in a row had no answer', async () => {
  const { found } = await silentPorts(isN1OrLater)
  assert.deepEqual(found, ['error: nothing answers this machine at 10.0.0.3:30080'])
})

test('a plan asks no data port of a node that needs no reboot', async () => {
  const { found, asked } = await silentPorts(isN1OrLater, { needless: 'n3' })
  assert.deepEqual([found, asked.includes('10.0.0.3')], [[], false])
})

test('a plan asks no more data ports once many are silent: a firewall may drop what is sent to each of thousands', async () => {
  const servers = Array.from({ length: 1_000 }, (_, i) => aServer('n1', { port: 10_000 + i }))
  const { found, asked } = await silentPorts(() => false, { servers })
  assert.equal(found.length, 1)
  assert.ok(asked.length < 250, `${asked.length} connections`)
})
