import assert from 'node:assert/strict'
import { type SimulationContext, simulationTest } from '../support/simulation-test.ts'
import { annotate, annotationsOf } from '../support/virtual-ingress/by-hand.ts'
import { FullDisk } from '../support/virtual-ingress/full-disk.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest, ingressTemplate } from '../support/virtual-ingress/ingress-manifests.ts'

const test = simulationTest(import.meta.url)

const rollingUpdate = {
  maxUnavailableNodes: 1,
  annotateDeploymentToDetach: { gracePeriodSeconds: 5 },
  attachGraceSeconds: 2,
  detachTimeoutSeconds: 60,
}

const manifest = (version: string): object =>
  anIngressManifest(version, { updateStrategy: { type: 'RollingUpdate', rollingUpdate } })

async function served(t: SimulationContext): Promise<IngressGround> {
  const ground = await IngressGround.open({ nodes: 3 })
  t.after(() => ground.end())
  ground.begin()
  ground.apply(manifest('v1'))
  await allHave(ground, 'v1')
  return ground
}

const allHave = (ground: IngressGround, version: string, withinS = 600): Promise<void> =>
  ground.until(
    `every node to have ${version}`,
    () => {
      const lines = ground.podLines()
      return (
        lines.length === 6 &&
        lines.every((line) => line.endsWith(` ${version}`)) &&
        ground.condition('Ready') === 'True AllInService'
      )
    },
    withinS,
  )

interface Listed {
  readonly name: string
  readonly state: string
  readonly reason?: string
  readonly message?: string
  readonly since?: string
}

const listed = (ground: IngressGround): readonly Listed[] => (ground.status().nodes ?? []) as readonly Listed[]

const opOf = (
  ground: IngressGround,
  node: string,
): { readonly id: string; readonly phase: string; readonly t3?: string } =>
  JSON.parse(annotationsOf(ground, node)['evenkeel.dev/ingress-operation'] ?? '{}')

/** The first node of a rollout has its new pods, and its agent says nothing from the moment on at which it may come back. */
async function silentOnReturn(ground: IngressGround): Promise<string> {
  ground.apply(manifest('v2'))
  const onItsWay = () => ground.cluster.nodes.find((name) => opOf(ground, name).phase === 'Attaching')
  await ground.until('a node on its way back', () => onItsWay() !== undefined)
  const node = onItsWay() ?? ''
  ground.troubleAgent(node, 'silent')
  await ground.until('nothing of the object to keep it out', () => opOf(ground, node).t3 !== undefined)
  return node
}

test('a node whose agent is silent on its way back is stuck after the limit, and in service by itself once its agent answers', async (t) => {
  const ground = await served(t)
  const node = await silentOnReturn(ground)
  await ground.cluster.time.advance(55_000)
  const { state, since } = listed(ground)[0] ?? {}
  assert.deepEqual([state, ground.condition('Stalled')], ['Attaching', 'False NotStalled'])
  assert.ok(Date.parse(since ?? '') <= Date.parse(opOf(ground, node).t3 ?? ''), `since ${since}`)
  await ground.until('it to be stuck', () => ground.condition('Stalled') === 'True NodesStuck', 30)
  const [first] = listed(ground)
  assert.deepEqual([first?.name, first?.state, first?.reason], [node, 'Stuck', 'AgentNotHeard'])
  await ground.cluster.time.advance(600_000)
  assert.deepEqual([opOf(ground, node).phase, ground.status().readyNodes], ['Attaching', 2])
  ground.troubleAgent(node, undefined)
  await allHave(ground, 'v2')
})

test('a node whose agent stays silent is tried again by a request, which counts once, and is left out by a skip', async (t) => {
  const ground = await served(t)
  const node = await silentOnReturn(ground)
  const stuck = () => ground.until('it to be stuck', () => ground.condition('Stalled') === 'True NodesStuck', 90)
  await stuck()
  const { id } = opOf(ground, node)
  annotate(ground, node, { 'evenkeel.dev/ingress-retry': id })
  await ground.until('it to be tried again', () => ground.condition('Stalled') === 'False NotStalled', 10)
  assert.equal(annotationsOf(ground, node)['evenkeel.dev/ingress-retry'], undefined)
  await stuck()
  ground.budget(2)
  annotate(ground, node, { 'evenkeel.dev/ingress-skip': id })
  await ground.until('it not to be counted', () => ground.condition('Stalled') === 'False NotStalled', 10)
  assert.equal(opOf(ground, node).phase, 'Attaching')
})

const isServedBy = (ground: IngressGround, node: string): boolean =>
  ground.podLines().filter((line) => line.startsWith(`${node} `) && !line.endsWith('not ready')).length === 2

const rejectionOf = (ground: IngressGround, node: string): { readonly count: number; readonly at: string } =>
  JSON.parse(annotationsOf(ground, node)['evenkeel.dev/ingress-rejected'] ?? '{}')

test('a node whose disk is full for half an hour gets its pods by itself, and its kubelet is not asked again and again meanwhile', async (t) => {
  const ground = await served(t)
  const disk = new FullDisk(ground, 'n2')
  disk.fill()
  await ground.until('its pods to be rejected', () => rejectionOf(ground, 'n2').count === 1, 60)
  await ground.cluster.time.advance(1_860_000)
  // After ten minutes, and after twenty more.
  assert.equal(rejectionOf(ground, 'n2').count, 3)
  assert.ok(disk.rejected < 100, `${disk.rejected} pods were rejected`)
  disk.empty()
  await ground.until('its pods', () => isServedBy(ground, 'n2'), 2_460)
  await ground.until('the note to be gone', () => rejectionOf(ground, 'n2').count === undefined, 60)
  assert.equal(ground.condition('Stalled'), 'False NotStalled')
})

test('a person who retries a node whose pods were rejected has it tried at once', async (t) => {
  const ground = await served(t)
  const disk = new FullDisk(ground, 'n2')
  disk.fill()
  await ground.until('its pods to be rejected', () => rejectionOf(ground, 'n2').count === 1, 60)
  disk.empty()
  await ground.cluster.time.advance(5_000)
  const { 'evenkeel.dev/template-hash': revision = '' } = annotationsOf(ground, 'n2')
  annotate(ground, 'n2', { 'evenkeel.dev/ingress-rejected': revision })
  await ground.until('its pods', () => isServedBy(ground, 'n2'), 30)
})

test('a rollout whose node rejects its new pods goes on by itself once the node takes them', async (t) => {
  const ground = await served(t)
  const disk = new FullDisk(ground, 'n2', 'v2')
  disk.fill()
  ground.apply(manifest('v2'))
  await ground.until('its pods to be rejected', () => rejectionOf(ground, 'n2').count === 1, 120)
  disk.empty()
  await allHave(ground, 'v2', 900)
})

for (const [title, how] of [
  ['that goes down for a reboot', 'shutDown'],
  ['whose disk is full', 'fill'],
] as const)
  test(`a drained node ${title} has its pods again after the uncordon, and its kubelet is not asked again and again meanwhile`, async (t) => {
    const ground = await served(t)
    const kubelet = new FullDisk(ground, 'n2')
    ground.cordon('n2', true)
    const [first] = ground.pods().filter(({ spec }) => spec.nodeName === 'n2')
    assert.ok(first !== undefined)
    await ground.until('its gate to open', () => ground.evict(first) === 'evicted', 60)
    kubelet[how]()
    await ground.cluster.time.advance(10_000)
    const { rejected } = kubelet
    await ground.cluster.time.advance(80_000)
    assert.equal(kubelet.rejected, rejected)
    kubelet.empty()
    ground.cordon('n2', false)
    await ground.until('its pods', () => isServedBy(ground, 'n2'), 60)
    assert.equal(rejectionOf(ground, 'n2').count, undefined)
    await ground.until('it to be in service', () => ground.condition('Ready') === 'True AllInService', 60)
  })

for (const revision of ['', 'not the name of a revision'])
  test(`others wrote "${revision}" as the revision of a Deployment, and its operation cannot be read: the node is updated like any other`, async (t) => {
    const ground = await served(t)
    const [node = ''] = ground.cluster.nodes
    annotate(ground, node, {
      'evenkeel.dev/template-hash': revision,
      'evenkeel.dev/ingress-operation': '{"version":1,"id"',
    })
    await ground.until(
      'its revision to be known',
      () => annotationsOf(ground, node)['evenkeel.dev/template-hash'] !== revision,
    )
    await allHave(ground, 'v1')
  })

test('a node whose image cannot be pulled says so, with the word of its kubelet', async (t) => {
  const ground = await served(t)
  ground.cluster.machines.images.lose('registry.test/none:1')
  const { metadata, spec } = ingressTemplate('v2')
  const containers = spec.containers.map((one) => ({
    ...one,
    image: 'registry.test/none:1',
    imagePullPolicy: 'Always',
  }))
  const template = { metadata, spec: { ...spec, containers } }
  const strategy = { type: 'RollingUpdate', rollingUpdate }
  ground.apply(anIngressManifest('v2', { updateStrategy: strategy, progressDeadlineSeconds: 60, template }))
  await ground.until('a node to be stuck', () => listed(ground)[0]?.reason === 'ProgressDeadlineExceeded', 300)
  assert.match(listed(ground)[0]?.message ?? '', /\(web-\S+: (Err)?Image\w+: .*registry\.test\/none:1/)
})
