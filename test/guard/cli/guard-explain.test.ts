import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ScriptedGuard } from './scripted-guard.ts'

const SPEC = {
  holds: [
    { name: 'volumes', volumes: { drivers: ['csi.example.com'] } },
    { name: 'shards', http: { url: 'http://{address}:9500/drain/{node}' } },
  ],
  maxHold: { seconds: 3_600, policy: 'Release' },
}
const HELD = {
  ...{ name: 'n1', state: 'Held', reason: 'HoldStands', since: '2025-12-31T23:58:48Z' },
  ...{ message: 'n1 is held by volumes: volumes are attached: pvc-1', requestedAt: '2025-12-31T23:58:48.000Z' },
}
const BY_BOB = '[{"node":"n1","by":"bob the second","until":"2026-01-01T05:00:00Z","why":"rebalancing"}]'

test('guard explain says in order what stands before the eviction of a node', async () => {
  const annotations = { 'evenkeel.dev/guard-holds': BY_BOB }
  const scripted = new ScriptedGuard({ spec: SPEC, annotations, nodes: [HELD], cordoned: ['n1'] })
  const { code, out } = await scripted.run('explain ng/storage --node n1')
  assert.equal(code, 0)
  assert.equal(
    out,
    [
      'HELD  n1 of data/storage for 1 min 12 s: n1 is held by volumes: volumes are',
      '      attached: pvc-1',
      '  guard    it has a guard, and the budget over it is closed',
      '  asks     it asks to be drained: it is cordoned, since 2025-12-31T23:58:48Z',
      '  queue    no other node of storage waits',
      '  grant    storage has granted no node; of all guards of group default one node',
      '           is granted at a time',
      '  holds    volumes: clear when no volume of csi.example.com is attached to n1',
      '           shards: clear when GET http://{address}:9500/drain/n1 answers 2xx',
      '  by hand  held by bob the second until 2026-01-01T05:00:00Z: rebalancing',
      '  maxHold  once it has asked for 1 h, it is granted in its turn whatever its',
      '           holds say, unless a person holds it',
      '  help     HoldStands: Wait until the hold is clear.',
      "  next     evenkeel guard hold nodeguard/storage --node n1 --by 'bob the second' --remove -n data",
      '           evenkeel guard status nodeguard/storage --watch -n data',
      '           evenkeel guard release nodeguard/storage --node n1 --for 10min -n data',
      '',
    ].join('\n'),
  )
})

test('guard explain of a node that does not ask says what makes it ask', async () => {
  const { out } = await new ScriptedGuard({ spec: { follow: { nodeSelector: { disk: 'ssd' } }, holds: [] } }).run(
    'explain ng/storage --node n4',
  )
  assert.match(out, /^ARMED {2}n4 of data\/storage\n/)
  assert.match(out, /holds {2}storage has none: a node goes when it is its turn/)
  assert.match(out, /kubectl drain n4 --ignore-daemonsets/)
})

test('guard explain says that a list of persons cannot be read', async () => {
  const annotations = { 'evenkeel.dev/guard-holds': '{}' }
  const { out } = await new ScriptedGuard({ annotations, nodes: [HELD] }).run('explain ng/storage --node n1')
  assert.match(
    out.replaceAll(/\s+/g, ' '),
    /every node is held, since the holds by hand cannot be read: it is not a list/,
  )
})

test('-o json of guard explain has the same for scripts', async () => {
  const { out } = await new ScriptedGuard({ spec: SPEC, nodes: [HELD], cordoned: ['n1'] }).run(
    'explain ng/storage --node n1 -o json',
  )
  const { node, state, steps, holds, reason, next } = JSON.parse(out)
  assert.deepEqual([node, state, reason], ['n1', 'Held', 'HoldStands'])
  assert.deepEqual(
    steps.map(({ about, is }: { readonly about: string; readonly is: string }) => `${about} ${is}`),
    ['guard shut', 'asks open', 'queue open', 'grant open'],
  )
  assert.deepEqual(holds[0], {
    ...{ name: 'volumes', kind: 'volumes', drivers: ['csi.example.com'] },
    text: 'clear when no volume of csi.example.com is attached to n1',
  })
  assert.deepEqual(next, [
    'evenkeel guard status nodeguard/storage --watch -n data',
    'evenkeel guard release nodeguard/storage --node n1 --for 10min -n data',
  ])
})
