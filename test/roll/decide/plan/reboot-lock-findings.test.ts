import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newLock } from '../../../../src/ground/model/kured-lock.ts'
import type { Node } from '../../../../src/ground/model/node.ts'
import { plainText } from '../../../../src/ground/model/sentence.ts'
import { wallMs } from '../../../../src/ground/model/time.ts'
import { rebootLockFindings, rebootLocks } from '../../../../src/roll/decide/plan/reboot-lock-findings.ts'
import { aNode, aSpec, aWorkload } from '../../../support/roll-world.ts'

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
  ['an empty list of locks', JSON.stringify({ maxOwners: 3, locks: [] }), undefined],
  ['a node beside a roll', JSON.stringify({ locks: [lock('evenkeel/X'), lock('n3')] }), 'run X of a roll and n3'],
  ['what a person wrote there', JSON.stringify(lock('manual')), 'manual'],
  ['a lock that makes no sense', '{', 'a node that its lock does not name'],
  ['a lock under a name that only kured finds', '{"nodeId":"manual"}', 'a node that its lock does not name'],
  ['a lock without a name', '{}', 'a node that its lock does not name'],
  ['a lock of a list without a name', '{"locks":[{"nodeId":"manual"}]}', 'a node that its lock does not name'],
  ['no text', '', 'a node that its lock does not name'],
  ['a lock of another shape', '[1]', 'a node that its lock does not name'],
]

for (const [title, rebootLock, who] of TABLE) {
  test(`the lock of kured: ${title} is held by ${who ?? 'no node'}`, () => {
    const kured = aWorkload({ kind: 'DaemonSet', namespace: 'kube-system', name: 'kured', rebootLock })
    const found = rebootLockFindings([kured], { spec: aSpec(), wall: AT }).map(({ text }) => text)
    const text = `the lock of kured (DaemonSet kube-system/kured) is held by ${who}`
    assert.deepEqual(found, who === undefined ? [] : [text])
  })
}

test('a lock for what is no node of the cluster is told as such: a deleted node never gives it back', () => {
  const of = (text: string, nodes?: readonly Node[]) => {
    const kured = aWorkload({ kind: 'DaemonSet', namespace: 'kube-system', name: 'kured', rebootLock: text })
    const [found] = rebootLocks([kured], { wall: AT, ...(nodes === undefined ? {} : { nodes }) })
    const { text: says, fix = '' } = found?.finding ?? {}
    return [says, plainText(fix)]
  }
  const HELD = 'the lock of kured (DaemonSet kube-system/kured) is held by'
  const REMOVE = 'kubectl -n kube-system annotate daemonset kured weave.works/kured-node-lock-'
  const WAIT = `wait until it has ended; if it never does: ${REMOVE}`
  const GONE = `a node that was deleted never gives it back; if nobody took it by hand: ${REMOVE}`
  const NODES = [aNode('n1')]
  assert.deepEqual(of(JSON.stringify(lock('n1')), NODES), [`${HELD} n1`, WAIT])
  assert.deepEqual(of(JSON.stringify(lock('n9')), NODES), [`${HELD} n9, which is no node of this cluster`, GONE])
  assert.deepEqual(of(JSON.stringify({ locks: [lock('n9'), lock('n1')] }), NODES), [`${HELD} n9 and n1`, WAIT])
  assert.deepEqual(of('{}', NODES), [`${HELD} a node that its lock does not name`, WAIT])
  assert.deepEqual(of(JSON.stringify(lock('n9'))), [`${HELD} n9`, WAIT], 'the nodes are not known')
})

const REF = { namespace: 'kube-system', name: 'kured' }
const spec = aSpec({ reboot: { ...aSpec().reboot, kuredLock: REF } })
const errors = (...sets: readonly (readonly [namespace: string, name: string])[]) =>
  rebootLockFindings(
    sets.map(([namespace, name]) => aWorkload({ kind: 'DaemonSet', namespace, name })),
    { spec, wall: AT },
  ).map(({ severity, code, text, fix = '' }) => `${severity} ${code}: ${text}; ${plainText(fix)}`)

test('a DaemonSet whose lock is to be taken must exist, and the error names the one that looks like it', () => {
  const REMOVE = 'remove "reboot.kuredLock" where no kured runs; kubectl get daemonsets -A shows all of them'
  const MISSING = 'error KuredNotFound: there is no DaemonSet kube-system/kured, whose lock "reboot.kuredLock" takes; '
  assert.deepEqual(errors(['kube-system', 'kured']), [])
  assert.deepEqual(errors(['kube-system', 'kube-proxy']), [`${MISSING}${REMOVE}`])
  assert.deepEqual(errors(['ops', 'kured']), [`${MISSING}name ops and kured there, or ${REMOVE}`])
})

test('a lock that another roll has taken names its run, and how to end it', () => {
  const rebootLock = newLock({ run: 'run-9', wall: AT, concurrency: 1 })
  const kured = aWorkload({ ...REF, kind: 'DaemonSet', rebootLock })
  const [found] = rebootLockFindings([kured], { spec: aSpec(), wall: AT })
  assert.equal(found?.text, 'run run-9 of a roll holds the lock of kured (DaemonSet kube-system/kured)')
  assert.match(plainText(found?.fix ?? ''), /^wait until it has ended, or evenkeel roll resume run-9/)
  assert.deepEqual(rebootLocks([kured], { wall: AT, run: 'run-9' }), [])
})
