import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { wantedAccess } from '../../src/core/roll/plan/wanted-access.ts'

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}
interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly rules?: readonly Rule[]
  readonly roleRef?: { readonly kind: string; readonly name: string }
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[]
}

const manifests = parseAllDocuments(readFileSync(new URL('../../deploy/roll-rbac.yaml', import.meta.url), 'utf8')).map(
  (document) => document.toJS() as Manifest,
)

const granted = manifests.flatMap(({ metadata, rules = [] }) =>
  rules.flatMap((rule) =>
    rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((resource) =>
        rule.verbs.map((verb) =>
          [verb, group, resource, metadata.namespace ?? '*', rule.resourceNames?.[0] ?? '*'].join(' '),
        ),
      ),
    ),
  ),
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
  assert.deepEqual(granted.toSorted(), wanted.toSorted())
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
  const at = ({ metadata }: Manifest): string => metadata.namespace ?? 'the cluster'
  const roles = manifests.filter(({ rules }) => rules !== undefined)
  const bound = manifests.flatMap((binding) => {
    const { roleRef, subjects = [] } = binding
    const isOurs = subjects.some(
      ({ kind, name, namespace }) => `${kind} ${namespace}/${name}` === 'ServiceAccount evenkeel/evenkeel-roll',
    )
    return roleRef !== undefined && isOurs ? [`${roleRef.kind} ${roleRef.name} in ${at(binding)}`] : []
  })
  assert.deepEqual(
    bound.toSorted(),
    roles.map((role) => `${role.kind} ${role.metadata.name} in ${at(role)}`).toSorted(),
  )
})
