import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiDoor } from './api-door.ts'
import { field, fields, namesIn } from './field.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const PODS = '/api/v1/namespaces/default/pods'

const version = (of: unknown): bigint => BigInt(String(field(of, 'metadata.resourceVersion')))

/** Lists: order, selectors, pages of one moment. Needs a node n1 that no kubelet runs. */
export function listsContract(door: () => ApiDoor): void {
  const ask: ApiDoor['ask'] = (...words) => door().ask(...words)
  const aMap = (name: string, labels: Readonly<Record<string, string>>) =>
    ask('POST', MAPS, { body: { metadata: { name, labels } } })
  const selected = async (query: string) => namesIn((await ask('GET', `${MAPS}?${query}`)).body)

  test('a list has the kind, a version and its objects in the order of their names', async () => {
    for (const name of ['list-c', 'list-a', 'list-b']) await aMap(name, { set: 'ordered' })
    const { status, body } = await ask('GET', `${MAPS}?labelSelector=set%3Dordered`)
    assert.deepEqual([status, field(body, 'kind'), field(body, 'apiVersion')], [200, 'ConfigMapList', 'v1'])
    assert.match(String(field(body, 'metadata.resourceVersion')), /^\d+$/)
    assert.deepEqual(namesIn(body), ['list-a', 'list-b', 'list-c'])
  })

  test('labels select by value, by set and by being there', async () => {
    await aMap('sel-1', { tier: 'front', env: 'dev' })
    await aMap('sel-2', { tier: 'back', env: 'dev' })
    await aMap('sel-3', { tier: 'back' })
    const rows: readonly (readonly [string, readonly string[]])[] = [
      ['tier=back', ['sel-2', 'sel-3']],
      ['tier==front', ['sel-1']],
      ['tier!=back,env', ['sel-1']],
      ['tier in (front,back),!env', ['sel-3']],
      ['tier notin (front),tier', ['sel-2', 'sel-3']],
      ['tier,env!=dev', ['sel-3']],
    ]
    for (const [selector, names] of rows) {
      assert.deepEqual(await selected(`labelSelector=${encodeURIComponent(selector)}`), names, selector)
    }
    assert.equal((await ask('GET', `${MAPS}?labelSelector=${encodeURIComponent('tier in front')}`)).status, 400)
  })

  test('a list of metadata has the versions of the objects, and nothing else of them', async () => {
    await aMap('meta-1', { set: 'meta' })
    const path = `${MAPS}?labelSelector=set%3Dmeta`
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'
    const { status, body } = await ask('GET', path, { accept })
    const kind = [field(body, 'kind'), field(body, 'apiVersion')]
    assert.deepEqual([status, ...kind], [200, 'PartialObjectMetadataList', 'meta.k8s.io/v1'])
    const versions = (of: unknown) =>
      (field(of, 'items') as readonly unknown[]).map((item) =>
        fields(item, 'metadata.name', 'metadata.uid', 'metadata.resourceVersion'),
      )
    assert.deepEqual(versions(body), versions((await ask('GET', path)).body))
    assert.match(String(field(body, 'metadata.resourceVersion')), /^\d+$/)
    const [item] = field(body, 'items') as readonly object[]
    assert.deepEqual(Object.keys(item ?? {}).toSorted(), ['apiVersion', 'kind', 'metadata'])
  })

  test('fields select pods by node and phase, and what is no field of theirs is refused', async () => {
    for (const name of ['field-1', 'field-2']) {
      const spec = { nodeName: 'n1', containers: [{ name: 'main', image: 'none' }] }
      await ask('POST', PODS, { body: { metadata: { name, labels: { set: 'fields' } }, spec } })
    }
    const body = { status: { phase: 'Running' } }
    await ask('PATCH', `${PODS}/field-1/status`, { contentType: 'application/merge-patch+json', body })
    const find = async (selector: string) =>
      namesIn(
        (await ask('GET', `${PODS}?labelSelector=set%3Dfields&fieldSelector=${encodeURIComponent(selector)}`)).body,
      )
    assert.deepEqual(await find('spec.nodeName=n1'), ['field-1', 'field-2'])
    assert.deepEqual(await find('spec.nodeName=n1,status.phase=Running'), ['field-1'])
    assert.deepEqual(await find('status.phase!=Running'), ['field-2'])
    assert.deepEqual(await find('metadata.name=field-2'), ['field-2'])
    const odd = await ask('GET', `${PODS}?fieldSelector=${encodeURIComponent('spec.hostname=x')}`)
    assert.deepEqual([odd.status, field(odd.body, 'reason')], [400, 'BadRequest'])
    assert.match(String(field(odd.body, 'message')), /field label not supported: spec\.hostname/)
  })

  test('a list of one item has the version of the whole store, which grows by writes of other kinds', async () => {
    for (const name of ['one-a', 'one-b', 'one-c']) await aMap(name, {})
    const first = async () => (await ask('GET', `${MAPS}?limit=1`)).body
    const all = (await ask('GET', MAPS)).body
    const one = await first()
    assert.deepEqual(namesIn(one), namesIn(all).slice(0, 1))
    assert.equal(field(one, 'metadata.remainingItemCount'), namesIn(all).length - 1)
    assert.notEqual(field(one, 'metadata.continue') ?? '', '')
    const versions = (field(all, 'items') as readonly unknown[]).map((item) => version(item))
    assert.ok(versions.every((each) => each <= version(one)))
    const spec = { containers: [{ name: 'main', image: 'none' }] }
    const pod = await ask('POST', PODS, { body: { metadata: { name: 'one-pod' }, spec } })
    const after = await first()
    assert.ok(version(after) >= version(pod.body), 'no ConfigMap was written meanwhile')
  })

  test('the pages of a list are of one moment, whatever is done between them', async () => {
    for (const name of ['page-a', 'page-b', 'page-c', 'page-d', 'page-e']) await aMap(name, { set: 'pages' })
    const first = await ask('GET', `${MAPS}?labelSelector=set%3Dpages&limit=2`)
    const token = String(field(first.body, 'metadata.continue'))
    assert.deepEqual(namesIn(first.body), ['page-a', 'page-b'])
    await ask('DELETE', `${MAPS}/page-d`)
    await aMap('page-bb', { set: 'pages' })
    const names: unknown[] = []
    const versions = [field(first.body, 'metadata.resourceVersion')]
    for (let next = token; next !== ''; ) {
      const { body } = await ask(
        'GET',
        `${MAPS}?labelSelector=set%3Dpages&limit=2&continue=${encodeURIComponent(next)}`,
      )
      names.push(...namesIn(body))
      versions.push(field(body, 'metadata.resourceVersion'))
      next = String(field(body, 'metadata.continue') ?? '')
    }
    assert.deepEqual(names, ['page-c', 'page-d', 'page-e'])
    assert.equal(new Set(versions).size, 1, versions.join())
    assert.equal((await ask('GET', `${MAPS}?limit=2&continue=nonsense`)).status, 400)
  })
}
