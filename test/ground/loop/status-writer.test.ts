import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StatusWriter } from '../../../src/ground/loop/status-writer.ts'
import type { ObjectKind } from '../../../src/ground/model/object-kind.ts'
import type { StatusBearer } from '../../../src/ground/model/object-status.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { Objects } from '../../../src/ground/ports/objects.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const { signal } = new AbortController()
const kind = { resource: 'nodeguards' } as ObjectKind<StatusBearer>
const held = { conditions: [{ type: 'Ready', status: 'False', reason: 'Held', message: 'It is held.' }], fields: {} }
const free = { conditions: [{ type: 'Ready', status: 'True', reason: 'Free', message: 'It is free.' }], fields: {} }

/** An API server with one object, whose writes it takes under its version alone. */
function aWriter() {
  let now: StatusBearer = { name: 'a', resourceVersion: '1', generation: 1, status: { conditions: [], fields: {} } }
  const versions: unknown[] = []
  const patchStatus = async ({ patch }: { readonly patch: unknown }): Promise<StatusBearer> => {
    const { metadata, status } = patch as { metadata: { resourceVersion: string }; status: StatusBearer['status'] }
    versions.push(metadata.resourceVersion)
    if (metadata.resourceVersion !== now.resourceVersion) {
      throw new WorldError('it was modified', { code: 'KUBE_CONFLICT', retry: 'now' })
    }
    now = { ...now, resourceVersion: String(versions.length + 1), status: { ...now.status, ...status } }
    return now
  }
  const objects = { patchStatus } as unknown as Pick<Objects, 'patchStatus'>
  return { writer: new StatusWriter({ objects, kind, clock: new VirtualClock() }), read: now, versions, now: () => now }
}

test('while a cache is behind, what was answered last is gone by: nothing is written twice or refused', async () => {
  const { writer, read, versions } = aWriter()
  assert.equal(await writer.write(read, held, signal), true)
  assert.equal(await writer.write(read, held, signal), false)
  assert.equal(await writer.write(read, free, signal), true)
  assert.equal(await writer.write(read, free, signal), false)
  assert.deepEqual(versions, ['1', '2'])
})

test('what the watch tells is gone by as soon as it is there', async () => {
  const { writer, read, versions, now } = aWriter()
  await writer.write(read, held, signal)
  assert.equal(await writer.write({ ...now() }, free, signal), true)
  assert.equal(await writer.write({ ...now() }, free, signal), false)
  assert.deepEqual(versions, ['1', '2'])
})
