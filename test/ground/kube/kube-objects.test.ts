import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { deploymentsOf } from '../../../src/agent/run/ingress-deployments.ts'
import { ApiClient } from '../../../src/ground/kube/api-client.ts'
import { ApiReach } from '../../../src/ground/kube/api-reach.ts'
import type { Connection } from '../../../src/ground/kube/connection.ts'
import type { HttpRequest, ReplyHead } from '../../../src/ground/kube/exchange.ts'
import { kubeObjects } from '../../../src/ground/kube/kube-objects.ts'
import { GUARDS, MAPS } from '../../contract/frame/frame-ground.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const { signal } = new AbortController()
const metadata = { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '1' }

/** A server that gives one answer, whatever it is asked. */
function answering(statusCode: number, body: unknown) {
  const asked: HttpRequest[] = []
  const warnings: unknown[] = []
  const exchange = async (_: Connection, request: HttpRequest): Promise<ReplyHead> => {
    asked.push(request)
    return Object.assign(Readable.from([Buffer.from(JSON.stringify(body))]), { statusCode, headers: {} })
  }
  const connection = { server: new URL('http://it') } as unknown as Connection
  const credentials = { current: async () => connection, accept: () => undefined, drop: () => undefined }
  const clock = new VirtualClock()
  const client = new ApiClient({ credentials, clock, userAgent: 'evenkeel/test', exchange })
  const log = { debug: () => undefined, warn: (text: string, facts: unknown) => void warnings.push([text, facts]) }
  const objects = kubeObjects({ client, reach: new ApiReach(clock), clock, random: new SeededRandom(1), log })
  return { objects, asked, warnings }
}

test('law: no name reaches another path than its own; nothing is asked where one would', async () => {
  const { objects, asked } = answering(200, { metadata })
  const at = (kind: Partial<typeof MAPS>, namespace = 'a', name = 'b') =>
    objects.get({ kind: { ...MAPS, ...kind }, namespace, name }, signal)
  const tries: readonly (() => Promise<unknown>)[] = [
    () => at({ resource: 'pods?limit=9&x=' }),
    () => at({ resource: 'pods/p/log' }),
    () => at({ version: 'v1/../../../api/v1' }),
    () => at({ group: '..', version: 'metrics' }),
    ...['.', '..', '', 'a/b', '../../nodes', 'a%2fb'].map((name) => () => at({}, 'a', name)),
    ...['.', '..', '', 'a/b', 'A'].map((namespace) => () => at({}, namespace)),
    () => objects.list({ kind: { ...MAPS, resource: '..' }, namespace: 'a' }, signal),
    () => objects.delete({ kind: MAPS, namespace: '..', name: 'x' }, signal),
    () => objects.patch({ kind: MAPS, namespace: 'a', name: '..', patch: {} }, signal),
  ]
  for (const attempt of tries) await assert.rejects(attempt, { code: 'KUBE_NAME', retry: 'never' })
  assert.deepEqual(asked, [])
})

test('every name that the API takes is asked for, encoded', async () => {
  const names = ['a', '.a', '..a', 'n1.17abc', 'system:node', 'a{b}']
  const { objects, asked } = answering(200, { metadata })
  for (const name of names) await objects.get({ kind: { ...MAPS, parse: () => 1 }, namespace: 'default', name }, signal)
  const paths = names.map((name) => `/api/v1/namespaces/default/configmaps/${encodeURIComponent(name)}`)
  assert.deepEqual(
    asked.map(({ target }) => target),
    paths,
  )
})

test('a 404 that names no object of the request is no word that one is not there', async () => {
  const at = { kind: MAPS, namespace: 'default', name: 'a' }
  for (const body of [
    {},
    'no such route',
    { reason: 'NotFound' },
    { reason: 'NotFound', details: { name: 'prod-1' } },
  ]) {
    const { objects } = answering(404, body)
    await assert.rejects(objects.get(at, signal), { code: 'KUBE_NO_PATH', retry: 'backoff' })
    await assert.rejects(objects.delete(at, signal), { code: 'KUBE_NO_PATH', retry: 'backoff' })
  }
})

test('a kind without namespaces has none, and one with them needs one for a name', async () => {
  const { objects, asked } = answering(404, {})
  const kind = { ...GUARDS, namespaced: false }
  await assert.rejects(objects.get({ kind, namespace: 'default', name: 'a' }, signal), /nodeguards/)
  await assert.rejects(objects.get({ kind: MAPS, name: 'a' }, signal), /configmaps/)
  assert.deepEqual(asked, [])
})

test('a list is sent as a JSON patch and an object as a merge patch, to the status where that is meant', async () => {
  const { objects, asked } = answering(200, { metadata, data: {} })
  const at = { kind: MAPS, namespace: 'default', name: 'a' }
  await objects.patch({ ...at, patch: [{ op: 'remove', path: '/data/k' }] }, signal)
  await objects.patchStatus({ ...at, patch: { status: { a: 1 } } }, signal)
  assert.deepEqual(
    asked.map(({ method, target, headers }) => [
      method,
      target.split('/').slice(-2).join('/'),
      headers['content-type'],
    ]),
    [
      ['PATCH', 'configmaps/a', 'application/json-patch+json'],
      ['PATCH', 'a/status', 'application/merge-patch+json'],
    ],
  )
})

test('a refusal without a cause is a conflict of a JSON patch, and of nothing else', async () => {
  const { objects } = answering(422, { kind: 'Status', message: 'no', details: {} })
  const at = { kind: MAPS, namespace: 'default', name: 'a' }
  const patch = [{ op: 'test', path: '/data/k', value: 'v' }] as const
  await assert.rejects(objects.patch({ ...at, patch }, signal), { code: 'KUBE_CONFLICT' })
  await assert.rejects(objects.patch({ ...at, patch: { data: {} } }, signal), { code: 'KUBE_INVALID' })
})

test('an answer that makes no sense is an error of the server, and names what was asked', async () => {
  const { objects } = answering(200, { metadata: { namespace: 7, name: 'a' } })
  await assert.rejects(objects.get({ kind: GUARDS, namespace: 'default', name: 'a' }, signal), {
    code: 'KUBE_REPLY',
    message: /^get nodeguards\.evenkeel\.dev: the reply makes no sense: object\.metadata\.namespace is not text$/,
  })
})

test('one object of a list that makes no sense hides none of the others', async () => {
  const { objects, warnings } = answering(200, {
    metadata: { resourceVersion: '9' },
    items: [{ metadata: { name: 'b' } }, { metadata }],
  })
  assert.deepEqual(
    (await objects.list({ kind: MAPS }, signal)).map(({ name }) => name),
    ['a'],
  )
  assert.equal(warnings.length, 1)
})

test('a client that may not write the status is told which right is missing', async () => {
  const { objects } = answering(403, { kind: 'Status', message: 'forbidden' })
  const change = { kind: GUARDS, namespace: 'default', name: 'a', patch: { status: {} } }
  await assert.rejects(objects.patchStatus(change, signal), {
    code: 'KUBE_FORBIDDEN',
    message: /^patch nodeguards\.evenkeel\.dev\/status: /,
  })
})

test('an agent reads few Deployments at once, since it has little memory', async () => {
  const annotations = { large: 'x'.repeat(5 * 1024 ** 2) }
  const { objects, asked } = answering(200, { metadata, items: [{ metadata: { ...metadata, annotations } }] })
  assert.equal((await objects.list(deploymentsOf('n1'), signal)).length, 1)
  assert.deepEqual(
    asked.map(({ target }) => new URL(target, 'http://it').searchParams.get('limit')),
    ['20', '4', '1'],
  )
})
