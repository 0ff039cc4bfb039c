import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseApiStatus } from '../../../src/ground/kube/api-status.ts'
import { CLUSTER_KINDS } from '../../../src/ground/kube/cluster-kinds.ts'
import { parseItem } from '../../../src/ground/kube/parse-item.ts'
import { parseLease } from '../../../src/ground/kube/parse-lease.ts'
import { parseWatchLine } from '../../../src/ground/kube/parse-watch-line.ts'
import { type Resource, resourceOf } from '../../../src/ground/kube/resources.ts'
import { MalformedReply, Untrusted } from '../../../src/ground/model/untrusted.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'

const log = { debug: () => undefined, warn: () => undefined }

const KINDS: readonly (readonly [string, Resource<unknown>])[] = Object.entries(CLUSTER_KINDS).map(([name, kind]) => [
  name,
  resourceOf<unknown>({ kind }),
])

/** Field names that the parsers look at, so that random objects get past the first check. */
const NAMES = [
  'metadata',
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'labels',
  'annotations',
  'ownerReferences',
  'controller',
  'kind',
  'spec',
  'status',
  'conditions',
  'type',
  'reason',
  'message',
  'lastHeartbeatTime',
  'unschedulable',
  'taints',
  'key',
  'value',
  'effect',
  'nodeInfo',
  'bootID',
  'addresses',
  'address',
  'volumesAttached',
  'volumes',
  'emptyDir',
  'persistentVolumeClaim',
  'claimName',
  'ephemeral',
  'phase',
  'containerStatuses',
  'containerID',
  'nodeSelector',
  'affinity',
  'selector',
  'matchLabels',
  'matchExpressions',
  'operator',
  'values',
  'minAvailable',
  'replicas',
  'readyReplicas',
  'nodeName',
  'attacher',
  'source',
  'ports',
  'nodePort',
  'endpoints',
  'targetRef',
  'object',
  'leaseDurationSeconds',
  'holderIdentity',
  'details',
  'causes',
  'retryAfterSeconds',
  'code',
  '__proto__',
  'toString',
]

const anyJson = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 6, depthSize: 'medium' },
    fc.constantFrom<unknown>(null, true, '', 'True', 'Ready', 'In', 'Pod', 'x', 0, -1, 1.5, 1e300),
    fc.string(),
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('node'), { maxKeys: 8 }),
  ),
})).node

/** An object that has a name and all else at random. */
const named = fc.tuple(anyJson, anyJson, anyJson).map(([spec, status, labels]) => ({
  metadata: { name: 'a', namespace: 'b', uid: 'c', resourceVersion: '1', labels },
  spec,
  status,
  endpoints: status,
}))

/** As it comes over the wire: `__proto__` is then a field like others. */
const wired = fc.oneof(anyJson, named).map((value): unknown => JSON.parse(JSON.stringify(value) ?? 'null'))

for (const [kind, resource] of KINDS) {
  test(`no object, however odd, breaks the reading of ${kind}`, () => {
    fc.assert(
      fc.property(wired, (object) => {
        assert.ok(parseItem(resource, new Untrusted(object, 'object'), log).length <= 1)
      }),
      { numRuns: 300 },
    )
  })
}

test('no lease, however odd, is anything but a lease or malformed', () => {
  fc.assert(
    fc.property(wired, (object) => {
      try {
        parseLease(new Untrusted(object, 'object'))
      } catch (error) {
        assert.ok(error instanceof MalformedReply)
      }
    }),
  )
})

test('no body of a refusal, however odd, is thrown over', () => {
  fc.assert(
    fc.property(wired, (body) => {
      assert.equal(typeof parseApiStatus(body).message, 'string')
    }),
  )
})

test('no line of a watch, however odd, gives anything but a change or a world error', () => {
  const types = fc.constantFrom('ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR', 'x', '')
  const events = fc.tuple(types, wired).map(([type, object]) => JSON.stringify({ type, object }))
  fc.assert(
    fc.property(
      fc.oneof(
        events,
        fc.string(),
        wired.map((value) => JSON.stringify(value)),
      ),
      (line) => {
        try {
          const { type, resourceVersion } = parseWatchLine(line, resourceOf({ kind: CLUSTER_KINDS.pods }), log)
          assert.ok(['applied', 'deleted', 'fresh'].includes(type) && resourceVersion !== '')
        } catch (error) {
          assert.ok(error instanceof WorldError, String(error))
        }
      },
    ),
    { numRuns: 500 },
  )
})
