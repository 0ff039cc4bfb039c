import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatRecord } from '../../../src/service/model/node-record.ts'
import { parseNodeRecord, parseRebootIntent } from '../../../src/service/model/parse-node-record.ts'
import { aRecord } from '../../support/roll-world.ts'

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

test('the reason of the run reads back, and only as a text', () => {
  const record = aRecord({ reason: 'CVE-2026-1234' })
  assert.deepEqual(parseNodeRecord(formatRecord(record)), { ok: true, value: record })
  assert.equal(parseNodeRecord(JSON.stringify({ ...RECORD, reason: 7 })).ok, false)
})

test('whether a server was up is read back where it was recorded, and only in words that are known', () => {
  const record = (operational: string) => ({
    ...RECORD,
    servers: RECORD.servers.map((server) => ({ ...server, operational })),
  })
  assert.deepEqual(parseNodeRecord(JSON.stringify(record('down'))), { ok: true, value: record('down') })
  assert.equal(parseNodeRecord(JSON.stringify(record('well'))).ok, false)
})

test('a server without a port of its own is recorded and read back', () => {
  const record = aRecord({ servers: RECORD.servers.map((server) => ({ ...server, port: 0 })) })
  assert.deepEqual(parseNodeRecord(formatRecord(record)), { ok: true, value: record })
})

const WRONG: readonly unknown[] = [null, true, 7, 'text', [], {}]
const kindOf = (value: unknown): string => (Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value)
/** The value of a taint, and which workloads there were. */
const MAY_BE_ABSENT: ReadonlySet<string> = new Set(['value', 'Deployment shop/cart'])

/** The record with one of its values, at whatever depth, of another kind or left out. */
function* brokenAt(value: unknown, put: (other: unknown) => unknown): Generator<unknown> {
  for (const other of WRONG) if (kindOf(other) !== kindOf(value)) yield put(other)
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) yield* brokenAt(item, (other) => put(value.with(i, other)))
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      yield* brokenAt(item, (other) => put({ ...value, [key]: other }))
      if (!MAY_BE_ABSENT.has(key)) yield put({ ...value, [key]: undefined })
    }
  }
}

test('a record with any one field broken is refused, and never crashes', () => {
  const broken = [...brokenAt(RECORD, (whole) => whole)]
  assert.ok(broken.length > 150, `${broken.length} records`)
  for (const record of broken) assert.equal(parseNodeRecord(JSON.stringify(record)).ok, false, JSON.stringify(record))
})

const SERVER = RECORD.servers[0]
const DAEMON = RECORD.daemons[0]
const ODD: readonly (readonly [field: string, value: unknown])[] = [
  ['version', 2],
  ['bootId', 'not a boot id'],
  ['bootId', ''],
  ['run', 'x'.repeat(1025)],
  ['dnsReady', -1],
  ['dnsReady', 1.5],
  ['workloads', { 'Deployment shop/cart': -1 }],
  ['servers', [{ ...SERVER, state: 'up' }]],
  ['servers', [{ ...SERVER, port: -1 }]],
  ['servers', [{ ...SERVER, port: 65_536 }]],
  ['servers', Array.from({ length: 10_001 }, () => SERVER)],
  ['daemons', [{ ...DAEMON, kind: 'Deployment' }]],
]

for (const [field, value] of ODD) {
  test(`a record whose ${field} is of the right kind and odd is refused: ${JSON.stringify(value).slice(0, 60)}`, () => {
    assert.equal(parseNodeRecord(JSON.stringify({ ...RECORD, [field]: value })).ok, false)
  })
}

test('whatever stands in a field, a record is read as it is written or not at all', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(RECORD)), fc.jsonValue(), (field, value) => {
      const written = { ...RECORD, [field]: value }
      const parsed = parseNodeRecord(JSON.stringify(written))
      if (parsed.ok) assert.deepEqual(parsed.value, JSON.parse(JSON.stringify(written)))
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
  assert.equal(parseNodeRecord(JSON.stringify({ ...RECORD, bootId: '7' })).ok, true, 'as a kubelet of Windows has it')
  const parsed = parseNodeRecord(JSON.stringify({ ...RECORD, bootId: '$(reboot)' }))
  assert.deepEqual(parsed, { ok: false, why: 'bootId is not a boot id' })
})

test('a run whose name could be pasted as another command is refused', () => {
  const parsed = parseNodeRecord(JSON.stringify({ ...RECORD, run: 'run-1; reboot' }))
  assert.deepEqual(parsed, { ok: false, why: 'run is not the name of a run' })
  assert.deepEqual(parseNodeRecord(JSON.stringify({ ...RECORD, slotNamespace: 7 })), {
    ok: false,
    why: 'slotNamespace is no text',
  })
})

test('a record of a later version is refused by its version', () => {
  assert.deepEqual(parseNodeRecord('{"version":2}'), { ok: false, why: 'its version is 2, not 1' })
})
