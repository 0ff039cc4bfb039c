import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NONE_TRACKED, withTracked } from '../../../src/agent/io/count-tracked.ts'
import type { TrackedRow } from '../../../src/agent/io/tracked-row.ts'

const WANTED = { port: 443, addresses: new Set(['10.0.0.1']), isOwn: () => false, lastOwnPorts: [50_000] }

const aRow = (change: Partial<TrackedRow> = {}): TrackedRow => ({
  from: { address: '10.0.0.9', port: 41_000 },
  to: { address: '10.0.0.1', port: 443 },
  isTranslated: false,
  state: 'ESTABLISHED',
  ...change,
})

const open = (change: Partial<TrackedRow>): number => withTracked(NONE_TRACKED, aRow(change), WANTED).open

test('a connection to another port of the machine, or to another machine, is not one to its data port', () => {
  assert.equal(open({}), 1)
  assert.equal(open({ to: { address: '10.0.0.1', port: 22 } }), 0)
  assert.equal(open({ to: { address: '10.0.0.2', port: 443 } }), 0)
})

test('a connection of the machine to itself shows that checks are tracked only where it came from the port of the last check', () => {
  const hasOwn = (port: number): boolean =>
    withTracked(NONE_TRACKED, aRow({ from: { address: '10.0.0.1', port } }), WANTED).hasOwn
  assert.deepEqual([hasOwn(50_000), hasOwn(50_001)], [true, false])
})
