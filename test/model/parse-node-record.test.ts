import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatRecord } from '../../src/model/node-record.ts'
import { parseNodeRecord, parseRebootIntent } from '../../src/model/parse-node-record.ts'
import { aRecord } from '../support/roll-world.ts'

const RECORD = aRecord({
  taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }],
  daemons: [
    { kind: 'mirror', namespace: 'kube-system', name: 'etcd-n1', containerIds: ['containerd://a'], ready: true },
  ],
  workloads: { 'Deployment shop/cart': 3 },
  dnsReady: 2,
})

test('a record reads back as it was written', () => {
  assert.deepEqual(parseNodeRecord(formatRecord(RECORD)), { ok: true, value: RECORD })
})

test('a record with any one field broken is refused, and never crashes', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(RECORD)), fc.jsonValue(), (field, value) => {
      const parsed = parseNodeRecord(JSON.stringify({ ...RECORD, [field]: value }))
      if (parsed.ok) assert.deepEqual(Object.keys(parsed.value).toSorted(), Object.keys(RECORD).toSorted())
    }),
  )
})

test('text that is no record is refused, and never crashes', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      assert.equal(parseNodeRecord(text).ok, false)
      assert.equal(parseRebootIntent(text).ok, false)
    }),
  )
})

test('a boot id that is none is refused, since it is sent to a machine', () => {
  const parsed = parseNodeRecord(JSON.stringify({ ...RECORD, bootId: '$(reboot)' }))
  assert.deepEqual(parsed, { ok: false, why: 'bootId is no boot id' })
})

test('a run whose name could be pasted as another command is refused', () => {
  const parsed = parseNodeRecord(JSON.stringify({ ...RECORD, run: 'run-1; reboot' }))
  assert.deepEqual(parsed, { ok: false, why: 'run is no name of a run' })
  assert.deepEqual(parseNodeRecord(JSON.stringify({ ...RECORD, slotNamespace: 7 })), {
    ok: false,
    why: 'slotNamespace is no text',
  })
})

test('a record of a later version is refused by its version', () => {
  assert.deepEqual(parseNodeRecord('{"version":2}'), { ok: false, why: 'its version is 2, not 1' })
})
