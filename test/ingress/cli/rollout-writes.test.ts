import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Json, type Scene, ScriptedRollout } from './scripted-rollout.ts'

const STUCK = { name: 'n2', state: 'Stuck', isUnderWay: true }
const CANARY = { updateStrategy: { rollingUpdate: { canary: { nodeSelector: { canary: 'yes' } } } } }
const REJECTED_AT = '2026-01-01T00:00:00Z'
const AWAITS = ['Progressing False CanaryAwaited the canary nodes are done']

type Row = readonly [title: string, scene: Scene, words: string, says: string, spec: Json]

const OBJECT: readonly Row[] = [
  ['pause', {}, 'pause ids/web', 'web is paused: no further node begins an update', { paused: true }],
  [
    'pause of what is paused',
    { spec: { paused: true } },
    'pause ids/web',
    'nothing to do: the rollout of web is paused already',
    { paused: true },
  ],
  ['resume', { spec: { paused: true } }, 'resume ids/web', 'web is not paused any more', { paused: false }],
  ['resume of what is not paused', {}, 'resume ids/web', 'nothing to do: the rollout of web is not paused', {}],
  [
    'a pause ends first',
    { spec: { ...CANARY, paused: true }, conditions: AWAITS },
    'resume ids/web',
    'web is not paused any more',
    { paused: false },
  ],
  ['undo', {}, 'undo ids/web', 'web is to go back to revision 1', { rollbackTo: { revision: 1 } }],
  [
    'undo to a revision',
    {},
    'undo ids/web --to-revision 1',
    'web is to go back to revision 1',
    { rollbackTo: { revision: 1 } },
  ],
  [
    'undo to the template of now',
    {},
    'undo ids/web --to-revision 2',
    'nothing to do: the template of web is that of revision 2 already',
    {},
  ],
  [
    'undo that was asked for',
    { spec: { rollbackTo: { revision: 1 } } },
    'undo ids/web',
    'nothing to do: web is asked to go back to revision 1 already',
    { rollbackTo: { revision: 1 } },
  ],
  ['a dry run', {}, 'undo ids/web --dry-run', 'DRY RUN  edge/web: web is to go back to revision 1', {}],
]

for (const [title, scene, words, says, spec] of OBJECT) {
  test(`rollout writes one field, and says what it did, exit 0: ${title}`, async () => {
    const scripted = new ScriptedRollout(scene)
    const before = scripted.object.metadata
    const { code, out, err } = await scripted.run(...words.split(' '))
    assert.equal(code, 0, err)
    assert.ok(out.replaceAll(/\s+/g, ' ').includes(says.replaceAll(/\s+/g, ' ')), out)
    const { paused, rollbackTo } = scripted.object.spec
    assert.deepEqual(JSON.parse(JSON.stringify({ paused, rollbackTo })), spec)
    const isWritten = scripted.object.metadata.resourceVersion !== before.resourceVersion
    assert.equal(isWritten, !out.includes('nothing to do') && !out.includes('DRY RUN'))
  })
}

test('resume lets the rollout go on after its canary nodes, with the revision that waits and no other', async () => {
  const scripted = new ScriptedRollout({ spec: CANARY, conditions: AWAITS })
  const { code, out } = await scripted.run('resume', 'ids/web')
  assert.deepEqual([code, /beyond its\s+canary\s+nodes/.test(out)], [0, true], out)
  const annotations = scripted.object.metadata.annotations as Json
  assert.equal(annotations['evenkeel.dev/promoted-revision'], scripted.object.status.updateRevision)
})

test('resume does not guess which revision waits while the controller has not seen the spec of now', async () => {
  const scripted = new ScriptedRollout({ spec: CANARY, conditions: AWAITS, observed: 0 })
  const { code, err } = await scripted.run('resume', 'ids/web')
  assert.deepEqual([code, scripted.object.metadata.annotations], [2, undefined], err)
  assert.match(err, /has not seen generation 1 of web yet/)
})

const STUCK_NODES: Scene = { nodes: [STUCK, { name: 'n1', state: 'Queued' }, { name: 'n3' }] }

const NODES: readonly (readonly [title: string, words: string, says: string, annotations: Json])[] = [
  ['retry of each that is stuck', 'retry ids/web', 'n2 is to be tried again', { retry: 'op-n2' }],
  ['retry of one', 'retry ids/web --node n2', 'n2 is to be tried again', { retry: 'op-n2' }],
  ['retry of a node that waits', 'retry ids/web --node n1', 'nothing to do: n1 is not stuck: it is Queued', {}],
  ['retry of a node in service', 'retry ids/web --node n3', 'nothing to do: n3 is not stuck: it is InService', {}],
  ['skip', 'skip ids/web --node n2', 'n2 is skipped: it does not stop the rollout any more', { skip: 'op-n2' }],
]

for (const [title, words, says, wanted] of NODES) {
  test(`rollout writes to the Deployment of a node that is stuck: ${title}`, async () => {
    const scripted = new ScriptedRollout(STUCK_NODES)
    const { code, out, err } = await scripted.run(...words.split(' '))
    assert.equal(code, 0, err)
    assert.ok(out.replaceAll(/\s+/g, ' ').includes(says), out)
    const { 'evenkeel.dev/ingress-retry': retry, 'evenkeel.dev/ingress-skip': skip } = scripted.deploymentOf('n2')
    assert.deepEqual(JSON.parse(JSON.stringify({ retry, skip })), wanted)
    assert.equal(scripted.deploymentOf('n1')['evenkeel.dev/ingress-retry'], undefined)
  })
}

test('a skip is not undone by a request to retry that was met before, and asked twice it does nothing', async () => {
  const scripted = new ScriptedRollout({
    nodes: [{ ...STUCK, annotations: { 'evenkeel.dev/ingress-retry': 'op-before' } }],
  })
  await scripted.run('skip', 'ids/web', '--node', 'n2')
  const { 'evenkeel.dev/ingress-retry': retry, 'evenkeel.dev/ingress-skip': skip } = scripted.deploymentOf('n2')
  assert.deepEqual([retry, skip], [undefined, 'op-n2'])
  const { code, out } = await scripted.run('skip', 'ids/web', '--node', 'n2')
  assert.deepEqual([code, out], [0, 'edge/web: nothing to do: n2: skipped already\n'])
})

test('a node whose pods were rejected, and that nothing is under way on, is due to be tried again, and asked twice it does nothing', async () => {
  const note = JSON.stringify({ version: 1, revision: 'r7', count: 4, at: '2026-01-01T00:00:00Z' })
  const annotations = { 'evenkeel.dev/ingress-rejected': note, 'evenkeel.dev/template-hash': 'r7' }
  const scripted = new ScriptedRollout({ nodes: [{ name: 'n2', state: 'Stuck', annotations }] })
  assert.equal((await scripted.run('retry', 'ids/web')).code, 0)
  assert.equal(scripted.deploymentOf('n2')['evenkeel.dev/ingress-rejected'], 'r7')
  const { code, out } = await scripted.run('retry', 'ids/web')
  assert.deepEqual([code, out], [0, 'edge/web: nothing to do: n2: asked to be tried again already\n'])
})

test('a node whose detach was given up is tried again by its revision', async () => {
  const scripted = new ScriptedRollout()
  const { updateRevision } = scripted.object.status
  const annotations = { 'evenkeel.dev/ingress-gave-up': String(updateRevision), 'evenkeel.dev/template-hash': 'before' }
  const again = new ScriptedRollout({ nodes: [{ name: 'n2', state: 'Stuck', annotations }] })
  assert.equal((await again.run('retry', 'ids/web')).code, 0)
  assert.equal(again.deploymentOf('n2')['evenkeel.dev/ingress-retry'], updateRevision)
})

const REFUSED: readonly (readonly [title: string, scene: Scene, words: string, says: string])[] = [
  ['no kind', {}, 'status web', '"web" has no kind (rollout.usage)'],
  ['no name', {}, 'status ids', 'the name of the ids is missing'],
  ['another kind', {}, 'undo deployment/web', '"deployment" is no IngressDaemonSet'],
  ['another group', {}, 'undo ids.example.com/web', '"ids.example.com" is no IngressDaemonSet'],
  ['two names', {}, 'pause ids web edge', '"web/edge" is not the name of one object'],
  ['a name that none can have', {}, 'pause ids/We_b', '"We_b" is not the name of one object'],
  ['no such object', {}, 'status ids/other', 'namespace edge has no IngressDaemonSet other (rollout.not-found)'],
  [
    'none in that group',
    {},
    'status ids.ingressdaemonsets.mumoshu.github.io/web',
    'namespace edge has no IngressDaemonSet web',
  ],
  ['none in that namespace', {}, 'status ids/web -n evenkeel', 'namespace evenkeel has no IngressDaemonSet web'],
  ['no such revision', {}, 'undo ids/web --to-revision 7', 'web has no revision 7: it has revisions 1 and 2'],
  ['no such revision to show', {}, 'history ids/web --revision 7', 'web has no revision 7: it has revisions 1 and 2'],
  ['no such node', STUCK_NODES, 'skip ids/web --node n9', 'web has no pods on a node n9'],
  ['no node to skip', {}, 'skip ids/web', "required option '--node <name>' not specified"],
  ['no duration', {}, 'status ids/web --timeout 30', '"30" has no unit'],
]

for (const [title, scene, words, says] of REFUSED) {
  test(`wrong input ends with 2, a clear word and nothing written: ${title}`, async () => {
    const scripted = new ScriptedRollout(scene)
    const before = scripted.object.metadata.resourceVersion
    const { code, err, out } = await scripted.run(...words.split(' '))
    assert.deepEqual([code, out], [2, ''])
    assert.ok(err.includes(says), err)
    assert.equal(scripted.object.metadata.resourceVersion, before)
  })
}

test('an object of both groups has to be named with its group', async () => {
  const scripted = new ScriptedRollout()
  scripted.alsoInFirstGroup()
  const { code, err } = await scripted.run('pause', 'ids/web')
  assert.equal(code, 2)
  assert.match(err, /has an IngressDaemonSet web in each of two groups \(rollout\.ambiguous\)/)
  assert.match(
    err,
    /ingressdaemonset\.evenkeel\.dev\/web or ingressdaemonset\.ingressdaemonsets\.mumoshu\.github\.io\/web/,
  )
  const ours = await scripted.run('pause', 'ingressdaemonset.evenkeel.dev/web')
  assert.deepEqual([ours.code, scripted.object.spec.paused], [0, true])
  const first = await scripted.run('pause', 'ingressdaemonset.v1alpha1.ingressdaemonsets.mumoshu.github.io', 'web')
  assert.equal(first.code, 0)
  assert.ok(
    first.out
      .replaceAll(/\s+/g, ' ')
      .includes('rollout resume ingressdaemonset.ingressdaemonsets.mumoshu.github.io/web -n edge'),
    first.out,
  )
})

test('a spec that changes between reading and writing is read anew', async () => {
  const scripted = new ScriptedRollout()
  const { generation } = scripted.object.metadata
  // Between the reads, which take 3 ms each, and the write.
  scripted.api.time.later(8, () => scripted.store('metadata', { generation: Number(generation) + 1 }))
  const { code } = await scripted.run('pause', 'ids/web')
  assert.deepEqual([code, scripted.object.spec.paused], [0, true])
  assert.ok(scripted.api.methods.filter((method) => method === 'PATCH').length === 2, scripted.api.methods.join(' '))
})

test('history lists the revisions with the nodes that have each, and one of them as YAML', async () => {
  const scripted = new ScriptedRollout({ nodes: [{ name: 'n1' }, { name: 'n2' }] })
  const { code, out } = await scripted.run('history', 'ids/web')
  assert.equal(code, 0)
  assert.deepEqual(
    out
      .trimEnd()
      .split('\n')
      .map((line) =>
        line
          .trim()
          .replaceAll(/web-[a-z2-7]{10}/g, 'web-HASH')
          .replaceAll(/\d+ m?s /g, 'AGE ')
          .replaceAll(/ +/g, ' '),
      ),
    [
      'REVISION NAME AGE NODES IMAGES',
      '1 web-HASH AGE 0 registry.example/proxy:v1 the last that all nodes had',
      '2 web-HASH AGE 2 registry.example/proxy:v2 wanted',
    ],
  )
  const one = await scripted.run('history', 'ids/web', '--revision', '1')
  assert.equal(
    one.out,
    'metadata:\n  labels:\n    app: web\nspec:\n  containers:\n    - name: proxy\n      image: registry.example/proxy:v1\n',
  )
  const { revisions } = JSON.parse((await scripted.run('history', 'ids/web', '-o', 'json')).out)
  assert.deepEqual(
    revisions.map(({ revision, nodes, isWanted }: Json) => [revision, nodes, isWanted]),
    [
      [1, 0, false],
      [2, 2, true],
    ],
  )
})

test('-o json says what was written, also of a dry run, and what is wrong', async () => {
  const scripted = new ScriptedRollout()
  const dry = JSON.parse((await scripted.run('undo', 'ids/web', '--dry-run', '-o', 'json')).out)
  assert.deepEqual(
    [dry.changed, dry.dryRun, dry.writes[0].patch.at(-1)],
    [false, true, { op: 'add', path: '/spec/rollbackTo', value: { revision: 1 } }],
  )
  const wrong = JSON.parse((await scripted.run('status', 'ids/other', '-o', 'json')).out)
  assert.equal(wrong.error.code, 'rollout.not-found')
})

test('the command that follows a write names the namespace of the controller, where it was given', async () => {
  for (const [words, follows] of [
    ['undo ids/web', 'status'],
    ['pause ids/web', 'resume'],
  ] as const) {
    const { code, out } = await new ScriptedRollout({}).run(...words.split(' '), '--controller-namespace', 'ops')
    assert.equal(code, 0)
    assert.match(out, new RegExp(`evenkeel rollout ${follows} \\S+/web -n edge --controller-namespace ops`))
    const without = await new ScriptedRollout({}).run(...words.split(' '))
    assert.ok(!without.out.includes('--controller-namespace'), without.out)
  }
})

test('where no node is stuck, a retry has the template tried once more that an automatic rollback left, and asked twice it does nothing', async () => {
  const scripted = new ScriptedRollout()
  const { updateRevision } = scripted.object.status
  scripted.store('status', { rejectedRevision: updateRevision, rejectedAt: REJECTED_AT })
  const ofNode = await scripted.run('retry', 'ids/web', '--node', 'n1')
  assert.match(ofNode.err, /has no pods on a node n1/)
  const { code, out } = await scripted.run('retry', 'ids/web')
  assert.equal(code, 0)
  assert.match(out.replaceAll(/\s+/g, ' '), /edge\/web: web is rolled out once more with the template that failed/)
  const { annotations } = scripted.object.metadata
  assert.deepEqual(annotations, { 'evenkeel.dev/ingress-retry': REJECTED_AT })
  assert.match((await scripted.run('retry', 'ids/web')).out, /nothing to do: no node of web is stuck\n$/)
})

test('a retry has the template tried once more also while nodes are stuck, and leaves a node that is skipped as it is', async () => {
  const skipped = { ...STUCK, annotations: { 'evenkeel.dev/ingress-skip': 'op-n2' } }
  const scripted = new ScriptedRollout({ nodes: [skipped] })
  const alone = await scripted.run('retry', 'ids/web')
  assert.match(
    alone.out.replaceAll(/\s+/g, ' '),
    /nothing to do: the nodes of web that are stuck are skipped: n2; --node tries/,
  )
  const { updateRevision } = scripted.object.status
  scripted.store('status', { rejectedRevision: updateRevision, rejectedAt: REJECTED_AT })
  const { code, out } = await scripted.run('retry', 'ids/web')
  assert.deepEqual([code, /web is rolled out once more/.test(out), /n2/.test(out)], [0, true, false], out)
  assert.equal(scripted.deploymentOf('n2')['evenkeel.dev/ingress-retry'], undefined)
  const named = await scripted.run('retry', 'ids/web', '--node', 'n2')
  assert.equal(named.code, 0)
  assert.equal(scripted.deploymentOf('n2')['evenkeel.dev/ingress-retry'], 'op-n2')
})

test('resume after the canary nodes of a template that was rejected before names when that was', async () => {
  const scripted = new ScriptedRollout({ spec: CANARY, conditions: AWAITS })
  const { updateRevision } = scripted.object.status
  scripted.store('status', { rejectedRevision: updateRevision, rejectedAt: REJECTED_AT })
  assert.equal((await scripted.run('resume', 'ids/web')).code, 0)
  const { 'evenkeel.dev/promoted-revision': promoted } = scripted.object.metadata.annotations as Json
  assert.equal(promoted, `${updateRevision}@${REJECTED_AT}`)
})
