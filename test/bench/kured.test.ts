import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { kuredSource } from '../../bench/article/kured-build.ts'
import { kuredManifests } from '../../bench/article/kured-manifests.ts'
import { lookingPods, stillOpen } from '../../bench/article/kured-run.ts'

const RBAC = `---
kind: ClusterRole
metadata: { name: kured }
---
kind: Role
metadata: { name: kured }
`
const DAEMON_SET = `---
kind: ServiceAccount
metadata: { name: kured }
---
kind: DaemonSet
metadata: { name: kured } # Must match --ds-name
spec:
  template:
    spec:
      hostPID: true
      containers:
        - name: kured
          image: ghcr.io/kubereboot/kured:1.23.0
          command:
            - /usr/bin/kured
            - --reboot-sentinel=/sentinel/reboot-required
#            - --period=1h
`

test('of the manifests of kured only the image and the period change', () => {
  const { objects, tag } = kuredManifests(RBAC, DAEMON_SET)
  assert.equal(tag, '1.23.0')
  const named = (kind: string): object => ({ kind, metadata: { name: 'kured' } })
  const container = {
    name: 'kured',
    image: 'evenkeel.local/kured:bench',
    command: ['/usr/bin/kured', '--reboot-sentinel=/sentinel/reboot-required', '--period=5s'],
  }
  const daemonSet = { ...named('DaemonSet'), spec: { template: { spec: { hostPID: true, containers: [container] } } } }
  assert.deepEqual(objects, [named('ClusterRole'), named('Role'), named('ServiceAccount'), daemonSet])
})

test('manifests without kured, or that are no YAML, are refused by the name of the file', () => {
  assert.throws(() => kuredManifests(RBAC, RBAC), /^Error: kured-ds\.yaml has no DaemonSet with a container kured$/)
  assert.throws(() => kuredManifests('a: [', DAEMON_SET), /^Error: kured-rbac\.yaml: .* at line 1/)
})

const FILES = {
  'go.mod': 'module github.com/kubereboot/kured\n\ngo 1.26.5\n',
  'cmd/kured/main.go': 'package main\n',
  'kured-rbac.yaml': RBAC,
  'kured-ds.yaml': DAEMON_SET,
}

function folderOf(files: Readonly<Record<string, string>>): string {
  const dir = mkdtempSync(join(tmpdir(), 'evenkeel-kured-test-'))
  mkdirSync(join(dir, 'cmd/kured'), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  return dir
}

test('a directory that is not the source of kured is refused, with the fix', () => {
  const { 'kured-ds.yaml': _, ...withoutDaemonSet } = FILES
  const wrong = [
    [join(tmpdir(), 'no such directory'), 'there is no go.mod'],
    [folderOf(withoutDaemonSet), 'there is no kured-ds.yaml'],
    [folderOf({ ...FILES, 'go.mod': 'module example.com/other\n' }), 'go.mod is of another module'],
    [folderOf({ ...FILES, 'kured-ds.yaml': RBAC }), 'kured-ds.yaml has no DaemonSet with a container kured'],
  ] as const
  for (const [dir, what] of wrong)
    assert.deepEqual(kuredSource(dir), {
      what: `--kured ${dir}: ${what}`,
      fix: 'give a checkout of github.com/kubereboot/kured',
    })
})

test('a pod looks for the file once it has said so, however often', () => {
  const logs = [
    '[pod/kured-a/kured] time="2026-11-27T09:00:00Z" level=info msg="Reboot not required"',
    '[pod/kured-a/kured] time="2026-11-27T09:00:05Z" level=info msg="Reboot not required"',
    '[pod/kured-b/kured] time="2026-11-27T09:00:05Z" level=info msg="Reboot period 5s"',
  ]
  assert.equal(lookingPods(logs.join('\n')), 1)
})

const node = (name: string, bootID: string, { ready = 'True', unschedulable = false } = {}) => ({
  metadata: { name, annotations: {} },
  spec: unschedulable ? { unschedulable } : {},
  status: { nodeInfo: { bootID }, conditions: [{ type: 'Ready', status: ready }] },
})

test('a run of kured is over when each node is rebooted, Ready and uncordoned, and the lock is free', () => {
  const before = { n1: 'a', n2: 'b', n3: 'c' }
  const nodes = [node('n1', 'a2'), node('n2', 'b2', { ready: 'False', unschedulable: true }), node('n3', 'c')]
  assert.deepEqual(stillOpen({ nodes, before, lock: '{"nodeID":"n2"}' }), [
    'n2 is not Ready',
    'n2 is cordoned',
    'n3 was not rebooted',
    'the lock is held: {"nodeID":"n2"}',
  ])
  assert.deepEqual(
    stillOpen({ nodes: [node('n1', 'a2'), node('n2', 'b2'), node('n3', 'c2')], before, lock: undefined }),
    [],
  )
})
