import assert from 'node:assert/strict'
import { type SimulationContext, simulationTest } from '../support/simulation-test.ts'
import { IngressGround } from '../support/virtual-ingress/ingress-ground.ts'
import { anIngressManifest } from '../support/virtual-ingress/ingress-manifests.ts'
import { Detacher, type DetacherManner, REQUEST, STAMP } from '../support/virtual-roll/virtual-detacher.ts'

const test = simulationTest(import.meta.url)

type Policy = 'Pause' | 'Proceed' | 'Abort'

const TIMEOUT_S = 60
const ACKNOWLEDGEMENT_GRACE_S = 5

const manifest = (version: string, policy: Policy): object =>
  anIngressManifest(version, {
    updateStrategy: {
      type: 'RollingUpdate',
      rollingUpdate: {
        maxUnavailableNodes: 1,
        annotateNodeToDetach: { key: REQUEST, value: 'true', gracePeriodSeconds: 1 },
        waitForDetachmentByAnnotatedTimestamp: { key: STAMP, gracePeriodSeconds: ACKNOWLEDGEMENT_GRACE_S },
        detachTimeoutSeconds: TIMEOUT_S,
        detachTimeoutPolicy: policy,
        attachGraceSeconds: 8,
      },
    },
  })

const isEverywhere = (ground: IngressGround, version: string): boolean => {
  const lines = ground.podLines()
  return lines.length === 6 && lines.every((line) => line.endsWith(` ${version}`))
}

/** Two pods of v1 on each node, and the balancer sends to all. Later rollouts are up to the detacher. */
async function served(t: SimulationContext, policy: Policy) {
  const ground = await IngressGround.open({ leavesBy: 'detacher' })
  t.after(() => ground.end())
  const detacher = new Detacher(ground, 'prompt')
  ground.begin()
  ground.apply(manifest('v1', policy))
  await ground.until(
    'v1 to serve',
    () => isEverywhere(ground, 'v1') && ground.condition('Ready') === 'True AllInService' && ground.isServed(),
  )
  return { ground, detacher }
}

async function rolledOut(ground: IngressGround, version: string, withinS?: number): Promise<void> {
  await ground.until(
    `every node to have ${version}`,
    () => isEverywhere(ground, version) && ground.condition('Ready') === 'True AllInService',
    withinS,
  )
}

/** What asks nodes to be out, or says that they are, on all Nodes. */
const onNodes = (ground: IngressGround): readonly string[] =>
  ground.cluster.nodes.flatMap((name) => {
    const { annotations = {} } = ground.node(name).metadata
    return [REQUEST, STAMP, 'evenkeel.dev/detach-holders', 'evenkeel.dev/maintenance'].flatMap((key) =>
      annotations[key] === undefined ? [] : [`${name} ${key}`],
    )
  })

for (const manner of ['prompt', 'late', 'ahead'] as const) {
  test(`a rollout behind a detacher that is ${manner} waits for it on each node, and loses no request`, async (t) => {
    const { ground, detacher } = await served(t, manner === 'late' ? 'Pause' : 'Abort')
    detacher.manner = manner
    const lost = ground.traffic()
    ground.apply(manifest('v2', manner === 'late' ? 'Pause' : 'Abort'))
    await rolledOut(ground, 'v2', 900)
    const judge = await lost()
    assert.deepEqual([judge.lost, detacher.early, onNodes(ground)], [[], [], []])
    assert.ok(judge.sent > 1_000, `${judge.sent} requests`)
    assert.equal(
      ground.events().some((event) => event.startsWith('DetachTimedOut')),
      manner === 'late',
    )
  })
}

/** None of them takes a node out of the balancer. */
const SILENT: readonly DetacherManner[] = ['never', 'garbage', 'long ago', 'just before']

for (const manner of SILENT) {
  test(`Pause holds a node whose detacher answers "${manner}", with its old pods, until the detacher works; no request is lost`, async (t) => {
    const { ground, detacher } = await served(t, 'Pause')
    detacher.manner = manner
    if (manner === 'just before') detacher.leaveStamps()
    const lost = ground.traffic()
    ground.apply(manifest('v2', 'Pause'))
    await ground.until('the limit to be told', () => ground.events().some((text) => text.startsWith('DetachTimedOut')))
    await ground.cluster.time.advance(120_000)
    assert.deepEqual([isEverywhere(ground, 'v1'), ground.claimed().length], [true, 1])
    assert.match(JSON.stringify(ground.status().nodes), /look at its detacher and its agent/)
    detacher.manner = 'prompt'
    await rolledOut(ground, 'v2')
    assert.deepEqual([(await lost()).lost, detacher.early, onNodes(ground)], [[], [], []])
  })

  test(`Proceed replaces the pods of a node whose detacher answers "${manner}", after the limit and not before`, async (t) => {
    const { ground, detacher } = await served(t, 'Proceed')
    detacher.manner = manner
    if (manner === 'just before') detacher.leaveStamps()
    ground.apply(manifest('v2', 'Proceed'))
    await ground.until('a node to be claimed', () => ground.claimed().length === 1)
    const claimedAt = ground.cluster.time.wallMs()
    await ground.until('a pod to leave', () => ground.leavingPods().length > 0)
    const waitedMs = ground.cluster.time.wallMs() - claimedAt
    assert.ok(waitedMs >= TIMEOUT_S * 1_000 - 1_000, `after ${waitedMs} ms`)
    await rolledOut(ground, 'v2')
    assert.deepEqual(ground.claimed(), [])
  })

  test(`Abort attaches a node whose detacher answers "${manner}" again, with its old pods, and does not try it over and over`, async (t) => {
    const { ground, detacher } = await served(t, 'Abort')
    detacher.manner = manner
    if (manner === 'just before') detacher.leaveStamps()
    const lost = ground.traffic()
    ground.apply(manifest('v2', 'Abort'))
    await ground.until('a node to be claimed', () => ground.claimed().length === 1)
    await ground.until('it to be attached again', () => ground.claimed().length === 0)
    await ground.cluster.time.advance(10 * TIMEOUT_S * 1_000)
    const requests = onNodes(ground).filter((line) => !line.includes(STAMP))
    assert.deepEqual([requests, isEverywhere(ground, 'v1'), (await lost()).lost], [[], true, []])
    assert.equal(ground.condition('Ready').startsWith('False'), true)
    detacher.manner = 'prompt'
    ground.apply(manifest('v3', 'Abort'))
    await rolledOut(ground, 'v3')
    assert.deepEqual([detacher.early, ground.claimed()], [[], []])
  })
}

test('a timestamp that its detacher leaves on the Node does not answer the next request', async (t) => {
  const { ground, detacher } = await served(t, 'Pause')
  detacher.keepsStamps = true
  detacher.manner = 'slow'
  for (const version of ['v2', 'v3', 'v4']) {
    ground.apply(manifest(version, 'Pause'))
    await rolledOut(ground, version)
  }
  assert.deepEqual([detacher.early, ground.claimed()], [[], []])
})
