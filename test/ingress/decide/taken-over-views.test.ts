import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Node } from '../../../src/ground/model/node.ts'
import type { FoundDeployment } from '../../../src/ground/model/owned/found-workload.ts'
import type { OwnedObject } from '../../../src/ground/model/owned-object.ts'
import type { SeenSlot } from '../../../src/ground/model/slot.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideObject } from '../../../src/ingress/decide/decide-object.ts'
import { wantedDeployment } from '../../../src/ingress/decide/deployment.ts'
import { wantedGate } from '../../../src/ingress/decide/drain-gate.ts'
import type { IngressFound, IngressPod } from '../../../src/ingress/decide/found.ts'
import { identityFor } from '../../../src/ingress/decide/names.ts'
import { formatOp, OP_ANNOTATION } from '../../../src/ingress/decide/op.ts'
import { ingressReading } from '../../../src/ingress/decide/reading.ts'
import { templateHash, wantedRevision } from '../../../src/ingress/decide/revision.ts'
import type { IngressNode } from '../../../src/ingress/decide/snapshot.ts'
import { ingressStatus } from '../../../src/ingress/decide/status.ts'
import type { IngressDaemonSet } from '../../../src/ingress/model/ingress-daemon-set.ts'
import type { BudgetReading } from '../../../src/service/decide/budget/budget-reading.ts'
import { anIngress, podsWith } from '../../support/ingress-objects.ts'
import { aClusterNode, anOp, aSlot, NOW } from '../../support/ingress-world.ts'
import { served } from '../../support/served-object.ts'

const NAMES = ['n1', 'n2', 'n3', 'n4']
const HOLDER = 'controller/lease/front'

interface World {
  readonly object: IngressDaemonSet
  readonly nodes: readonly Node[]
  readonly deployments: readonly FoundDeployment[]
  readonly gates: readonly OwnedObject[]
  readonly revisions: readonly OwnedObject[]
  readonly pods: Readonly<Record<string, readonly IngressPod[]>>
  readonly slots: readonly SeenSlot[]
  readonly agents: Readonly<Record<string, NonNullable<IngressNode['agent']>>>
  readonly acknowledged: Readonly<Record<string, number>>
  readonly status: Readonly<Record<string, unknown>>
  readonly cordons: BudgetReading['cordons']
  readonly now: number
}

function asItShouldBe(): World {
  const object = anIngress({}, { finalizers: ['evenkeel.dev/detached-nodes'] })
  const nodes = NAMES.map((name) => aClusterNode(name))
  const hash = templateHash(object.spec)
  const counts = { replicas: 2, updated: 2, ready: 2, available: 2, isObserved: true }
  const identities = nodes.map((node) => identityFor(object, node))
  const orders = identities.map((identity) => ({ identity, revision: { number: 1, hash }, replicas: 2 }))
  return {
    ...{ object, nodes, slots: [], agents: {}, acknowledged: {}, status: {}, cordons: 'noBrake', now: NOW },
    deployments: orders.map((order) => ({ ...served('Deployment', wantedDeployment(object, order)), ...counts })),
    gates: identities.map((identity) => served('PodDisruptionBudget', wantedGate(object, identity, 'closed'))),
    revisions: [served('ControllerRevision', wantedRevision(object, { number: 1, collisionCount: 0 }))],
    pods: Object.fromEntries(NAMES.map((name) => [name, [aPod(name, 'a', hash), aPod(name, 'b', hash)]])),
  }
}

const aPod = (node: string, name: string, revision: string, change: Partial<IngressPod> = {}): IngressPod => ({
  ...{
    namespace: 'edge',
    name,
    uid: `uid-${node}-${name}`,
    resourceVersion: '1',
    ingress: '',
    ingressUid: '',
    nodeLabel: node,
  },
  ...{
    revision,
    isFailed: false,
    isShutDown: false,
    isRunning: true,
    isFinished: false,
    createdAt: wallMs(NOW - 60_000),
  },
  ...change,
})

/** The same function for the same pods. */
const LOOKUPS = new WeakMap<World['pods'], IngressFound['podsOf']>()

function podsIn(pods: World['pods']): IngressFound['podsOf'] {
  const lookup =
    LOOKUPS.get(pods) ?? (({ 'evenkeel.dev/node': label = '' }: Readonly<Record<string, string>>) => pods[label] ?? [])
  LOOKUPS.set(pods, lookup)
  return lookup
}

const found = (world: World): IngressFound => ({
  ...{ object: world.object, status: world.status, isFresh: true, now: wallMs(world.now), nodes: world.nodes },
  ...{ deployments: world.deployments, gates: world.gates, revisions: world.revisions, daemonSets: [] },
  podsOf: podsIn(world.pods),
  budget: { limit: { kind: 'count', count: 1 }, slots: world.slots, cordons: world.cordons },
  slotHolder: HOLDER,
  heldSlot: () => ({ since: wallMs(NOW - 5_000) }),
  acknowledgedSince: ({ name }) => (name in world.acknowledged ? wallMs(world.acknowledged[name] ?? 0) : undefined),
  agentOf: (name) => world.agents[name],
})

const answers = (world: World) => {
  const reading = ingressReading(found(world))
  const decision = decideObject({ kind: 'seen', reading })
  return {
    snapshot: reading.snapshot,
    deployments: reading.deployments,
    decision,
    status: status(reading, decision.reasons),
  }
}

const status = ({ snapshot }: ReturnType<typeof ingressReading>, reasons: Parameters<typeof ingressStatus>[1]) =>
  ingressStatus(snapshot, reasons)

const at = <T>(list: readonly T[], index: number, change: (one: T) => T): readonly T[] =>
  list.map((one, i) => (i === index ? change(one) : one))
const node =
  (index: number, change: Partial<Node>) =>
  (world: World): World => ({
    ...world,
    nodes: at(world.nodes, index, (one) => ({ ...one, ...change })),
  })
const deployment =
  (index: number, change: (one: FoundDeployment) => Partial<FoundDeployment>) =>
  (world: World): World => ({
    ...world,
    deployments: at(world.deployments, index, (one) => ({ ...one, ...change(one) })),
  })
const annotated = (index: number, key: string, value: string) =>
  deployment(index, ({ annotations }) => ({ annotations: { ...annotations, [key]: value } }))

type Step = (world: World) => World

const GRANTS = { version: 1, max: 1, of: NAMES.length } as const

/** What may change between two passes, for the node of that place. */
const STEPS: Readonly<Record<string, (index: number) => Step>> = {
  'is cordoned': (i) => node(i, { unschedulable: true }),
  'is uncordoned': (i) => node(i, { unschedulable: false }),
  'has a cordon that is not granted': (i) => (world) => ({
    ...node(i, { unschedulable: true })(world),
    cordons: { ...GRANTS, granted: [] },
  }),
  'has its cordon granted': (i) => (world) => ({
    ...world,
    cordons: { ...GRANTS, granted: [NAMES[i] ?? ''] },
  }),
  'is not Ready': (i) => node(i, { ready: 'False' }),
  'is tainted': (i) => node(i, { taints: [{ key: 'own', effect: 'NoSchedule' }] }),
  'has another uid': (i) => node(i, { uid: 'uid-of-a-successor' }),
  goes: (i) => (world) => ({ ...world, nodes: world.nodes.filter((_, at) => at !== i) }),
  'has an operation': (i) => annotated(i, OP_ANNOTATION, formatOp(anOp({ phase: 'Verifying' }, { t2: 500 }))),
  'has one that cannot be read': (i) => annotated(i, OP_ANNOTATION, '{'),
  'has another revision': (i) => annotated(i, 'evenkeel.dev/template-hash', 'older'),
  'had its pods rejected': (i) => (world) =>
    annotated(i, 'evenkeel.dev/ingress-rejected', templateHash(world.object.spec))(world),
  'lacks a pod': (i) => deployment(i, () => ({ ready: 1, available: 1 })),
  'lost its owner': (i) => (world) => {
    const [one] = world.deployments.slice(i, i + 1)
    if (one === undefined) return world
    const { controller: _, ...orphan } = one
    return { ...world, deployments: at(world.deployments, i, () => ({ ...orphan, owners: [] })) }
  },
  'lost its Deployment': (i) => (world) => ({
    ...world,
    deployments: world.deployments.filter((_, at) => at !== i),
  }),
  'has its Deployment taken by others': (i) =>
    deployment(i, () => ({ controller: { kind: 'DaemonSet', name: 'other', uid: 'uid-of-others' } })),
  'has two Deployments': (i) => (world) => {
    const more = world.deployments.slice(i, i + 1).map((one) => ({ ...one, name: `${one.name}-x` }))
    return { ...world, deployments: [...world.deployments, ...more] }
  },
  'has a Deployment that is for another node': (i) => annotated(i, 'evenkeel.dev/node', 'n4'),
  'is named otherwise': (i) => node(i, { name: `n${i}-b` }),
  'is joined by another node': (i) => (world) => ({
    ...world,
    nodes: [aClusterNode(`n0-${i}`), ...world.nodes],
  }),
  'has drifted': (i) =>
    deployment(i, ({ content }) => ({ content: { ...content, spec: { ...(content.spec as object), paused: true } } })),
  'lost its gate': (i) => (world) => ({ ...world, gates: world.gates.filter((_, at) => at !== i) }),
  'has an open gate': (i) => (world) => ({
    ...world,
    gates: at(world.gates, i, (gate) => ({
      ...gate,
      content: served(
        'PodDisruptionBudget',
        wantedGate(world.object, identityFor(world.object, aClusterNode(NAMES[i] ?? '')), 'open'),
      ).content,
    })),
  }),
  'has a pod that failed': (i) => (world) => ({
    ...world,
    pods: { ...world.pods, [NAMES[i] ?? '']: [aPod(NAMES[i] ?? '', 'a', '', { isFailed: true, isFinished: true })] },
  }),
  'has a pod that its kubelet ended': (i) => (world) => ({
    ...world,
    pods: { ...world.pods, [NAMES[i] ?? '']: [aPod(NAMES[i] ?? '', 'a', '', { isShutDown: true, isFinished: true })] },
  }),
  'has no pods': (i) => (world) => ({ ...world, pods: { ...world.pods, [NAMES[i] ?? '']: [] } }),
  'has a slot of ours': (i) => (world) => ({
    ...world,
    slots: [aSlot(0, NAMES[i] ?? '', { owner: { holder: HOLDER, run: '', node: NAMES[i] ?? '' } })],
  }),
  'has a slot of others': (i) => (world) => ({ ...world, slots: [aSlot(1, NAMES[i] ?? '')] }),
  'has an agent that heard': (i) => (world) => ({
    ...world,
    agents: { ...world.agents, [NAMES[i] ?? '']: { released: { id: 'op-1', since: wallMs(NOW - 60_000) } } },
  }),
  'was acknowledged': (i) => (world) => ({ ...world, acknowledged: { ...world.acknowledged, [NAMES[i] ?? '']: NOW } }),
  'is of an object with another template': () => (world) => ({
    ...world,
    object: { ...world.object, spec: anIngress({ template: podsWith({ hostNetwork: true }) }).spec },
  }),
  'is of an object that is deleted': () => (world) => ({ ...world, object: { ...world.object, deleting: true } }),
  'is of an object that went back': () => (world) => ({
    ...world,
    status: { rejectedRevision: templateHash(world.object.spec), currentRevision: 'older' },
  }),
  'is looked at later': () => (world) => ({ ...world, now: world.now + 700_000 }),
}

test('what was taken over from the last pass is what a pass that remembers nothing finds', () => {
  const step = fc.tuple(fc.constantFrom(...Object.keys(STEPS)), fc.nat(NAMES.length - 1))
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
      let world = asItShouldBe()
      answers(world)
      for (const [name, index] of steps) {
        world = STEPS[name]?.(index)(world) ?? assert.fail()
        assert.deepEqual(answers(world), answers(structuredClone(world)))
      }
    }),
    { numRuns: 400 },
  )
})

test('what was made for a node is made anew for no node but one that changed', () => {
  const world = asItShouldBe()
  const before = ingressReading(found(world)).snapshot.nodes
  const after = ingressReading(found(node(2, { unschedulable: true })(world))).snapshot.nodes
  assert.deepEqual(
    after.map((one, index) => one === before[index]),
    [true, true, false, true],
  )
})

test('a pod that failed counts against its template for ten minutes', () => {
  const world = asItShouldBe()
  const failed = (agoMs: number): number | undefined => {
    const pod = aPod('n1', 'a', '', { isFailed: true, isFinished: true, createdAt: wallMs(NOW - agoMs) })
    const { nodes } = ingressReading(found({ ...world, pods: { ...world.pods, n1: [pod] } })).snapshot
    return nodes[0]?.deployment?.failedPods
  }
  assert.deepEqual([failed(0), failed(600_000), failed(601_000)], [1, 1, 0])
})
