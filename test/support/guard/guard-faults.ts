type Json = Readonly<Record<string, unknown>>

/** NodeGuard `NAME`, as a person writes it. */
export const guardObject = (spec: Json, name = 'storage'): Json => ({
  apiVersion: 'evenkeel.dev/v1alpha1',
  kind: 'NodeGuard',
  metadata: { name },
  spec: { follow: { daemonSet: { name: 'storage-node' } }, ...spec },
})

interface GuardFault {
  readonly rule: string
  readonly object: Json
  readonly field: string
  /** In the words of the rule. */
  readonly fix: RegExp
}

const VOLUMES = { name: 'volumes', volumes: {} }
const TWO_TARGETS = { daemonSet: { name: 'a' }, nodeSelector: {} }
const HTTP = { url: 'http://x/' }

/** Parts of a path that lead to another one. */
const ELSEWHERE: readonly (readonly [field: string, value: string])[] = [
  ['resource', 'pods?limit=9&x='],
  ['resource', 'pods/p/log'],
  ['version', 'v1/../../../api/v1'],
  ['group', '..'],
  ['namespace', '..'],
  ['name', '.'],
  ['name', '..'],
  ['name', 'a/../b'],
  ['name', 'a%2fb'],
]
const OBJECT = { version: 'v1', resource: 'pods', namespace: 'a', name: 'b', clearWhen: 'true' }

/** One object for each way to break a rule of a NodeGuard. */
export const GUARD_FAULTS: readonly GuardFault[] = [
  { rule: 'oneTarget', object: guardObject({ follow: TWO_TARGETS }), field: 'spec.follow', fix: /keep one of/ },
  { rule: 'oneTarget', object: guardObject({ follow: {} }), field: 'spec.follow', fix: /keep one of/ },
  {
    rule: 'oneSource',
    object: guardObject({ holds: [{ ...VOLUMES, annotation: { key: 'example.com/busy' } }] }),
    field: 'spec.holds[0].volumes',
    fix: /keep one of them/,
  },
  {
    rule: 'oneSource',
    object: guardObject({ holds: [{ name: 'a' }] }),
    field: 'spec.holds[0].volumes',
    fix: /keep one/,
  },
  {
    rule: 'equalsWithoutPath',
    object: guardObject({ holds: [{ name: 'a', http: { ...HTTP, equals: 'green' } }] }),
    field: 'spec.holds[0].http.equals',
    fix: /set both/,
  },
  {
    rule: 'equalsWithoutPath',
    object: guardObject({ holds: [{ name: 'a', http: { ...HTTP, jsonPath: '$.a' } }] }),
    field: 'spec.holds[0].http.equals',
    fix: /set both/,
  },
  ...['ceph osd', 'ceph/osd', '-x', 'Lagerräume'].map((group) => ({
    rule: 'groupName',
    object: guardObject({ group }),
    field: 'spec.group',
    fix: /letters, digits/,
  })),
  ...ELSEWHERE.map(([field, value]) => ({
    rule: 'notAnApiName',
    object: guardObject({ holds: [{ name: 'a', object: { ...OBJECT, [field]: value } }] }),
    field: `spec.holds[0].object.${field}`,
    fix: /write one such as/,
  })),
  {
    rule: 'secret',
    object: guardObject({ holds: [{ name: 'a', object: { ...OBJECT, resource: 'secrets' } }] }),
    field: 'spec.holds[0].object.resource',
    fix: /another object/,
  },
  {
    rule: 'notAnApiName',
    object: guardObject({ holds: [{ name: 'a', pods: { namespace: '..', selector: { app: 'db' } } }] }),
    field: 'spec.holds[0].pods.namespace',
    fix: /write one such as/,
  },
  { rule: 'name', object: guardObject({}, 'a'.repeat(31)), field: 'metadata.name', fix: /at most 30/ },
  { rule: 'name', object: guardObject({}, 'a.b'), field: 'metadata.name', fix: /lower-case letters/ },
]
