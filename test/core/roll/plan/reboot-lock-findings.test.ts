import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rebootLockFindings } from '../../../../src/core/roll/plan/reboot-lock-findings.ts'
import { wallMs } from '../../../../src/model/time.ts'
import { aSpec, aWorkload } from '../../../support/roll-world.ts'

const AT = wallMs(Date.UTC(2026, 0, 1, 12))
const CREATED = '2026-01-01T11:00:00Z'
const HOUR_NS = 3_600_000_000_000

const lock = (nodeID: string, TTL = 0): object => ({
  nodeID,
  metadata: { unschedulable: false },
  created: CREATED,
  TTL,
})

const TABLE: readonly (readonly [title: string, text: string, who: string | undefined])[] = [
  ['a lock that never ends', JSON.stringify(lock('n1')), 'n1'],
  ['a lock that has time left', JSON.stringify(lock('n1', HOUR_NS + 1e9)), 'n1'],
  ['a lock whose time is over', JSON.stringify(lock('n1', HOUR_NS - 1e9)), undefined],
  ['two of three at once', JSON.stringify({ maxOwners: 3, locks: [lock('n1'), lock('n2')] }), 'n1 and n2'],
  ['several, one of them over', JSON.stringify({ maxOwners: 3, locks: [lock('n1', 1), lock('n2')] }), 'n2'],
  ['nobody of several', JSON.stringify({ maxOwners: 3, locks: [] }), undefined],
  ['a lock that makes no sense', '{', 'a node that its lock does not name'],
  ['a lock of another shape', '[1]', 'a node that its lock does not name'],
]

for (const [title, rebootLock, who] of TABLE) {
  test(`the lock of kured: ${title} is held by ${who ?? 'no node'}`, () => {
    const kured = aWorkload({ kind: 'DaemonSet', namespace: 'kube-system', name: 'kured', rebootLock })
    const found = rebootLockFindings([kured], { spec: aSpec(), wall: AT }).map(({ text }) => text)
    const text = `kured (DaemonSet kube-system/kured) reboots ${who} now: its lock is held`
    assert.deepEqual(found, who === undefined ? [] : [text])
  })
}
