import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLUSTER_KINDS } from '../../../src/ground/kube/cluster-kinds.ts'
import { parseWatchLine } from '../../../src/ground/kube/parse-watch-line.ts'
import { resourceOf } from '../../../src/ground/kube/resources.ts'

const log = { debug: () => undefined, warn: () => undefined }
const parse = (event: unknown) =>
  parseWatchLine(JSON.stringify(event), resourceOf({ kind: CLUSTER_KINDS.volumeclaims }), log)
const claim = {
  metadata: { namespace: 'shop', name: 'data', uid: 'u', resourceVersion: '7' },
  spec: { volumeName: 'pv' },
}
const parsed = { namespace: 'shop', name: 'data', volumeName: 'pv' }

test('each type of event is what it says', () => {
  const applied = { type: 'applied', object: parsed, resourceVersion: '7' }
  assert.deepEqual(parse({ type: 'ADDED', object: claim }), applied)
  assert.deepEqual(parse({ type: 'MODIFIED', object: claim }), applied)
  assert.deepEqual(parse({ type: 'DELETED', object: claim }), { ...applied, type: 'deleted' })
  const bookmark = { type: 'BOOKMARK', object: { metadata: { resourceVersion: '9' } } }
  assert.deepEqual(parse(bookmark), { type: 'fresh', resourceVersion: '9' })
})

test('an event of a type that is not known yet moves the watch on', () => {
  assert.deepEqual(parse({ type: 'RENAMED', object: claim }), { type: 'fresh', resourceVersion: '7' })
})

for (const [code, expected] of [
  [410, { code: 'KUBE_GONE', retry: 'now' }],
  [429, { code: 'KUBE_THROTTLED', retry: 'backoff', retryAfterMs: 3000 }],
  [500, { code: 'KUBE_SERVER', retry: 'backoff' }],
] as const) {
  test(`an error event of ${code} is ${expected.code}`, () => {
    const object = { kind: 'Status', code, message: 'because', details: { retryAfterSeconds: 3 } }
    const message = `watch persistentvolumeclaims: because (HTTP ${code})`
    assert.throws(() => parse({ type: 'ERROR', object }), { name: 'WorldError', message, ...expected })
  })
}

test('a line that makes no sense is a reply that makes none', () => {
  for (const line of [
    '',
    '{',
    '7',
    '{"type":"ADDED"}',
    '{"type":7,"object":{}}',
    '{"type":"ADDED","object":{"metadata":7}}',
  ]) {
    assert.throws(
      () => parseWatchLine(line, resourceOf({ kind: CLUSTER_KINDS.pods }), log),
      { name: 'WorldError', code: 'KUBE_REPLY' },
      line,
    )
  }
})
