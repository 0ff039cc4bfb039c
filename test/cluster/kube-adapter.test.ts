import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Lease } from '../../src/ground/model/lease.ts'
import type { Cluster, FollowEvent, Kind, KindMap } from '../../src/ground/ports/cluster.ts'
import type { Bed } from '../../testbed/bed.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import type { RawApi } from '../support/raw-api.ts'
import { requires } from '../support/requires.ts'
import { KubeGround } from './kube-ground.ts'
import { openOnBed } from './open-on-bed.ts'

describe('the Kubernetes adapter on a real API server', requires('testbed'), () => {
  const ground = new KubeGround()
  const { signal } = ground
  let bed: Bed
  let cluster: Cluster
  let raw: RawApi
  let quiet: FollowEvent<KindMap['volumeattachments']>[]
  let quietSince: number

  before(async () => {
    ;({ bed, cluster, raw } = await ground.open())
    // Begun first and looked at last, since it takes its time.
    quiet = follow('volumeattachments').events
    quietSince = performance.now()
  })
  after(() => ground.close())

  function follow<K extends Kind>(kind: K) {
    const events: FollowEvent<KindMap[K]>[] = []
    cluster.follow(kind, (event) => void events.push(event), signal).catch(() => undefined)
    return { events }
  }

  const until = (what: string, holds: () => boolean, limitMs = 20_000) =>
    waitFor({ what, limitMs, everyMs: 10 }, () => holds() || undefined)

  const aNode = (name: string) => raw('POST', '/api/v1/nodes', { metadata: { name, labels: { made: 'by-test' } } })

  test('names the cluster by the uid of kube-system, and its version', async () => {
    const uid = await bed.kubectl(['get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}'])
    assert.deepEqual(await cluster.identity(signal), { uid, version: 'v1.35.4' })
  })

  test('lists every kind there is', async () => {
    const kinds: readonly Kind[] = [
      'nodes',
      'pods',
      'disruptionbudgets',
      'deployments',
      'replicasets',
      'statefulsets',
      'daemonsets',
      'volumeattachments',
      'volumeclaims',
      'services',
      'endpointslices',
    ]
    for (const kind of kinds) assert.ok(Array.isArray(await cluster.list(kind, signal)), kind)
    const services = await cluster.list('services', signal)
    assert.deepEqual(
      services.map(({ namespace, name }) => `${namespace}/${name}`),
      ['default/kubernetes'],
    )
  })

  test('lists more than a page, each object once', async () => {
    const path = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices'
    const names = Array.from({ length: 1201 }, (_, index) => `slice-${String(index).padStart(4, '0')}`)
    const slice = (name: string) => ({ metadata: { name }, addressType: 'IPv4', endpoints: [] })
    const made = await Promise.all(names.map((name) => raw('POST', path, slice(name))))
    assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]))
    const listed = await cluster.list('endpointslices', signal)
    const found = listed.map(({ name }) => name).filter((name) => name.startsWith('slice-'))
    assert.deepEqual(found.sort(), names)
  })

  test('follows what is made, changed and deleted', async () => {
    const { events } = follow('nodes')
    await until('the list', () => events.some(({ type }) => type === 'listed'))
    await aNode('followed')
    await raw('PATCH', '/api/v1/nodes/followed', { spec: { unschedulable: true } })
    await raw('DELETE', '/api/v1/nodes/followed')
    await until('the deletion', () => events.some((event) => event.type === 'deleted'))
    const ours = events.flatMap((event) =>
      'object' in event && event.object.name === 'followed' ? [`${event.type} ${event.object.unschedulable}`] : [],
    )
    assert.equal(ours[0], 'applied false')
    assert.ok(ours.includes('applied true'))
    assert.equal(ours.at(-1), 'deleted true')
  })

  test('a node that is not there is absent', async () => {
    assert.equal(await cluster.readNode('nobody', signal), undefined)
    await assert.rejects(cluster.patchNode('nobody', [], signal), { code: 'KUBE_NOT_FOUND' })
  })

  test('a patch is made where its tests hold, and is a conflict where they do not', async () => {
    await aNode('patched')
    const node = await cluster.readNode('patched', signal)
    assert.ok(node !== undefined && !node.unschedulable)
    const test = { op: 'test', path: '/metadata/labels/made', value: 'by-test' } as const
    const cordon = { op: 'add', path: '/spec/unschedulable', value: true } as const
    assert.equal((await cluster.patchNode('patched', [test, cordon], signal)).unschedulable, true)
    const conflict = { name: 'WorldError', code: 'KUBE_CONFLICT', retry: 'now' }
    const wrong = { ...test, value: 'by-somebody' }
    await assert.rejects(cluster.patchNode('patched', [wrong, cordon], signal), conflict)
    const missing = { ...test, path: '/metadata/annotations/none' }
    await assert.rejects(cluster.patchNode('patched', [missing, cordon], signal), conflict)
    const version = { op: 'test', path: '/metadata/resourceVersion', value: node.resourceVersion } as const
    await assert.rejects(cluster.patchNode('patched', [version, cordon], signal), conflict)
    const gone = { op: 'remove', path: '/metadata/annotations/none' } as const
    await assert.rejects(cluster.patchNode('patched', [gone], signal), conflict)
  })

  test('a patch that makes no valid node is no conflict', async () => {
    await aNode('invalid')
    const taints = { op: 'add', path: '/spec/taints', value: [{ key: 'not a key', effect: 'NoSchedule' }] } as const
    await assert.rejects(cluster.patchNode('invalid', [taints], signal), { code: 'KUBE_INVALID', retry: 'never' })
  })

  const fresh: Lease = {
    namespace: 'default',
    name: 'slot',
    resourceVersion: '',
    holder: 'run-1',
    durationSeconds: 30,
    renewTime: '2026-01-01T00:00:00.000001Z',
    transitions: 0,
    annotations: { 'evenkeel.dev/node': 'n1' },
  }

  test('a lease is made once, replaced under its version alone, and not made anew when it was deleted', async () => {
    assert.equal(await cluster.readLease(fresh, signal), undefined)
    const made = await cluster.writeLease(fresh, signal)
    assert.deepEqual({ ...made, resourceVersion: '' }, fresh)
    await assert.rejects(cluster.writeLease(fresh, signal), { code: 'KUBE_CONFLICT' })

    const renewed = await cluster.writeLease({ ...made, renewTime: '2026-01-01T00:00:05.000002Z' }, signal)
    assert.notEqual(renewed.resourceVersion, made.resourceVersion)
    assert.equal(renewed.renewTime, '2026-01-01T00:00:05.000002Z')
    await assert.rejects(cluster.writeLease({ ...made, holder: 'run-2' }, signal), { code: 'KUBE_CONFLICT' })
    assert.deepEqual(await cluster.readLease(fresh, signal), renewed)

    const released = await cluster.writeLease({ ...renewed, holder: '', annotations: {} }, signal)
    assert.deepEqual([released.holder, released.annotations], ['', {}])
    await raw('DELETE', '/apis/coordination.k8s.io/v1/namespaces/default/leases/slot')
    await assert.rejects(cluster.writeLease(released, signal), { code: 'KUBE_NOT_FOUND' })
    assert.equal(await cluster.readLease(fresh, signal), undefined)
  })

  test('a trial of a lease stores nothing, made or changed, and finds a namespace that is not there', async () => {
    const slot = { namespace: 'default', name: 'tried' }
    await cluster.tryLease(slot, signal)
    assert.equal(await cluster.readLease(slot, signal), undefined)
    const made = await cluster.writeLease({ ...fresh, ...slot }, signal)
    await cluster.tryLease(slot, signal)
    assert.deepEqual(await cluster.readLease(slot, signal), made)
    const nowhere = { ...slot, namespace: 'nowhere' }
    await assert.rejects(cluster.tryLease(nowhere, signal), { code: 'KUBE_NOT_FOUND', message: /namespaces "nowhere"/ })
  })

  describe('as a user with few rights', () => {
    let limited: Cluster
    before(async () => {
      const rules = [
        { apiGroups: [''], resources: ['nodes'], verbs: ['list'] },
        { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
        { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
      ]
      await bed.apply([
        { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'few' }, rules },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name: 'few' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'few' },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'limited' }],
        },
      ])
      const { outside } = await bed.userKubeconfig('limited')
      limited = await waitFor({ what: 'the rights to hold', limitMs: 10_000 }, () =>
        openOnBed(outside, signal).catch(() => undefined),
      )
    })

    test('what is forbidden is known beforehand', async () => {
      const listNodes = { verb: 'list', group: '', resource: 'nodes' }
      const patchNodes = { verb: 'patch', group: '', resource: 'nodes' }
      const evict = { verb: 'create', group: '', resource: 'pods', subresource: 'eviction' }
      const pods = { verb: 'create', group: '', resource: 'pods' }
      const leases = { verb: 'get', group: 'coordination.k8s.io', resource: 'leases', namespace: 'default' }
      const forbidden = await limited.forbidden([listNodes, patchNodes, evict, pods, leases, listNodes], signal)
      assert.deepEqual(forbidden, [patchNodes, pods, leases])
      assert.deepEqual(await cluster.forbidden([listNodes, patchNodes, evict, pods, leases], signal), [])
    })

    test('and what is tried all the same says which verb on which resource', async () => {
      await assert.rejects(limited.patchNode('n1', [], signal), {
        code: 'KUBE_FORBIDDEN',
        retry: 'never',
        message: /^patch nodes: .*User "limited" cannot patch resource "nodes"/,
      })
      await assert.rejects(limited.list('disruptionbudgets', signal), {
        code: 'KUBE_FORBIDDEN',
        message: /^list poddisruptionbudgets\.policy: .*cannot list/,
      })
    })
  })

  test('a user with no rights at all is told which one is missing first', async () => {
    const { outside } = await bed.userKubeconfig('nobody')
    await assert.rejects(openOnBed(outside, signal), {
      name: 'UserError',
      code: 'KUBE_FORBIDDEN',
      message: /^get namespaces: .*User "nobody" cannot get resource "namespaces"/,
    })
  })

  test('a client certificate that has expired is reported with its date', async () => {
    const { outside } = await bed.userKubeconfig('late', { notAfter: new Date('2026-01-02T03:04:05Z') })
    await assert.rejects(openOnBed(outside, signal), {
      name: 'UserError',
      code: 'KUBE_CERTIFICATE_EXPIRED',
      message: /^the client certificate of CN=late expired on Jan {2}2 03:04:05 2026 GMT$/,
    })
  })

  test('a token that is not valid is reported', async () => {
    const config = JSON.parse(readFileSync(bed.kubeconfig, 'utf8'))
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-'))
    const path = join(folder, 'kubeconfig')
    writeFileSync(path, JSON.stringify({ ...config, users: [{ name: 'testbed', user: { token: 'made-up' } }] }))
    await assert.rejects(openOnBed(path, signal), { name: 'UserError', code: 'KUBE_UNAUTHORIZED' })
    rmSync(folder, { recursive: true })
  })

  test('a token file that is rotated is read again when the old token is refused', async () => {
    const rules = [{ apiGroups: [''], resources: ['namespaces', 'nodes'], verbs: ['get', 'list'] }]
    const account = (name: string) => [
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'default' } },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'rotating' },
        subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
      },
    ]
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'rotating' },
      rules,
    }
    await bed.apply([role, ...account('first'), ...account('second')])
    const token = (name: string) => bed.kubectl(['create', 'token', name])
    const config = JSON.parse(readFileSync(bed.kubeconfig, 'utf8'))
    const folder = mkdtempSync(join(tmpdir(), 'evenkeel-'))
    const path = join(folder, 'kubeconfig')
    writeFileSync(join(folder, 'token'), await token('first'))
    writeFileSync(path, JSON.stringify({ ...config, users: [{ name: 'testbed', user: { tokenFile: 'token' } }] }))
    const rotated = await openOnBed(path, signal)
    writeFileSync(join(folder, 'token'), await token('second'))
    await bed.kubectl(['delete', 'serviceaccount', 'first'])
    // The API server remembers a token that it has let in for some ten seconds.
    const refused = () =>
      readFileSync(bed.auditLog, 'utf8')
        .split('\n')
        .some((line) => line.includes('system:serviceaccount:default:second'))
    await waitFor({ what: 'the second token to be used', limitMs: 30_000, everyMs: 200 }, async () => {
      await rotated.list('nodes', signal)
      return refused() || undefined
    })
    rmSync(folder, { recursive: true })
  })

  test('a kind in which nothing ever happens shows a sign of life within two minutes, and is not taken for broken', async () => {
    await until('a sign of life', () => quiet.length >= 2, 120_000)
    const waitedMs = performance.now() - quietSince
    assert.ok(
      quiet.every(({ type }) => type === 'listed' || type === 'fresh'),
      JSON.stringify(quiet),
    )
    assert.ok(waitedMs < 120_000, `the sign of life came after ${Math.round(waitedMs)} ms`)
  })
})
