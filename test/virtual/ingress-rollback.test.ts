import assert from 'node:assert/strict'
import { CONTROLLER_REVISIONS, INGRESS_DAEMON_SETS } from '../../src/sim/world/api-resource.ts'
import { type SimulationContext, simulationTest } from '../support/simulation-test.ts'
import { FullDisk } from '../support/virtual-ingress/full-disk.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest, type Json } from '../support/virtual-ingress/ingress-manifests.ts'
import { RolloutWitness } from '../support/virtual-ingress/rollout-witness.ts'

const test = simulationTest(import.meta.url)

async function aGround(t: SimulationContext): Promise<IngressGround> {
  const ground = await IngressGround.open({ nodes: 3 })
  t.after(() => ground.end())
  return ground
}

/** As `kubectl patch --type=merge` writes one field of the spec. */
function patchSpec(ground: IngressGround, change: Json): void {
  const found = ground.cluster.world.store.get(INGRESS_DAEMON_SETS, { namespace: 'default', name: 'web' })
  assert.ok(found !== undefined)
  const { generation = 1 } = found.metadata
  ground.cluster.world.store.put(INGRESS_DAEMON_SETS, {
    ...found,
    metadata: { ...found.metadata, generation: generation + 1 },
    spec: { ...(found.spec as Json), ...change },
  })
}

const rollBackTo = (ground: IngressGround, revision: number): void => patchSpec(ground, { rollbackTo: { revision } })

const specOf = (ground: IngressGround): Json => (ground.object()?.spec ?? {}) as Json

const numbers = (ground: IngressGround): readonly number[] =>
  [...ground.cluster.world.store.all(CONTROLLER_REVISIONS)]
    .map(({ revision }) => Number(revision))
    .toSorted((a, b) => a - b)

async function rolledOut(ground: IngressGround, version: string): Promise<void> {
  await ground.until(`every node to have ${version}`, () => {
    const lines = ground.podLines()
    const isAll = lines.length === 6 && lines.every((line) => line.endsWith(` ${version}`))
    return isAll && ground.condition('Ready') === 'True AllInService'
  })
}

/** Of the versions in turn, the first one as revision 1. */
async function withHistory(ground: IngressGround, versions: readonly string[], spec: Json = {}): Promise<void> {
  for (const version of versions) {
    ground.apply(anIngressManifest(version, spec))
    await rolledOut(ground, version)
  }
}

test('one field brings an earlier template back: it is rolled out one node after the other, under the highest number', async (t) => {
  const ground = await aGround(t)
  const { loop } = ground.begin()
  await withHistory(ground, ['v1', 'v2', 'v3'])
  assert.deepEqual(numbers(ground), [1, 2, 3])
  const seen = new RolloutWitness(ground, 5_000)
  rollBackTo(ground, 1)
  await ground.until('the template to be that of v1', () => specOf(ground).rollbackTo === undefined)
  assert.ok(JSON.stringify(specOf(ground).template).includes('"v1"'))
  await rolledOut(ground, 'v1')
  assert.deepEqual([seen.mostClaimed, seen.early, loop.status().trouble], [1, [], undefined])
  assert.deepEqual(numbers(ground), [2, 3, 4])
  rollBackTo(ground, 3)
  await rolledOut(ground, 'v3')
  assert.deepEqual(numbers(ground), [2, 4, 5])
})

test('a revision that is not there changes nothing, and the status names those that are', async (t) => {
  const ground = await aGround(t)
  ground.begin()
  await withHistory(ground, ['v1', 'v2'])
  const before = JSON.stringify(specOf(ground).template)
  rollBackTo(ground, 7)
  await ground.until('it to be refused', () => ground.condition('Stalled') === 'True RollbackRefused')
  assert.match(JSON.stringify(ground.status().conditions), /web has no revision 7: it has revisions 1 and 2/)
  assert.equal(ground.condition('Ready'), 'False RollbackRefused')
  assert.equal(JSON.stringify(specOf(ground).template), before)
  assert.ok(ground.events().some((event) => event.startsWith('RollbackRefused: web has no revision 7')))
  rollBackTo(ground, 1)
  await rolledOut(ground, 'v1')
  assert.equal(ground.condition('Stalled'), 'False NotStalled')
})

test('revisions beyond the limit are gone, and cannot be gone back to', async (t) => {
  const ground = await aGround(t)
  ground.begin()
  await withHistory(ground, ['v1', 'v2', 'v3', 'v4'], { revisionHistoryLimit: 1 })
  await ground.until('the oldest revisions to be gone', () => numbers(ground).length === 2)
  assert.deepEqual(numbers(ground), [3, 4])
  rollBackTo(ground, 1)
  await ground.until('it to be refused', () => ground.condition('Stalled') === 'True RollbackRefused')
  assert.deepEqual(numbers(ground), [3, 4])
})

test('in a paused rollout the template is set, and nodes get it once the rollout goes on', async (t) => {
  const ground = await aGround(t)
  ground.begin()
  await withHistory(ground, ['v1', 'v2'])
  patchSpec(ground, { paused: true, rollbackTo: { revision: 1 } })
  await ground.until('the template to be that of v1', () => specOf(ground).rollbackTo === undefined)
  await ground.cluster.time.advance(60_000)
  assert.ok(ground.podLines().every((line) => line.endsWith(' v2')))
  assert.equal(ground.condition('Progressing'), 'False RolloutPaused')
  patchSpec(ground, { paused: false })
  await rolledOut(ground, 'v1')
})

/** A template whose pods never become ready. */
const broken = (): Json => {
  const { spec } = anIngressManifest('v2', { progressDeadlineSeconds: 60 }) as { readonly spec: Json }
  const text = JSON.stringify(spec.template).replace(
    '{"name":"STOP"',
    '{"name":"START_DELAY","value":"1h"},{"name":"STOP"',
  )
  return { template: JSON.parse(text), progressDeadlineSeconds: 60 }
}

for (const autoRollback of [false, true]) {
  test(`a rollback ends a rollout that is stuck, the stuck node first${autoRollback ? ', also where it went back by itself' : ''}`, async (t) => {
    const ground = await aGround(t)
    ground.begin()
    const { spec } = anIngressManifest('v1') as {
      readonly spec: { readonly updateStrategy: { readonly rollingUpdate: Json } }
    }
    const updateStrategy = { rollingUpdate: { ...spec.updateStrategy.rollingUpdate, autoRollback } }
    await withHistory(ground, ['v0', 'v1'], { updateStrategy, progressDeadlineSeconds: 60 })
    const seen = new RolloutWitness(ground, 5_000)
    patchSpec(ground, broken())
    if (autoRollback)
      await ground.until('it to go back by itself', () => ground.status().rejectedRevision !== undefined)
    else await ground.until('it to be stuck', () => ground.condition('Stalled') === 'True NodesStuck')
    const [stuck = 'none'] = ground.claimed()
    rollBackTo(ground, 1)
    const ofFirst = (): readonly string[] => ground.podLines().filter((line) => line.includes(' v0'))
    await ground.until('the first pods of v0', () => ofFirst().length > 0)
    assert.ok(
      ofFirst().every((line) => line.startsWith(stuck)),
      `${stuck} was stuck: ${ofFirst().join()}`,
    )
    await rolledOut(ground, 'v0')
    assert.deepEqual([seen.mostClaimed, seen.early, ground.claimed()], [1, [], []])
    rollBackTo(ground, 3)
    if (autoRollback) {
      await ground.until('it to be refused', () => ground.condition('Stalled') === 'True RollbackRefused')
      assert.match(JSON.stringify(ground.status().conditions), /revision 3 of web failed before/)
    } else await ground.until('it to be tried again', () => ground.condition('Stalled') === 'True NodesStuck')
  })
}

for (const [title, lift] of [
  ['for the wish of a person', (ground: IngressGround) => wishRetry(ground)],
  [
    'applied anew after another one',
    async (ground: IngressGround) => {
      patchSpec(ground, templateOf('v1'))
      await rolledOut(ground, 'v1')
      patchSpec(ground, templateOf('v2'))
    },
  ],
] as const)
  test(`a template that went back by itself is a failure until it is tried once more, ${title}`, async (t) => {
    const ground = await aGround(t)
    ground.begin()
    const { spec } = anIngressManifest('v1') as {
      readonly spec: { readonly updateStrategy: { readonly rollingUpdate: Json } }
    }
    const updateStrategy = { rollingUpdate: { ...spec.updateStrategy.rollingUpdate, autoRollback: true } }
    await withHistory(ground, ['v1'], { updateStrategy, progressDeadlineSeconds: 60 })
    const disk = new FullDisk(ground, 'n2', 'v2')
    disk.fill()
    patchSpec(ground, templateOf('v2'))
    const isBack = () =>
      ground.condition('Progressing') === 'False RolledBack' && ground.podLines().every((line) => line.endsWith(' v1'))
    await ground.until('it to go back by itself', isBack)
    await ground.cluster.time.advance(60_000)
    assert.deepEqual(
      ['Ready', 'Stalled'].map((type) => ground.condition(type)),
      ['False RolledBack', 'True RolledBack'],
    )
    disk.empty()
    await lift(ground)
    await rolledOut(ground, 'v2')
    assert.equal(ground.status().rejectedRevision, undefined)
  })

test('a template that went back by itself waits after its canary nodes again when it is tried once more', async (t) => {
  const ground = await aGround(t)
  ground.begin()
  const { spec } = anIngressManifest('v1') as {
    readonly spec: { readonly updateStrategy: { readonly rollingUpdate: Json } }
  }
  const canary = { nodeSelector: { 'kubernetes.io/hostname': 'n1' } }
  const updateStrategy = { rollingUpdate: { ...spec.updateStrategy.rollingUpdate, autoRollback: true, canary } }
  await withHistory(ground, ['v1'], { updateStrategy, progressDeadlineSeconds: 60 })
  const disk = new FullDisk(ground, 'n2', 'v2')
  disk.fill()
  patchSpec(ground, templateOf('v2'))
  const onlyCanary = () =>
    ground.condition('Progressing') === 'False CanaryAwaited' &&
    ground.podLines().every((line) => line.endsWith(line.startsWith('n1') ? ' v2' : ' v1'))
  await ground.until('its canary node', onlyCanary)
  const revision = String(ground.status().updateRevision)
  annotateObject(ground, { 'evenkeel.dev/promoted-revision': revision })
  await ground.until('it to go back by itself', () => ground.condition('Progressing') === 'False RolledBack')
  disk.empty()
  wishRetry(ground)
  await ground.until('its canary node once more', onlyCanary)
  await ground.cluster.time.advance(60_000)
  assert.ok(onlyCanary())
  annotateObject(ground, { 'evenkeel.dev/promoted-revision': `${revision}@${ground.status().rejectedAt}` })
  await rolledOut(ground, 'v2')
})

const templateOf = (version: string): Json => ({
  template: (anIngressManifest(version) as { readonly spec: Json }).spec.template,
})

const wishRetry = (ground: IngressGround): void =>
  annotateObject(ground, { 'evenkeel.dev/ingress-retry': String(ground.status().rejectedAt) })

function annotateObject(ground: IngressGround, added: Readonly<Record<string, string>>): void {
  const object = ground.cluster.world.store.get(INGRESS_DAEMON_SETS, { namespace: 'default', name: 'web' })
  assert.ok(object !== undefined)
  const annotations = { ...object.metadata.annotations, ...added }
  ground.cluster.world.store.put(INGRESS_DAEMON_SETS, { ...object, metadata: { ...object.metadata, annotations } })
}
