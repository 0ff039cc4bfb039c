import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GuardScene, ScriptedGuard } from './scripted-guard.ts'

const RELEASES = 'evenkeel.dev/guard-releases'
const HOLDS = 'evenkeel.dev/guard-holds'
const HELD = {
  name: 'n1',
  state: 'Held',
  reason: 'HoldStands',
  message: 'n1 is held by volumes: volumes are attached: pvc-1',
  requestedAt: '2025-12-31T23:58:48.000Z',
}
const BOB = { node: 'n1', by: 'bob', until: '2026-01-01T05:00:00Z' }
const held: GuardScene = { nodes: [HELD], cordoned: ['n1'] }
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')

function listOf(scripted: ScriptedGuard, key: string): unknown {
  const text = scripted.object.metadata.annotations?.[key]
  return text === undefined ? undefined : JSON.parse(text)
}

test('release adds an entry with an end, and says that the node is granted in its turn', async () => {
  const scripted = new ScriptedGuard(held)
  const { code, out, err } = await scripted.run('release ng/storage --node n1 --for 10min --yes', [
    '--why',
    'disk is dead',
  ])
  assert.equal(code, 0, err)
  assert.deepEqual(listOf(scripted, RELEASES), [
    { node: 'n1', by: 'alice', until: '2026-01-01T00:10:00Z', why: 'disk is dead' },
  ])
  assert.equal(
    out,
    [
      'DONE  data/storage: n1 is released by alice until 2026-01-01T00:10:00Z: disk is',
      '      dead',
      '  then   n1 is granted in its turn: no other node of storage waits',
      '  next   evenkeel guard status nodeguard/storage --watch -n data',
      '         evenkeel guard release nodeguard/storage --node n1 --by alice --remove -n data',
      '',
    ].join('\n'),
  )
})

test('a release by another person stays, and one that is over goes', async () => {
  const over = { node: 'n2', by: 'carol', until: '2025-12-31T00:00:00Z' }
  const annotations = { [RELEASES]: JSON.stringify([BOB, over]), other: 'kept' }
  const scripted = new ScriptedGuard({ ...held, annotations })
  const { code, out } = await scripted.run('release ng/storage --node n1 --for 10min --yes --by on-call')
  assert.equal(code, 0)
  assert.deepEqual(listOf(scripted, RELEASES), [BOB, { node: 'n1', by: 'on-call', until: '2026-01-01T00:10:00Z' }])
  assert.equal(scripted.object.metadata.annotations?.other, 'kept')
  assert.match(oneLine(out), /also released by bob until 2026-01-01T05:00:00Z as well/)
})

test('the last entry that is removed takes the annotation with it', async () => {
  const scripted = new ScriptedGuard({ ...held, annotations: { [HOLDS]: '[{"node":"n1","by":"alice"}]' } })
  const { code, out } = await scripted.run('hold ng/storage --node n1 --remove')
  assert.equal(code, 0)
  assert.equal(scripted.object.metadata.annotations?.[HOLDS], undefined)
  assert.match(
    oneLine(out),
    /n1 is not held by alice any more then n1 is granted in its turn, once all of its holds are/,
  )
})

test('an entry of a Node that is gone can be removed', async () => {
  const scripted = new ScriptedGuard({ annotations: { [HOLDS]: '[{"node":"gone","by":"alice"}]' } })
  const { code, out } = await scripted.run('hold ng/storage --node gone --remove')
  assert.deepEqual([code, /there is no Node gone any more/.test(out)], [0, true], out)
})

test('hold needs no end and asks nothing', async () => {
  const scripted = new ScriptedGuard(held)
  const { code, out } = await scripted.run('hold ng/storage --node n2')
  assert.deepEqual(listOf(scripted, HOLDS), [{ node: 'n2', by: 'alice' }])
  assert.match(oneLine(out), /n2 is held by alice, until it is removed then n2 is not granted/)
  assert.equal(code, 0)
})

test('a hold says where a release is stronger', async () => {
  const scripted = new ScriptedGuard({ ...held, annotations: { [RELEASES]: JSON.stringify([BOB]) } })
  const { out } = await scripted.run('hold ng/storage --node n1')
  assert.match(oneLine(out), /then a release of n1 is stronger, and lasts until 2026-01-01T05:00:00Z/)
})

test('at a terminal a release is written only if the name of the node is typed', async () => {
  const line = 'release ng/storage --node n1 --for 10min'
  const sure = new ScriptedGuard({ ...held, terminal: true, typed: 'n1' })
  assert.equal((await sure.run(line)).code, 0)
  assert.equal(
    sure.asked[0],
    [
      'n1 is to be let go whatever holds it in data/storage, for 10 min.',
      'At this moment: n1 is held by volumes: volumes are attached: pvc-1.',
      'Type n1 to release it: ',
    ].join('\n'),
  )
  const unsure = new ScriptedGuard({ ...held, terminal: true, typed: 'y' })
  const { code, err } = await unsure.run(line)
  assert.deepEqual([code, listOf(unsure, RELEASES)], [2, undefined])
  assert.match(err, /the name of the node was not typed, so nothing was written/)
})

test('USER names the person, before the user of the kubeconfig', async () => {
  const scripted = new ScriptedGuard({ env: { USER: 'dave' } })
  await scripted.run('hold ng/storage --node n1')
  assert.deepEqual(listOf(scripted, HOLDS), [{ node: 'n1', by: 'dave' }])
})

test('a write of the controller in between is no reason to fail, and loses nothing', async () => {
  const scripted = new ScriptedGuard(held)
  for (const ms of [4, 7, 10, 13]) scripted.api.time.later(ms, () => scripted.store('status', { requestedNodes: ms }))
  scripted.api.time.later(5, () => scripted.store('metadata', { annotations: { [RELEASES]: JSON.stringify([BOB]) } }))
  const { code } = await scripted.run('release ng/storage --node n1 --for 10min --yes')
  assert.equal(code, 0)
  assert.deepEqual(listOf(scripted, RELEASES), [BOB, { node: 'n1', by: 'alice', until: '2026-01-01T00:10:00Z' }])
})

const UNREADABLE: GuardScene = { annotations: { [RELEASES]: 'no JSON' } }
const OF_BOB: GuardScene = { annotations: { [HOLDS]: JSON.stringify([BOB]) } }

const REFUSED: readonly (readonly [title: string, line: string, says: string, scene?: GuardScene])[] = [
  ['no terminal to ask at', 'release ng/storage --node n1 --for 10min', 'no terminal to ask at'],
  ['a release without an end', 'release ng/storage --node n1 --yes', 'a release needs an end'],
  ['a release of more than a day', 'release ng/storage --node n1 --yes --for 25h', 'It is at most 24 h.'],
  [
    'a Node that is not there',
    'hold ng/storage --node n9',
    'there is no Node n9 (guard.no-such-node) = fix: write --node n1, or n2, or n3',
  ],
  ['a Node that is not there, to be removed', 'hold ng/storage --node n9 --remove', 'there is no Node n9'],
  [
    'a NodeGuard that is not there',
    'hold ng/storages --node n1',
    'has no NodeGuard storages (guard.not-found) = fix: write nodeguard/storage',
  ],
  ['a NodeGuard of another namespace', 'hold ng/storage --node n1 -n edge', 'fix: add -n data'],
  ['another kind', 'hold ids/storage --node n1', '"ids" is no NodeGuard'],
  ['no node', 'hold ng/storage', "required option '--node <name>' not specified"],
  ['an end of what is removed', 'hold ng/storage --node n1 --remove --for 1h', '--remove takes an entry back'],
  [
    'an annotation that cannot be read',
    'release ng/storage --node n1 --for 1h --yes',
    'so it is not overwritten: it is not JSON',
    UNREADABLE,
  ],
  [
    'an entry of another person',
    'hold ng/storage --node n1 --remove',
    'is by bob, so it is not removed (guard.of-others) = fix: evenkeel guard hold nodeguard/storage --node n1 --by bob --remove -n data',
    OF_BOB,
  ],
]

for (const [title, line, says, scene] of REFUSED) {
  test(`nothing is written, exit 2: ${title}`, async () => {
    const scripted = new ScriptedGuard(scene)
    const before = scripted.object
    const { code, err } = await scripted.run(line)
    assert.equal(code, 2, err)
    assert.ok(oneLine(err).includes(says), err)
    assert.equal(scripted.object, before)
  })
}

test('--replace gives up what cannot be read', async () => {
  const scripted = new ScriptedGuard(UNREADABLE)
  assert.equal((await scripted.run('release ng/storage --node n1 --remove --replace')).code, 0)
  assert.equal(scripted.object.metadata.annotations?.[RELEASES], undefined)
})

test('-o json says what was written and what is next', async () => {
  const { out } = await new ScriptedGuard(held).run('release ng/storage --node n1 --for 10min --yes -o json')
  assert.deepEqual(JSON.parse(out), {
    namespace: 'data',
    name: 'storage',
    command: 'release',
    node: 'n1',
    by: 'alice',
    until: '2026-01-01T00:10:00Z',
    removed: false,
    changed: true,
    others: [],
    state: 'Held',
    text: 'n1 is granted in its turn: no other node of storage waits',
    next: [
      'evenkeel guard status nodeguard/storage --watch -n data',
      'evenkeel guard release nodeguard/storage --node n1 --by alice --remove -n data',
    ],
  })
})
