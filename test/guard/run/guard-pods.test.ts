import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import { GUARD_PODS } from '../../../src/guard/run/guard-pods.ts'

type Json = Readonly<Record<string, unknown>>

const LOCK = 'evenkeel.dev/guard'

const read = (change: {
  readonly metadata?: Json
  readonly ready: string
  readonly since: string
  phase?: string
  startTime?: string
}) =>
  GUARD_PODS.parse(
    new Untrusted(
      {
        metadata: {
          ...{ namespace: 'data', name: 'guard-a', uid: 'u', resourceVersion: '1' },
          ...{ creationTimestamp: '2026-01-01T11:59:00Z', finalizers: [LOCK, 'example.com/other'] },
          ...change.metadata,
        },
        spec: { nodeName: 'n1' },
        status: {
          phase: change.phase ?? 'Running',
          startTime: change.startTime ?? '2026-01-01T11:59:01Z',
          conditions: [{ type: 'Ready', status: change.ready, lastTransitionTime: change.since }],
        },
      },
      'pod',
    ),
  )

/** Asked for at 12:00:00, with a grace of 30 s. */
const DELETED = { deletionTimestamp: '2026-01-01T12:00:30Z', deletionGracePeriodSeconds: 30 }
/** The same deletion once the kubelet has shortened the grace. */
const ENDED = { deletionTimestamp: '2026-01-01T12:00:00Z', deletionGracePeriodSeconds: 0 }

for (const metadata of [DELETED, ENDED]) {
  test(`a deleted guard with a finalizer counts as ready if it was ready when it was deleted, grace ${metadata.deletionGracePeriodSeconds} s`, () => {
    assert.equal(read({ metadata, ready: 'False', since: '2026-01-01T12:00:02Z' }).isReady, true)
    assert.equal(read({ metadata, ready: 'False', since: '2026-01-01T11:59:30Z' }).isReady, false)
    // Both times are whole seconds: it may have been unready before it was deleted, or never ready.
    assert.equal(read({ metadata, ready: 'False', since: '2026-01-01T12:00:00Z' }).isReady, false)
    assert.equal(
      read({ metadata: { ...metadata, finalizers: [] }, ready: 'False', since: '2026-01-01T12:00:02Z' }).isReady,
      false,
    )
  })
}

test('a guard that its kubelet did not know when it was deleted was not ready', () => {
  const isReady = (startTime: string): boolean =>
    read({ metadata: DELETED, ready: 'False', since: '2026-01-01T12:00:01Z', startTime }).isReady
  assert.equal(isReady('2026-01-01T12:00:01Z'), false)
  assert.equal(isReady('2026-01-01T12:00:00Z'), false)
  assert.equal(isReady('2026-01-01T11:59:59Z'), true)
})

test('a deleted guard with a finalizer has not finished, though its containers have ended', () => {
  const since = '2026-01-01T12:00:02Z'
  const locked = read({ metadata: ENDED, ready: 'False', since, phase: 'Succeeded' })
  assert.deepEqual([locked.isLocked, locked.deleting, locked.isFinished], [true, true, false])
  assert.deepEqual(locked.finalizers, ['example.com/other'])
  const free = read({ metadata: { ...ENDED, finalizers: [] }, ready: 'False', since, phase: 'Succeeded' })
  assert.deepEqual([free.isLocked, free.isFinished], [false, true])
  assert.equal(read({ ready: 'False', since, phase: 'Failed' }).isFinished, true)
})
