import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Scene, ScriptedRollout } from './scripted-rollout.ts'

const DONE = [
  'Progressing False Complete 3 of 3 nodes have revision r2',
  'Ready True AllInService 3 of 3 nodes are in service',
]
const GOING = [
  'Progressing True RollingOut 1 of 3 nodes have revision r2',
  'Ready False RollingOut 1 of 3 nodes are updated',
]
const QUEUED = { name: 'n3', state: 'Queued', reason: 'IngressLimitReached', message: '1 nodes of web are out' }
const STUCK = {
  name: 'n2',
  state: 'Stuck',
  reason: 'ProgressDeadlineExceeded',
  message: 'of 2 pods on n2 1 are new',
  isUnderWay: true,
}
const paused = (nodes: Scene['nodes'] = [QUEUED]): Scene => ({
  conditions: [
    'Progressing False RolloutPaused 1 of 3 nodes have r2, and the rollout is paused',
    'Ready False RollingOut x',
  ],
  nodes: nodes ?? [],
})

const ENDS: readonly (readonly [title: string, scene: Scene, code: number, first: string, next: string])[] = [
  ['all nodes have the wanted revision', { conditions: DONE }, 0, 'DONE  edge/web: 3 of 3 nodes have revision r2', ''],
  [
    'the partition keeps the rest',
    { conditions: GOING, nodes: [{ ...QUEUED, reason: 'PartitionKept' }] },
    0,
    'and the partition keeps the rest',
    '',
  ],
  [
    'it is paused, and no node is under way',
    paused(),
    3,
    'HELD  edge/web: 1 of 3 nodes have r2',
    'evenkeel rollout resume ingressdaemonset/web -n edge',
  ],
  [
    'it waits after its canary nodes',
    {
      conditions: ['Progressing False CanaryAwaited the canary nodes are done', 'Ready False RollingOut x'],
      nodes: [QUEUED],
    },
    3,
    'HELD  edge/web: the canary nodes are done',
    'evenkeel rollout undo ingressdaemonset/web -n edge',
  ],
  [
    'as many nodes are stuck as stop it',
    { conditions: ['Stalled True NodesStuck 1 nodes are stuck: n2'], nodes: [STUCK] },
    1,
    'STOPPED  edge/web: 1 nodes are stuck: n2',
    'evenkeel rollout skip ingressdaemonset/web --node n2 -n edge',
  ],
  [
    'a node is stuck, and the others wait for it',
    { conditions: GOING, nodes: [STUCK, QUEUED] },
    1,
    'STOPPED  edge/web: a node is stuck: n2',
    'evenkeel rollout retry ingressdaemonset/web -n edge',
  ],
  [
    'the object is refused',
    { conditions: ['Stalled True IngressRefused spec.podsPerNode: must be at least 1; write 1'] },
    1,
    'STOPPED  edge/web: spec.podsPerNode: must be at least 1; write 1',
    '',
  ],
  [
    'the rollback is refused',
    { conditions: ['Stalled True RollbackRefused web has no revision 9'], spec: { rollbackTo: { revision: 9 } } },
    1,
    'STOPPED  edge/web: web has no revision 9',
    'evenkeel rollout history ingressdaemonset/web -n edge',
  ],
  [
    'the object is being deleted',
    { metadata: { finalizers: ['x'], deletionTimestamp: '2026-01-01T00:00:00Z' } },
    1,
    'STOPPED  edge/web: web is being deleted',
    '',
  ],
]

for (const [title, scene, code, first, next] of ENDS) {
  test(`rollout status ends by itself: ${title}`, async () => {
    const scripted = new ScriptedRollout(scene)
    if (scene.metadata?.deletionTimestamp !== undefined) scripted.store('metadata', scene.metadata)
    const ended = await scripted.run('status', 'ids/web')
    assert.equal(ended.code, code, ended.out + ended.err)
    assert.ok(ended.out.includes(first), ended.out)
    assert.ok(ended.out.includes(next), ended.out)
  })
}

const NOT_YET: readonly (readonly [title: string, scene: Scene, says: string])[] = [
  ['a rollout is under way', { conditions: GOING, nodes: [QUEUED] }, '1 of 3 nodes have revision r2'],
  ['it is paused, and a node is being finished', paused([{ name: 'n1', state: 'Updating' }, QUEUED]), 'paused'],
  [
    'the controller has not seen the spec of now',
    { conditions: DONE, observed: 0 },
    'has not seen generation 1 of web yet: it has seen 0',
  ],
  [
    'a rollback is asked for',
    { conditions: DONE, spec: { rollbackTo: { revision: 1 } } },
    'asked to go back to revision 1',
  ],
  [
    'all are updated, and a node is out',
    { conditions: [DONE[0] ?? '', 'Ready False NodesOut 2 of 3 nodes are in service'] },
    '2 of 3 nodes are in service',
  ],
]

for (const [title, scene, says] of NOT_YET) {
  test(`rollout status goes on until its timeout, exit 3: ${title}`, async () => {
    const { code, out } = await new ScriptedRollout(scene).run('status', 'ids/web', '--timeout', '40s')
    assert.equal(code, 3)
    assert.ok(out.includes('HELD  edge/web is not done within --timeout'), out)
    assert.ok(out.replaceAll(/\s+/g, ' ').includes(says), out)
  })
}

test('--watch=false looks once: 0 only where it is done', async () => {
  const codes = [
    { conditions: DONE },
    { conditions: GOING, nodes: [QUEUED] },
    { conditions: ['Stalled True NodesStuck x'] },
  ]
  const ends = await Promise.all(
    codes.map((scene) => new ScriptedRollout(scene).run('status', 'ids', 'web', '--watch=false')),
  )
  assert.deepEqual(
    ends.map(({ code }) => code),
    [0, 3, 1],
  )
  assert.equal(
    ends[1]?.out,
    [
      '  NODE  STATE   FOR  WHY',
      '  n3    Queued    -  1 nodes of web are out',
      'GOING  edge/web: 1 of 3 nodes have revision r2',
      '  state  3 of 3 nodes updated, 3 in service',
      '  next   evenkeel rollout status ingressdaemonset/web -n edge    follow it',
      '',
    ].join('\n'),
  )
})

test('without a terminal it writes a line for each change, and none where nothing changes', async () => {
  const scripted = new ScriptedRollout({ conditions: GOING, nodes: [{ ...STUCK, state: 'Updating' }, QUEUED] })
  scripted.api.time.later(10_000, () =>
    scripted.store('status', { nodes: [{ name: 'n3', state: 'Detaching', message: 'n3 leaves' }] }),
  )
  scripted.api.time.later(20_000, () => {
    scripted.store('status', { nodes: [] })
    scripted.conditions(...DONE)
  })
  const { code, err } = await scripted.run('status', 'ids/web')
  assert.equal(code, 0)
  assert.deepEqual(
    err
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/^\S+ /, '')),
    [
      '-        3 of 3 nodes updated, 3 in service',
      'n2       Updating: of 2 pods on n2 1 are new',
      'n3       Queued: 1 nodes of web are out',
      'n2       InService',
      'n3       Detaching: n3 leaves',
      'n3       InService',
    ],
  )
})

test('a pause of a moment does not end it', async () => {
  const scripted = new ScriptedRollout(paused())
  scripted.api.time.later(3_000, () => scripted.conditions(...GOING))
  scripted.api.time.later(30_000, () => {
    scripted.store('status', { nodes: [] })
    scripted.conditions(...DONE)
  })
  assert.equal((await scripted.run('status', 'ids/web')).code, 0)
})

const UNLED: readonly (readonly [title: string, lease: Scene['lease'], says: RegExp])[] = [
  [
    'no Lease',
    'none',
    /there is no Lease evenkeel\/evenkeel-controller: either no controller runs, or it runs in another namespace, which\s+--controller-namespace names/,
  ],
  ['a Lease without a holder', { holderIdentity: '' }, /has no holder, so no controller runs/],
  [
    'a Lease that is not renewed',
    { holderIdentity: 'us', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' },
    /was not renewed for \d+ s, so no controller seems\s+to\s+run.*waits\s+until\s+one\s+leads.*up\s+to\s+5\s+min/s,
  ],
]

for (const [title, lease, says] of UNLED) {
  test(`a rollout that no controller carries says so, and what to reading at: ${title}`, async () => {
    const scripted = new ScriptedRollout({ observed: 0, ...(lease === undefined ? {} : { lease }) })
    const { code, out, err } = await scripted.run('status', 'ids/web', '--timeout', '1min')
    assert.equal(code, 3)
    assert.match(out.replaceAll(/\s+/g, ' '), says)
    assert.match(err, /held: /)
    assert.ok(out.includes('kubectl -n evenkeel get pods,leases'), out)
  })
}

test('where the controller is in another namespace, its Lease is read there, and the commands that follow say so', async () => {
  const scripted = new ScriptedRollout({ observed: 0, lease: 'none' })
  const words = ['status', 'ids/web', '--timeout', '1min', '--controller-namespace', 'ops']
  const { out } = await scripted.run(...words)
  assert.match(out.replaceAll(/\s+/g, ' '), /there is no Lease ops\/evenkeel-controller: /)
  assert.ok(out.includes('kubectl -n ops get pods,leases'), out)
  assert.match(out, /evenkeel rollout status ingressdaemonset\S*\/web -n edge --controller-namespace ops/)
})

test('an interrupt ends it with 130, and says that the rollout goes on', async () => {
  const scripted = new ScriptedRollout({ conditions: GOING, nodes: [QUEUED] })
  scripted.api.time.later(10_000, () => scripted.context.interrupts.press())
  const { code, out } = await scripted.run('status', 'ids/web')
  assert.equal(code, 130)
  assert.match(out, /INTERRUPTED {2}edge\/web: .*/)
  assert.match(out.replaceAll(/\s+/g, ' '), /The rollout itself goes on/)
})

test('an object that is deleted meanwhile ends it', async () => {
  const scripted = new ScriptedRollout({ conditions: GOING, nodes: [QUEUED] })
  scripted.api.time.later(10_000, () => scripted.remove())
  const { code, out } = await scripted.run('status', 'ids/web')
  assert.deepEqual([code, out.includes('STOPPED  edge/web: web was deleted')], [1, true])
})

test('-o json says in one document how it stands, with commands to go on', async () => {
  const scripted = new ScriptedRollout({
    conditions: ['Stalled True NodesStuck 1 nodes are stuck: n2'],
    nodes: [STUCK],
  })
  const { code, out } = await scripted.run('status', 'ids/web', '-o', 'json', '--context', "it's")
  const { outcome, ended, nodes, next } = JSON.parse(out)
  assert.deepEqual([code, outcome, ended], [1, 'failed', 'settled'])
  assert.deepEqual(nodes, [
    {
      name: 'n2',
      state: 'Stuck',
      reason: 'ProgressDeadlineExceeded',
      message: 'of 2 pods on n2 1 are new',
      since: '2025-12-31T23:58:48.000Z',
    },
  ])
  assert.deepEqual(next.slice(-1), [
    "evenkeel rollout skip ingressdaemonset/web --node n2 -n edge --context 'it'\\''s'",
  ])
})

test('on a terminal the nodes are drawn in place and go again, and the end is what stays', async () => {
  const scripted = new ScriptedRollout({ conditions: GOING, nodes: [{ ...STUCK, state: 'Updating' }], terminal: true })
  scripted.api.time.later(10_000, () => {
    scripted.store('status', { nodes: [] })
    scripted.conditions(...DONE)
  })
  const { code, out, err } = await scripted.run('status', 'ids/web', '--color', 'never')
  assert.equal(code, 0)
  assert.match(err, /rollout web {4}3 of 3 nodes updated, 3 in service {4}0:00/)
  assert.match(err, /n2 +Updating +1:1\d +of 2 pods on n2 1 are new/)
  assert.ok(err.endsWith('\x1b[2A\r\x1b[J\x1b[?25h\x1b[?2026l'), JSON.stringify(err.slice(-60)))
  assert.equal(out, 'DONE  edge/web: 3 of 3 nodes have revision r2\n')
})

test('a node that needs a person is shown with what helps', async () => {
  const { out } = await new ScriptedRollout({ conditions: GOING, nodes: [STUCK] }).run('status', 'ids/web')
  assert.match(out, /n2 +Stuck +1:1\d/)
  assert.match(out, /ProgressDeadlineExceeded: .*look at the pods of the node/)
  assert.doesNotMatch(out, /\x1b/)
})
