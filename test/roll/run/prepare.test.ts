import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { Access } from '../../../src/ground/model/access.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { prepare } from '../../../src/roll/run/prepare.ts'
import { memoryRoll } from '../../support/memory-roll.ts'
import { aSpec } from '../../support/roll-world.ts'

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
