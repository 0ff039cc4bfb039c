import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { manifestsYaml } from '../../../../src/explain/cli/init/write-yaml.ts'
import { rightsManifests } from '../../../../src/explain/decide/init/rights-manifests.ts'
import type { RollSpec } from '../../../../src/roll/model/roll-spec.ts'
import { boundTo, grantedBy, type RbacManifest } from '../../../support/granted-rights.ts'
import { FACTS, proposed } from './init-world.ts'

const parsed = (text: string): readonly RbacManifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as RbacManifest)

const written = (spec: RollSpec): readonly RbacManifest[] => parsed(manifestsYaml(['head'], rightsManifests(spec)))

const shipped = (file: string): readonly RbacManifest[] =>
  parsed(readFileSync(new URL(`../../../../deploy/${file}`, import.meta.url), 'utf8'))

const { spec } = proposed(FACTS)

test('the rights of init are those of deploy/roll-rbac.yaml, bound to the same account, by the same names', () => {
  const [own, theirs] = [written(spec), shipped('roll-rbac.yaml')]
  assert.deepEqual(grantedBy(own).toSorted(), grantedBy(theirs).toSorted())
  const account = 'ServiceAccount evenkeel/evenkeel-roll'
  assert.deepEqual(boundTo(own, account).toSorted(), boundTo(theirs, account).toSorted())
  assert.deepEqual(
    own.slice(0, 2).map(({ kind }) => kind),
    ['Namespace', 'ServiceAccount'],
  )
})

test('a file with a polite drain has the rights for it, and only in its namespaces', () => {
  const selector = { matchLabels: { app: 'cart' }, matchExpressions: [] }
  const polite = [{ selector, namespaces: ['shop'], leaveAfterMs: 6_000 }]
  const more = grantedBy(written({ ...spec, drain: { ...spec.drain, polite } }))
  const before = new Set(grantedBy(written(spec)))
  assert.deepEqual(more.filter((right) => !before.has(right)).toSorted(), ['patch  pods shop *', 'watch  services * *'])
})

test('a file that takes the lock of kured has the rights for this one DaemonSet, in a Role that is no spare one', () => {
  const kuredLock = { namespace: 'ops', name: 'kured' }
  const own = written({ ...spec, reboot: { ...spec.reboot, kuredLock } })
  const before = new Set(grantedBy(written(spec)))
  const more = grantedBy(own).filter((right) => !before.has(right))
  assert.deepEqual(more.toSorted(), ['get apps daemonsets ops kured', 'patch apps daemonsets ops kured'])
  assert.ok(own.some(({ kind, metadata }) => kind === 'Role' && metadata.name === 'evenkeel-roll-kured'))
})

test('a roll that does not check DNS does not read its configuration', () => {
  const { dns: _, ...without } = spec
  assert.ok(grantedBy(written(spec)).some((right) => right.includes('coredns')))
  assert.ok(!grantedBy(written(without)).some((right) => right.includes('coredns')))
})
