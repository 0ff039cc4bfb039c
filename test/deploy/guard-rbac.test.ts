import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readManifests, shipped } from '../support/agent-chart.ts'
import { grantedBy } from '../support/granted-rights.ts'

const manifests = readManifests(shipped('guard-rbac.yaml'))

const grantedTo = (role: string): readonly string[] =>
  grantedBy(manifests.filter(({ metadata }) => metadata.name === role)).toSorted()

test('the shipped role for looking reads NodeGuards, and the one for changing also patches them; neither does more', () => {
  const reads = ['get', 'list', 'watch'].map((verb) => `${verb} evenkeel.dev nodeguards * *`)
  assert.deepEqual(grantedTo('evenkeel-guard-view'), reads)
  assert.deepEqual(grantedTo('evenkeel-guard'), [...reads, 'patch evenkeel.dev nodeguards * *'].toSorted())
  assert.equal(manifests.length, 2)
})
