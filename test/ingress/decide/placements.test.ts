import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import type { FoundDaemonSet } from '../../../src/ground/model/owned/found-workload.ts'
import type { WantedObject } from '../../../src/ground/model/owned/wanted-object.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideObject } from '../../../src/ingress/decide/decide-object.ts'
import { wantedDeployment } from '../../../src/ingress/decide/deployment.ts'
import { wantedGate } from '../../../src/ingress/decide/drain-gate.ts'
import { healthChecker } from '../../../src/ingress/decide/health-checker.ts'
import { housekeeping } from '../../../src/ingress/decide/housekeeping.ts'
import { identityFor } from '../../../src/ingress/decide/names.ts'
import { formatOp, OP_ANNOTATION } from '../../../src/ingress/decide/op.ts'
import { type IngressReading, ingressReading } from '../../../src/ingress/decide/reading.ts'
import { templateHash, wantedRevision } from '../../../src/ingress/decide/revision.ts'
import { ingressStatus } from '../../../src/ingress/decide/status.ts'
import type { IngressSpec } from '../../../src/ingress/model/ingress-daemon-set.ts'
import { daemonPlacement } from '../../../src/sim/actors/daemon-placement.ts'
import type { NodeObject } from '../../../src/sim/actors/node-object.ts'
import type { PodTemplate } from '../../../src/sim/actors/owned-pods.ts'
import { anIngress, anIngressSpec, podsWith } from '../../support/ingress-objects.ts'
import { aClusterNode, anOp, NOW } from '../../support/ingress-world.ts'
import { served } from '../../support/served-object.ts'

const FAST = { labels: { disk: 'fast' } }
const NODES = [
  aClusterNode('n1', FAST),
  aClusterNode('n2', { taints: [{ key: 'team', value: 'x', effect: 'NoExecute' }] }),
  aClusterNode('n3'),
]
const TOLERATES = { tolerations: [{ key: 'team', operator: 'Exists' }] }
const BEFORE = anIngressSpec({ template: podsWith(TOLERATES) })

const CHECKER = { image: 'checker:1', imagePullPolicy: 'Always', serviceAccountName: 'checker' } as const

interface Edited {
  readonly pods: Readonly<Record<string, unknown>>
  readonly rollout?: Partial<IngressSpec['rollout']>
  readonly status?: Readonly<Record<string, unknown>>
  /** The node whose operation is for the template of now. */
  readonly begun?: string
  /** It has no Deployment. */
  readonly fresh?: string
  /** The DaemonSet of its health checker; `none`: it has none yet. Absent: the object names none. */
  readonly checker?: FoundDaemonSet | 'none'
  readonly nodes?: readonly Node[]
  readonly spec?: Partial<IngressSpec>
}

/** Each node has the pods of a template that fits all of them; then the template is edited. */
function edited({
  pods,
  rollout,
  status = {},
  begun,
  fresh,
  checker,
  nodes = NODES,
  spec: more,
}: Edited): IngressReading {
  const spec = anIngressSpec({
    ...more,
    ...(checker === undefined ? {} : { healthChecker: CHECKER }),
    template: podsWith({ ...TOLERATES, ...pods }),
    rollout: { ...BEFORE.rollout, ...rollout },
  })
  const change = { finalizers: ['evenkeel.dev/detached-nodes'] }
  const [before, object] = [
    { ...anIngress({}, change), spec: BEFORE },
    { ...anIngress({}, change), spec },
  ]
  const counts = { replicas: 2, updated: 2, ready: 2, available: 2, isObserved: true }
  const revision = { number: 1, hash: templateHash(BEFORE) }
  const deployments = nodes
    .filter(({ name }) => name !== fresh)
    .map((node) => {
      const wanted = wantedDeployment(before, { identity: identityFor(object, node), revision, replicas: 2 })
      const made = { ...served('Deployment', wanted), ...counts }
      const op = formatOp(anOp({ revision: templateHash(spec) }))
      return node.name === begun ? { ...made, annotations: { ...made.annotations, [OP_ANNOTATION]: op } } : made
    })
  return ingressReading({
    ...{
      object,
      isFresh: true,
      now: wallMs(NOW),
      nodes,
      deployments,
      daemonSets: typeof checker === 'object' ? [checker] : [],
    },
    status: { currentRevision: revision.hash, ...status },
    gates: nodes
      .filter(({ name }) => name !== fresh)
      .map((node) => served('PodDisruptionBudget', wantedGate(object, identityFor(object, node), 'closed'))),
    revisions: (templateHash(spec) === revision.hash ? [object] : [before, object]).map((at, index) =>
      served('ControllerRevision', wantedRevision(at, { number: index + 1, collisionCount: 0 })),
    ),
    podsOf: () => [],
    budget: { limit: { kind: 'count', count: 3 }, slots: [], cordons: 'noBrake' },
    slotHolder: 'us',
    heldSlot: () => undefined,
    acknowledgedSince: () => undefined,
    agentOf: () => undefined,
  })
}

const decided = (reading: IngressReading): string => {
  const decision = decideObject({ kind: 'seen', reading })
  if (decision.kind !== 'act')
    return [...new Set(decision.reasons.map(({ code, object }) => `${object} ${code}`))].join(' ')
  return decision.actions.map((action) => ('node' in action ? `${action.node} ${action.kind}` : action.kind)).join('; ')
}
const desired = (reading: IngressReading): unknown => ingressStatus(reading.snapshot, [])?.fields.desiredNodes

const SELECTS = { nodeSelector: { disk: 'fast' } }
const EDITS = [
  ['a node selector', SELECTS],
  [
    'an affinity',
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['fast'] }] }],
          },
        },
      },
    },
  ],
  ['a toleration that is gone', { tolerations: [] }],
] as const

for (const [title, pods] of EDITS)
  test(`a template that is not rolled out takes no pods away: ${title}`, () => {
    const paused = edited({ pods, rollout: { paused: true } })
    assert.deepEqual([decided(paused), desired(paused)], ['front RolloutPaused', 3])
    const canary = edited({ pods, rollout: { canary: { canary: 'yes' } } })
    assert.match(decided(canary), /CanaryAwaited/)
    assert.equal(desired(canary), 3)
  })

test('a template with another placement goes over the nodes within the limit, also to those that are to have no pods of it', () => {
  const reading = edited({ pods: SELECTS })
  assert.match(decided(reading), /^n\d takeSlot$/)
  const begun = edited({ pods: SELECTS, begun: 'n3' })
  assert.equal(begun.snapshot.nodes.find(({ name }) => name === 'n3')?.eligibility, 'Leave')
  assert.equal(desired(begun), 2)
})

test('a template that was rolled back says nothing of where pods are', () => {
  const { desired: hash } = edited({ pods: SELECTS }).snapshot.revisions
  const back = edited({ pods: SELECTS, status: { rejectedRevision: hash, rejectedAt: '2026-01-01T00:00:00Z' } })
  assert.equal(desired(back), 3)
})

test('a node without pods gets those of the last good revision only where that one has pods there', () => {
  const held = { rollout: { paused: true } }
  assert.equal(decided(edited({ pods: SELECTS, fresh: 'n1', ...held })), 'n1 createDeployment')
  assert.equal(decided(edited({ pods: SELECTS, fresh: 'n3', ...held })), 'front RolloutPaused')
})

/** The nodes on which a DaemonSet keeps its pods, as its controller decides it. */
function keptOn({ snapshot }: IngressReading, { spec }: WantedObject): readonly string[] {
  const { template } = spec as { readonly template: PodTemplate }
  return snapshot.nodes
    .flatMap(({ node }) => node ?? [])
    .filter(({ name, labels, taints }) => {
      const object = { metadata: { name, labels }, spec: { taints } } as unknown as NodeObject
      return daemonPlacement(object, template).shouldStay
    })
    .map(({ name }) => name)
}

const ALL = NODES.map(({ name }) => name)

function checkerOf(reading: IngressReading): WantedObject {
  const { actions } = healthChecker(reading)
  const [action] = actions
  assert.ok(action?.kind === 'createHealthChecker')
  return action.wanted
}

/** What another edit makes of the DaemonSet that stands. */
function alignedOf(edit: Edited, before: WantedObject): WantedObject {
  const checker = { ...served('DaemonSet', before), ...COUNTS }
  const [action] = healthChecker(edited({ ...edit, checker })).actions
  if (action === undefined) return before
  assert.ok(action.kind === 'alignHealthChecker')
  return { ...before, ...action.patch } as unknown as WantedObject
}

const COUNTS = { desired: 3, updated: 3, available: 3, isObserved: true }
const POOL = { spec: { nodeSelector: { pool: 'a' } } }

for (const [title, edit] of [
  ...EDITS.map(([what, pods]) => [what, { pods }] as const),
  ['a node selector of the object', { pods: {}, ...POOL }],
  ['a label that is gone, in a pause', { pods: SELECTS, ...POOL, rollout: { paused: true } }],
] as const)
  test(`health checkers stay on each node that still has pods of the object: ${title}`, () => {
    const reading = edited({ ...edit, checker: 'none' })
    assert.deepEqual(keptOn(reading, checkerOf(reading)), ALL)
  })

test('a health checker that was kept for a node goes with the last such node, so that one edit replaces all checkers twice and not once a node', () => {
  const first = checkerOf(edited({ pods: SELECTS, checker: 'none' }))
  const fewer = alignedOf({ pods: SELECTS, fresh: 'n3' }, first)
  assert.deepEqual(fewer, first)
  const nodes = NODES.slice(0, 1)
  const last = alignedOf({ pods: SELECTS, nodes }, first)
  const plain = checkerOf(edited({ pods: SELECTS, nodes, checker: 'none' }))
  assert.deepEqual(hashOf(last), hashOf(plain))
})

const hashOf = ({ metadata }: Pick<WantedObject, 'metadata'>): string | undefined =>
  metadata.annotations['evenkeel.dev/template-hash']

test('agents hand over only on nodes on which a health checker is placed', () => {
  const tainted = [aClusterNode('n1', { taints: [{ key: 'own', effect: 'NoSchedule' }] }), aClusterNode('n2')]
  const wanted = checkerOf(edited({ pods: {}, nodes: tainted, checker: 'none' }))
  const checker = { ...served('DaemonSet', wanted), ...COUNTS }
  const { actions } = housekeeping(edited({ pods: {}, nodes: tainted, checker }))
  const handed = actions.flatMap((one) =>
    one.kind === 'align' ? [[one.deployment.name, JSON.stringify(one.patch)]] : [],
  )
  assert.deepEqual(
    handed.filter(([, patch]) => patch?.includes('pods')).map(([name]) => name),
    [identityFor(anIngress(), aClusterNode('n2')).name],
  )
})

test('Deployments that a policy sets back each time keep no other Deployment from being corrected', () => {
  const nodes = Array.from({ length: 60 }, (_, at) => aClusterNode(`n${100 + at}`))
  const reading = edited({ pods: {}, nodes, spec: { healthCheckNodePorts: [10_080] } })
  const doneOf = ({ actions }: ReturnType<typeof housekeeping>): ReadonlySet<string> =>
    new Set(actions.flatMap((one) => (one.kind === 'align' ? one.deployment.name : [])))
  const first = doneOf(housekeeping(reading))
  const next = housekeeping(reading, (action) => action.kind === 'align' && first.has(action.deployment.name))
  assert.deepEqual([first.size, doneOf(next).size, next.later?.length], [50, 10, 50])
  assert.equal(first.intersection(doneOf(next)).size, 0)
})

test('without a brake a cordoned node with pods counts as out in the node budget, also beside an object that may take two', () => {
  const nodes = NODES.map((node) => (node.name === 'n3' ? { ...node, unschedulable: true } : node))
  const { snapshot } = edited({ pods: { hostNetwork: true }, nodes })
  assert.deepEqual(
    snapshot.budget.out.map(({ node, why }) => [node, why.map(({ kind }) => kind)]),
    [['n3', ['cordoned']]],
  )
})

test('a DaemonSet of the health checker that lost its owner is adopted before it is corrected', () => {
  const { controller: _, ...lost } = served('DaemonSet', checkerOf(edited({ pods: {}, checker: 'none' })))
  const checker = { ...lost, owners: [], ...COUNTS }
  assert.deepEqual(
    healthChecker(edited({ pods: {}, checker })).actions.map(({ kind }) => kind),
    ['adoptHealthChecker'],
  )
})

/** Why nothing is done, and after how long it is looked at again. */
function heldFor(seen: Parameters<typeof decideObject>[0]): readonly unknown[] {
  const decision = decideObject(seen)
  return [...decision.reasons.map(({ code }) => code), decision.kind === 'hold' ? decision.recheckAfterMs : decision]
}

const seenWith = (reading: IngressReading) => ({ kind: 'seen', reading }) as const

test('an object whose health checkers are not there yet is looked at again in half a minute, as one with a name that is taken', () => {
  const wanted = checkerOf(edited({ pods: {}, checker: 'none' }))
  const checker = { ...served('DaemonSet', wanted), ...COUNTS, available: 2 }
  assert.deepEqual(heldFor(seenWith(edited({ pods: {}, checker }))), ['HealthCheckersMissing', 30_000])
  const reading = edited({ pods: {}, fresh: 'n1' })
  const taken = [{ node: 'n1', name: 'front-n1', kind: 'foreign', text: 'is controlled by DaemonSet x' }] as const
  const among = { ...reading, deployments: { ...reading.deployments, taken } }
  assert.equal(decided(reading), 'n1 createDeployment')
  assert.deepEqual(heldFor(seenWith(among)), ['NameTaken', 'NodeNew', 30_000])
})

test('an object whose next write is refused is looked at again in 10 s, though that write waits longer', () => {
  const reading = edited({ pods: {}, fresh: 'n1' })
  const until = wallMs(NOW + 60_000)
  const refusals = new Map([['createDeployment n1', { words: 'no', since: wallMs(NOW), until }]])
  const refused = { ...reading, snapshot: { ...reading.snapshot, refusals } }
  assert.deepEqual(heldFor(seenWith(refused)), ['WriteRefused', 'NodeNew', 10_000])
})

test('an object that makes no sense, or whose rollback is refused, is looked at again in a minute: its watch tells of an edit', () => {
  const finding = { code: 'spec', severity: 'error', field: 'spec', text: 'it is wrong', fix: 'mend it' } as const
  assert.deepEqual(heldFor({ kind: 'refused', name: 'front', findings: [finding] }), ['IngressRefused', 60_000])
  const reading = edited({ pods: {} })
  const rollbackRefused = { code: 'RollbackRefused', object: 'front', text: 'front has no revision 9' } as const
  const back = { ...reading, snapshot: { ...reading.snapshot, rollbackRefused } }
  assert.deepEqual(heldFor(seenWith(back)), ['RollbackRefused', 60_000])
})
