import assert from 'node:assert/strict'
import { test } from 'node:test'
import { servedNames } from '../../../src/dns/decide/served-names.ts'

const of = (head: string, ...directives: readonly string[]) =>
  servedNames(
    `.:53 {\n  errors\n  ${head} {\n    ${directives.join('\n    ')}\n  }\n  labels other\n}\n`,
    'cluster.local',
  )
const ALL = { hidesSome: false, fallsThrough: false }

test('the block of the zone is read, and no other', () => {
  assert.deepEqual(of('kubernetes cluster.local in-addr.arpa', 'pods insecure', 'ttl 30'), ALL)
  assert.deepEqual(of('kubernetes Cluster.Local.', 'labels a=b'), { ...ALL, hidesSome: true })
  assert.deepEqual(of('kubernetes', 'ignore empty_service'), { ...ALL, hidesSome: true })
  assert.equal(of('kubernetes corp.example', 'labels a=b'), undefined)
  assert.equal(servedNames('', 'cluster.local'), undefined)
  assert.deepEqual(servedNames('.:53 {\n  kubernetes cluster.local\n  labels other\n}\n', 'cluster.local'), ALL)
  assert.deepEqual(servedNames('kubernetes cluster.local {\n  labels a', 'cluster.local'), { ...ALL, hidesSome: true })
})

test('namespaces may be on several lines', () => {
  const { namespaces } = of('kubernetes cluster.local', 'namespaces a b', 'namespaces c # d') ?? {}
  assert.deepEqual(namespaces, ['a', 'b', 'c'])
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
