import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import type { Access } from '../../src/ground/model/access.ts'
import {
  announceAccess,
  budgetAccess,
  deleteAccess,
  eventAccess,
  journalAccess,
  kuredAccess,
  planAccess,
  politeAccess,
  spareAccess,
  wantedAccess,
} from '../../src/roll/decide/plan/wanted-access.ts'
import { boundTo, grantedBy, type RbacManifest } from '../support/granted-rights.ts'
import { aSpec } from '../support/roll-world.ts'

const read = (file: string): readonly RbacManifest[] =>
  parseAllDocuments(readFileSync(new URL(`../../deploy/${file}`, import.meta.url), 'utf8')).map(
    (document) => document.toJS() as RbacManifest,
  )

const manifests = read('roll-rbac.yaml')
const relays = read('roll-dns-rbac.yaml')
const polite = read('roll-polite-rbac.yaml')
const deleting = read('roll-delete-rbac.yaml')
const announcing = read('roll-announce-rbac.yaml')
const locking = read('roll-kured-rbac.yaml')
const journal = read('roll-journal-rbac.yaml')

const texts = (accesses: readonly Access[]): readonly string[] =>
  accesses
    .map(({ verb, group, resource, subresource, namespace, name }) =>
      [
        verb,
        group,
        subresource === undefined ? resource : `${resource}/${subresource}`,
        namespace ?? '*',
        name ?? '*',
      ].join(' '),
    )
    .toSorted()

const DNS = { namespace: 'evenkeel' }
const wanted = [
  ...wantedAccess('evenkeel'),
  ...budgetAccess({ namespace: 'evenkeel' }),
  ...planAccess,
  ...eventAccess,
  ...spareAccess(DNS),
]

test('the shipped roles grant exactly the rights that a roll asks for', () => {
  assert.deepEqual(grantedBy(manifests).toSorted(), texts(wanted))
})

test('the roles for relays grant exactly what a roll with an image asks for in addition', () => {
  const added = spareAccess({ ...DNS, image: 'registry.example/evenkeel:1.0' }).slice(spareAccess(DNS).length)
  assert.deepEqual(grantedBy(relays).toSorted(), texts(added))
})

const ENTRY = { selector: { matchLabels: { app: 'cart' }, matchExpressions: [] }, leaveAfterMs: 6_000 }
const DRAIN = {
  daemonSets: [],
  deleteEmptyDirData: false,
  deleteUnmanaged: false,
  blockedLimitMs: 1,
  stageLimitMs: 1,
}

test('the roles for polite drains grant exactly what a roll with them asks for in addition, which is nothing without', () => {
  assert.deepEqual(grantedBy(polite).toSorted(), texts(politeAccess({ ...DRAIN, polite: [ENTRY] })))
  assert.deepEqual(politeAccess(DRAIN), [])
})

test('where each entry names its namespaces, labels of pods are changed there alone', () => {
  const named = { ...ENTRY, namespaces: ['shop', 'pay'] }
  assert.deepEqual(texts(politeAccess({ ...DRAIN, polite: [named, { ...named, namespaces: ['pay'] }] })), [
    'patch  pods pay *',
    'patch  pods shop *',
    'watch  services * *',
  ])
})

const LADDER = { ...ENTRY, waitMs: 1, delete: false }

test('the role for deletions grants exactly what a roll asks for in addition that may come to one', () => {
  for (const rung of [{ delete: true }, { askMs: 1 }])
    assert.deepEqual(grantedBy(deleting), texts(deleteAccess({ ...DRAIN, blocked: [{ ...LADDER, ...rung }] })))
  assert.deepEqual(deleteAccess({ ...DRAIN, blocked: [LADDER, { ...LADDER, surgeMs: 1 }] }), [])
  const named = { ...LADDER, delete: true, namespaces: ['shop'] }
  assert.deepEqual(texts(deleteAccess({ ...DRAIN, blocked: [named, LADDER] })), ['delete  pods shop *'])
})

test('a roll that has a replacement started first asks for the rights of polite drains', () => {
  const surge = { ...LADDER, surgeMs: 1 }
  assert.deepEqual(grantedBy(polite).toSorted(), texts(politeAccess({ ...DRAIN, blocked: [surge] })))
  assert.deepEqual(politeAccess({ ...DRAIN, blocked: [LADDER] }), [])
})

test('the role for conditions grants exactly what a roll asks for in addition that announces what it does, which is nothing without', () => {
  assert.deepEqual(grantedBy(announcing), texts(announceAccess({ announce: { conditions: true } })))
  assert.deepEqual(announceAccess({}), [])
})

test('the role for the lock of kured grants exactly what a roll that takes it asks for in addition, which is nothing without', () => {
  const kuredLock = { namespace: 'kube-system', name: 'kured' }
  const reboot = { ...aSpec().reboot, kuredLock }
  assert.deepEqual(grantedBy(locking), texts(kuredAccess({ reboot })))
  assert.deepEqual(kuredAccess(aSpec()), [])
})

test('the role for journals in the cluster grants exactly what a store of them asks for', () => {
  assert.deepEqual(grantedBy(journal).toSorted(), texts(journalAccess('evenkeel')))
})

test('a roll that does not ask DNS asks for nothing that it could do without', () => {
  assert.deepEqual(spareAccess(undefined), [])
})

test('the shipped roles contain no wildcard', () => {
  assert.deepEqual(
    [...manifests, ...relays, ...polite, ...deleting, ...announcing, ...locking, ...journal]
      .flatMap(({ rules = [] }) => rules.flatMap((rule) => [...rule.apiGroups, ...rule.resources, ...rule.verbs]))
      .filter((word) => word.includes('*')),
    [],
  )
})

test('each of the shipped roles is bound to the shipped identity, where it is', () => {
  const all = [...manifests, ...relays, ...polite, ...deleting, ...announcing, ...locking, ...journal]
  const roles = all.filter(({ rules }) => rules !== undefined)
  assert.deepEqual(
    boundTo(all, 'ServiceAccount evenkeel/evenkeel-roll').toSorted(),
    roles.map(({ kind, metadata }) => `${kind} ${metadata.name} in ${metadata.namespace ?? 'the cluster'}`).toSorted(),
  )
})
