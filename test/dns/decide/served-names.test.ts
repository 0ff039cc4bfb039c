import assert from 'node:assert/strict'
import { test } from 'node:test'
import { servedNames, servesApi } from '../../../src/dns/decide/served-names.ts'

const of = (head: string, ...directives: readonly string[]) =>
  servedNames(
    `.:53 {\n  errors\n  ${head} {\n    ${directives.join('\n    ')}\n  }\n  labels other\n}\n`,
    'cluster.local',
  )
const ALL = { hides: 'nothing', fallsThrough: false }

test('the block of the zone is read, and no other', () => {
  assert.deepEqual(of('kubernetes cluster.local in-addr.arpa', 'pods insecure', 'ttl 30'), ALL)
  assert.deepEqual(of('kubernetes Cluster.Local.', 'labels a=b'), { ...ALL, hides: 'labels' })
  assert.deepEqual(of('kubernetes', 'ignore empty_service'), { ...ALL, hides: 'empty' })
  assert.equal(of('kubernetes corp.example', 'labels a=b'), undefined)
  assert.equal(servedNames('', 'cluster.local'), undefined)
  assert.deepEqual(servedNames('.:53 {\n  kubernetes cluster.local\n  labels other\n}\n', 'cluster.local'), ALL)
  assert.deepEqual(servedNames('kubernetes cluster.local {\n  labels a', 'cluster.local'), { ...ALL, hides: 'labels' })
})

test('namespaces may be on several lines', () => {
  const { namespaces } = of('kubernetes cluster.local', 'namespaces a b', 'namespaces c # d') ?? {}
  assert.deepEqual(namespaces, ['a', 'b', 'c'])
})

const API: readonly (readonly [directives: readonly string[], isServed: boolean])[] = [
  [['pods insecure'], true],
  [['namespaces shop default'], true],
  [['namespaces shop', 'namespaces default'], true],
  [['namespaces shop'], false],
  [['labels team in (shop)'], false],
  [['namespace_labels team=shop', 'ignore empty_service'], false],
  // It has an endpoint wherever DNS has listed anything.
  [['ignore empty_service'], true],
]
for (const [directives, isServed] of API)
  test(`with "${directives.join('; ')}" the API server ${isServed ? 'has' : 'may have no'} name`, () => {
    const served = of('kubernetes cluster.local', ...directives)
    assert.ok(served !== undefined)
    assert.equal(servesApi(served), isServed)
  })

const FALLTHROUGH: readonly (readonly [directive: string, falls: boolean])[] = [
  ['fallthrough', true],
  ['fallthrough .', true],
  ['fallthrough in-addr.arpa ip6.arpa', false],
  ['fallthrough in-addr.arpa cluster.local', true],
  ['fallthrough svc.cluster.local.', true],
  ['fallthrough other-cluster.local', false],
  ['fallthrough pod.cluster.local', false],
]
for (const [directive, falls] of FALLTHROUGH)
  test(`with "${directive}" names of Services ${falls ? 'fall' : 'do not fall'} through`, () => {
    assert.equal(of('kubernetes cluster.local', directive)?.fallsThrough, falls)
  })
