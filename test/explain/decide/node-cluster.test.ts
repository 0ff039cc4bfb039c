import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainNode } from '../../../src/explain/decide/explain-node.ts'
import { newLock } from '../../../src/ground/model/kured-lock.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { aNode, aWorkload } from '../../support/roll-world.ts'

const NOW = wallMs(Date.parse('2026-01-01T00:10:00Z'))
const rebootLock = JSON.stringify({ nodeID: 'n2', created: '2026-01-01T00:00:00Z', TTL: 0 })
const kured = aWorkload({ kind: 'DaemonSet', namespace: 'kube-system', name: 'kured', rebootLock })

const about = (name: string, unschedulable: boolean, daemonSets = [kured]): string => {
  const node = aNode(name, { unschedulable })
  const { state, verdict, findings } = explainNode({ now: NOW, node, pods: [], guards: [], ingresses: [], daemonSets })
  const found = findings.find(({ code }) => code === 'KuredLockHeld')
  return `${state} ${found?.is} ${verdict}`
}

const LOCKED = 'the lock of kured (DaemonSet kube-system/kured) is held by n2'

test('the lock of kured is why its node is cordoned and why no other node is next, and not why another one is cordoned', () => {
  assert.equal(about('n2', true), `Draining waits n2 is cordoned and drained, and is not done: ${LOCKED}`)
  assert.equal(about('n1', false), `InService waits n1 is in service and not next: ${LOCKED}`)
  assert.match(about('n1', true), /^Draining fact n1 is cordoned and drained, and stays so until it is uncordoned$/)
  assert.match(about('n1', false, []), /^InService undefined n1 is in service; nothing takes it out$/)
})

test('a roll that has taken the lock of kured is named, and keeps no node', () => {
  const taken = aWorkload({
    kind: 'DaemonSet',
    namespace: 'kube-system',
    name: 'kured',
    rebootLock: newLock({ run: 'run-1', wall: NOW, concurrency: 1 }),
  })
  assert.match(about('n1', false, [taken]), /^InService fact n1 is in service; nothing takes it out$/)
  const scene = { now: NOW, node: aNode('n1'), pods: [], guards: [], ingresses: [], daemonSets: [taken] }
  const found = explainNode(scene).findings.find(({ code }) => code === 'KuredLockHeld')
  assert.equal(found?.text, 'run run-1 of a roll holds the lock of kured (DaemonSet kube-system/kured)')
})
