import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MalformedReply } from '../../../src/ground/model/untrusted.ts'
import { validateGuard } from '../../../src/guard/decide/guard-kind.ts'
import { GUARD_FAULTS, guardObject } from '../../support/guard/guard-faults.ts'
import { readGuard } from './read-guard.ts'

for (const { rule, object, field, fix } of GUARD_FAULTS) {
  test(`a NodeGuard is refused by ${rule}, with its field and what to do`, () => {
    const found = validateGuard(object).map((finding) => [finding.code, finding.field, finding.severity])
    assert.deepEqual(found, [[rule, field, 'error']])
    assert.match(validateGuard(object)[0]?.fix ?? '', fix)
  })
}

test('a NodeGuard with nothing but what it follows makes sense, and so does one with each kind of hold', () => {
  const holds = [
    { name: 'volumes', volumes: {} },
    { name: 'pods', pods: { selector: { app: 'db' } } },
    { name: 'http', http: { url: 'http://{address}/', jsonPath: '$.a', equals: 'b' } },
    { name: 'object', object: { version: 'v1', resource: 'nodes', name: '{node}', clearWhen: 'true' } },
    { name: 'annotation', annotation: { key: 'example.com/busy' } },
  ]
  assert.deepEqual([validateGuard(guardObject({})), validateGuard(guardObject({ holds }))], [[], []])
})

test('what holds where a NodeGuard says nothing', () => {
  const { findings, status: _, ...guard } = readGuard({})
  assert.deepEqual(findings, [])
  assert.deepEqual(guard.spec, {
    follow: { kind: 'daemonSet', name: 'storage-node' },
    ...{ mode: 'PerNode', group: 'default', image: 'registry.k8s.io/pause:3.10', minReadySeconds: 0 },
    ...{
      pendingReplacement: 'ScaleDown',
      onTargetGone: 'Keep',
      grantTimeoutMs: 600_000,
      holds: [],
      resistsDeletion: false,
    },
  })
  assert.deepEqual([guard.releases, guard.heldByHand, guard.deleting], [{ entries: [] }, { entries: [] }, false])
})

test('the mode is PerNode, whatever the holds are, or the one that is written', () => {
  const holds = [{ name: 'volumes', volumes: {} }]
  const modes = [{}, { holds }, { holds: [] }, { mode: 'PerNode' }, { mode: 'Budget' }].map(
    (spec) => readGuard({ spec }).spec.mode,
  )
  assert.deepEqual(modes, ['PerNode', 'PerNode', 'PerNode', 'PerNode', 'Budget'])
})

test('each field is read in its unit', () => {
  const { spec } = readGuard({
    spec: {
      ...{ follow: { nodeSelector: { disk: 'ssd' } }, group: 'db', image: 'x', priorityClassName: 'high' },
      ...{ minReadySeconds: 3, grantTimeoutSeconds: 60, maxHold: { seconds: 90, policy: 'Release' } },
      ...{ resistDeletion: true, template: { spec: {} }, onTargetGone: 'Remove' },
      holds: [
        { name: 'a', volumes: { drivers: ['d'] } },
        { name: 'b', pods: { namespace: 'n', selector: { app: 'db' } } },
        { name: 'c', http: { url: 'http://x/', timeoutSeconds: 2 } },
        { name: 'd', object: { version: 'v1', resource: 'nodes', name: '{node}', clearWhen: 'true' } },
        { name: 'e', annotation: { key: 'k' } },
      ],
    },
  })
  assert.deepEqual(spec, {
    ...{ follow: { kind: 'nodes', nodeSelector: { disk: 'ssd' } }, mode: 'PerNode', group: 'db', image: 'x' },
    ...{ template: { spec: {} }, priorityClassName: 'high', minReadySeconds: 3, pendingReplacement: 'ScaleDown' },
    ...{ onTargetGone: 'Remove', grantTimeoutMs: 60_000, resistsDeletion: true },
    maxHold: { afterMs: 90_000, policy: 'Release' },
    holds: [
      { name: 'a', kind: 'volumes', drivers: ['d'] },
      { name: 'b', kind: 'pods', namespace: 'n', selector: { app: 'db' } },
      { name: 'c', kind: 'http', url: 'http://x/', timeoutMs: 2_000 },
      {
        ...{ name: 'd', kind: 'object', group: '', version: 'v1', resource: 'nodes' },
        ...{ object: '{node}', clearWhen: 'true' },
      },
      { name: 'e', kind: 'annotation', key: 'k' },
    ],
  })
})

test('a word that is no choice is malformed', () => {
  for (const spec of [{ mode: 'Both' }, { onTargetGone: 'x' }, { pendingReplacement: 'x' }])
    assert.throws(() => readGuard({ spec }), MalformedReply)
})

const LISTS: readonly (readonly [text: string, releases: string | undefined, holds: string | undefined])[] = [
  ['[{"node":"n1","by":"alice","until":"2026-01-01T13:00:00Z","why":"x"}]', undefined, undefined],
  ['[{"node":"n1","by":"alice"}]', 'the entry of n1 has no end', undefined],
  ['{', 'it is not JSON', 'it is not JSON'],
  ['{}', 'it is not a list', 'it is not a list'],
  ['[{"by":"alice"}]', 'an entry names no node', 'an entry names no node'],
  ['[7]', 'an entry names no node', 'an entry names no node'],
  ['[{"node":"n1"}]', 'the entry of n1 does not say by whom it is', 'the entry of n1 does not say by whom it is'],
  [
    '[{"node":"n1","by":"a","until":"soon"}]',
    'the entry of n1 ends at no time that can be read',
    'the entry of n1 ends at no time that can be read',
  ],
  [
    `[{"node":"n1","by":"a","until":"2026-01-01T13:00:00Z","why":"${'x'.repeat(201)}"}]`,
    'the reason of the entry of n1 is not a text of at most 200 characters',
    'the reason of the entry of n1 is not a text of at most 200 characters',
  ],
]

for (const [text, releases, holds] of LISTS) {
  test(`what persons wrote about nodes: ${text.slice(0, 70)}`, () => {
    const annotations = { 'evenkeel.dev/guard-releases': text, 'evenkeel.dev/guard-holds': text }
    const guard = readGuard({ annotations })
    assert.deepEqual([guard.releases.unreadable, guard.heldByHand.unreadable], [releases, holds])
    assert.equal(guard.releases.entries.length, releases === undefined ? 1 : 0)
    assert.equal(guard.heldByHand.entries.length, holds === undefined ? 1 : 0)
  })
}

test('the mode and the group stay what they were, whether they were written or not', () => {
  const refused = (
    now: Readonly<Record<string, unknown>>,
    before: Readonly<Record<string, unknown>>,
  ): readonly string[] =>
    validateGuard(guardObject(now), guardObject(before)).map(({ code, field }) => `${code} ${field}`)
  assert.deepEqual(refused({ mode: 'Budget' }, {}), ['modeChanged spec.mode'])
  assert.deepEqual(refused({}, { mode: 'Budget' }), ['modeChanged spec.mode'])
  assert.deepEqual(refused({ mode: 'PerNode' }, {}), [])
  assert.deepEqual(refused({ mode: 'Budget', minReadySeconds: 5 }, { mode: 'Budget' }), [])
  assert.deepEqual(refused({ group: 'b' }, {}), ['groupChanged spec.group'])
  assert.deepEqual(refused({}, { group: 'b' }), ['groupChanged spec.group'])
  assert.deepEqual(refused({ group: 'default' }, {}), [])
})

test('a release ends at a time with its zone', () => {
  const unreadable = (until: string): string | undefined =>
    readGuard({
      annotations: { 'evenkeel.dev/guard-releases': JSON.stringify([{ node: 'n1', by: 'alice', until }]) },
    }).releases.unreadable
  assert.equal(unreadable('2026-01-01T00:00:00Z'), undefined)
  assert.equal(unreadable('2026-01-01T00:00:00+01:00'), undefined)
  assert.match(unreadable('2026-01-01T00:00:00') ?? '', /ends at no time/)
  assert.match(unreadable('tomorrow') ?? '', /ends at no time/)
})
