import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GuardScene, ScriptedGuard } from './scripted-guard.ts'

const HELD = {
  name: 'n1',
  state: 'Held',
  reason: 'HoldStands',
  message: 'n1 is held by volumes: volumes are attached: pvc-1',
  since: '2025-12-31T23:58:48Z',
  requestedAt: '2025-12-31T23:58:48.000Z',
}
const DRAINING = { name: 'n3', state: 'Draining', reason: 'NodeDraining', message: 'the guard of n3 was evicted' }
const READY = 'Ready True AllGuarded 5 of 5 nodes are guarded'
const IS_HELD: GuardScene = { nodes: [HELD], cordoned: ['n1'], conditions: [READY, 'Held True NodesHeld held: n1'] }

const ENDS: readonly (readonly [title: string, scene: GuardScene, code: number, first: string, next: string])[] = [
  ['every guard is there', { conditions: [READY] }, 0, 'READY  data/storage: 5 of 5 nodes are guarded', ''],
  [
    'a node is being drained',
    { nodes: [DRAINING], conditions: ['Ready False NodesUnguarded 4 of 5 nodes are guarded'] },
    0,
    'GOING  data/storage: 4 of 5 nodes are guarded',
    'kubectl uncordon n3',
  ],
  [
    'a node is held',
    IS_HELD,
    3,
    'HELD  data/storage: held: n1',
    'evenkeel guard explain nodeguard/storage --node n1 -n data',
  ],
  [
    'two nodes are without their guards',
    {
      nodes: [{ name: 'n2', state: 'Conflict' }],
      conditions: ['Conflict True Conflict more than one node is without its guard: n2, n3'],
    },
    3,
    'HELD  data/storage: more than one node is without its guard: n2, n3',
    'kubectl -n data get pods -o wide -l evenkeel.dev/guard=storage',
  ],
  [
    'the controller has not seen it',
    { observed: 0 },
    3,
    'HELD  data/storage: the controller has not seen generation 1 of storage yet',
    'kubectl get pods -A -l app.kubernetes.io/component=controller',
  ],
  [
    'the object is refused',
    { conditions: ['Stalled True GuardRefused spec.follow: names both'] },
    1,
    'STOPPED  data/storage: spec.follow: names both',
    'kubectl -n data describe nodeguard/storage',
  ],
]

for (const [title, scene, code, first, next] of ENDS) {
  test(`guard status of one says where it stands, and what to type: ${title}`, async () => {
    const ended = await new ScriptedGuard(scene).run('status ng/storage')
    assert.equal(ended.code, code, ended.out + ended.err)
    assert.ok(ended.out.includes(first), ended.out)
    assert.ok(ended.out.includes(next), ended.out)
  })
}

test('guard status of one lists the nodes that are not Armed, with the reason as a sentence', async () => {
  const released = [
    {
      node: 'n5',
      by: 'bob',
      why: 'dead',
      at: '2025-12-31T20:00:00Z',
      passedOver: 'n5 is held by volumes: volumes are attached: pvc-7',
    },
  ]
  const { out } = await new ScriptedGuard({ ...IS_HELD, status: { released } }).run('status ng/storage')
  assert.equal(
    out,
    [
      '  NODE  STATE   FOR  WHY',
      '  n1    Held   1:12  n1 is held by volumes: volumes are attached: pvc-1',
      'HELD  data/storage: held: n1',
      '  state      5 of 5 nodes are guarded, 1 asks, 1 is held',
      '  guard      mode PerNode, group default',
      '  condition  Held NodesHeld: held: n1',
      '  released   n5 at 2025-12-31T20:00:00Z by bob (dead), although n5 is held by',
      '             volumes: volumes are attached: pvc-7',
      '  next       evenkeel guard explain nodeguard/storage --node n1 -n data',
      '',
    ].join('\n'),
  )
})

test('guard status without a name has a line for each, and exits by the one that stands worst', async () => {
  const scripted = new ScriptedGuard({ ...IS_HELD, status: { grantedNode: 'n3' } })
  const other = { metadata: { name: 'cache' }, spec: { follow: { nodeSelector: {} }, group: 'cache' } }
  scripted.add(other)
  const { code, out } = await scripted.run('status')
  assert.equal(code, 3)
  assert.equal(
    out,
    [
      '  NAME     MODE     GROUP    GUARDED  ASK  HELD  GRANTED  STATUS',
      '  cache    PerNode  cache        0/0    0     0  -        Unseen',
      '  storage  PerNode  default      5/5    1     1  n3       NodesHeld',
      '',
    ].join('\n'),
  )
  const all = await scripted.run('status -A')
  assert.match(all.out, /^ {2}NAMESPACE {2}NAME .*\n {2}data +cache /)
  const none = await scripted.run('status -n edge')
  assert.deepEqual([none.code, none.out], [0, 'no NodeGuards\n'])
})

test('one object and all namespaces contradict each other', async () => {
  assert.equal((await new ScriptedGuard().run('status ng/storage -A')).code, 2)
})

test('--watch writes a line for each change where there is no terminal, until it is interrupted', async () => {
  const scripted = new ScriptedGuard(IS_HELD)
  const { time } = scripted.api
  time.later(10_000, () =>
    scripted.store('status', {
      heldNodes: 0,
      grantedNode: 'n1',
      nodes: [{ ...HELD, state: 'Granted', message: 'n1 is granted' }],
    }),
  )
  time.later(20_000, () => scripted.store('status', { requestedNodes: 0, grantedNode: undefined, nodes: [] }))
  time.later(100_000, () => scripted.context.interrupts.press())
  const { code, out, err } = await scripted.run('status ng/storage --watch')
  assert.equal(code, 130)
  assert.deepEqual(
    err
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/^\S+ /, '')),
    [
      '-        NodesHeld: 5 of 5 nodes are guarded, 1 asks, 1 is held',
      'n1       Held: n1 is held by volumes: volumes are attached: pvc-1',
      '-        NodesHeld: 5 of 5 nodes are guarded, 1 asks, n1 is granted',
      'n1       Granted: n1 is granted',
      'n1       Armed, or gone',
      '-        NodesHeld: 5 of 5 nodes are guarded',
      '-        no change of 1 guards',
    ],
  )
  assert.match(oneLine(out), /INTERRUPTED data\/storage: held: n1. The guards themselves go on/)
})

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')

test('--watch draws in place on a terminal, and what stays is the end', async () => {
  const scripted = new ScriptedGuard({ ...IS_HELD, terminal: true })
  scripted.api.time.later(5_000, () => scripted.context.interrupts.press())
  const { code, out, err } = await scripted.run('status ng/storage --watch --color never')
  assert.equal(code, 130)
  assert.match(err, /guard storage {4}0:00/)
  assert.match(err, /n1 +Held +1:1\d +n1 is held by volumes/)
  assert.ok(err.endsWith('\x1b[J\x1b[?25h\x1b[?2026l'), JSON.stringify(err.slice(-60)))
  assert.doesNotMatch(out, /\x1b/)
})

test('--watch of all guards shows those that come', async () => {
  const scripted = new ScriptedGuard({ conditions: [READY] })
  const late = { metadata: { name: 'cache' }, spec: { follow: { nodeSelector: {} } } }
  scripted.api.time.later(3_000, () => scripted.add(late))
  scripted.api.time.later(9_000, () => scripted.context.interrupts.press())
  const { err, out } = await scripted.run('status --watch -A')
  assert.match(err, /data\/storage AllGuarded: 5 of 5 nodes are guarded\n.* data\/cache Unseen: /)
  assert.match(out, /data +cache/)
})

test('--watch of a NodeGuard that is deleted ends by itself', async () => {
  const scripted = new ScriptedGuard({ conditions: [READY] })
  scripted.api.time.later(5_000, () => scripted.remove())
  const { code, out } = await scripted.run('status ng/storage --watch')
  assert.deepEqual([code, out], [1, 'STOPPED  data/storage: storage was deleted\n'])
})

test('-o json has what scripts go by', async () => {
  const { out } = await new ScriptedGuard(IS_HELD).run('status ng/storage -o json --context', ["it's"])
  const { mode, group, outcome, code, counts, nodes, next } = JSON.parse(out)
  assert.deepEqual([mode, group, outcome, code], ['PerNode', 'default', 'held', 'NodesHeld'])
  assert.deepEqual(counts, { desired: 5, guarded: 5, requested: 1, held: 1 })
  assert.deepEqual(nodes, [HELD])
  assert.deepEqual(next, ["evenkeel guard explain nodeguard/storage --node n1 -n data --context 'it'\\''s'"])
  const list = await new ScriptedGuard(IS_HELD).run('status -o json')
  assert.equal(JSON.parse(list.out).guards[0].name, 'storage')
})
