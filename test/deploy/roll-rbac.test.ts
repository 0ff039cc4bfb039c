import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { wantedAccess } from '../../src/core/roll/plan/wanted-access.ts'
import { boundTo, grantedBy, type RbacManifest } from '../support/granted-rights.ts'

const manifests = parseAllDocuments(readFileSync(new URL('../../deploy/roll-rbac.yaml', import.meta.url), 'utf8')).map(
  (document) => document.toJS() as RbacManifest,
)

const wanted = wantedAccess('evenkeel').map(({ verb, group, resource, subresource, namespace, name }) =>
  [
    verb,
    group,
    subresource === undefined ? resource : `${resource}/${subresource}`,
    namespace ?? '*',
    name ?? '*',
  ].join(' '),
)

test('the shipped roles grant exactly the rights that a roll asks for', () => {
  assert.deepEqual(grantedBy(manifests).toSorted(), wanted.toSorted())
})

test('the shipped roles contain no wildcard', () => {
  assert.deepEqual(
    manifests
      .flatMap(({ rules = [] }) => rules.flatMap((rule) => [...rule.apiGroups, ...rule.resources, ...rule.verbs]))
      .filter((word) => word.includes('*')),
    [],
  )
})

test('each of the shipped roles is bound to the shipped identity, where it is', () => {
  const roles = manifests.filter(({ rules }) => rules !== undefined)
  assert.deepEqual(
    boundTo(manifests, 'ServiceAccount evenkeel/evenkeel-roll').toSorted(),
    roles.map(({ kind, metadata }) => `${kind} ${metadata.name} in ${metadata.namespace ?? 'the cluster'}`).toSorted(),
  )
})
