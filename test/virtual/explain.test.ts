import assert from 'node:assert/strict'
import { isReady, type PodObject } from '../../src/sim/actors/pod-object.ts'
import { DISRUPTION_BUDGETS, PODS } from '../../src/sim/world/api-resource.ts'
import { deleteObject } from '../../src/sim/world/delete-object.ts'
import { evenkeelExplain } from '../support/explain/evenkeel-explain.ts'
import {
  appOn,
  barePod,
  configMap,
  daemonSet,
  grants,
  podBudget,
  recordOf,
} from '../support/explain/explain-manifests.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { GuardGround } from '../support/virtual-guard/guard-ground.ts'
import { nodeGuard, storage, volumeAttachment } from '../support/virtual-guard/guard-manifests.ts'

/** Something that people ask explain about. */
interface Situation {
  readonly name: string
  /** Brings it about, and answers the command that asks about it. */
  readonly arrange: (ground: GuardGround) => Promise<string>
  readonly state: string
  readonly verdict: RegExp
  /** Code of the first finding, which names the cause. */
  readonly code: string
  /** Somewhere in what was seen. */
  readonly evidence?: RegExp
  /** What would change it, first. */
  readonly next?: RegExp
}

const RUN = '20260101T000000Z-0001'

async function guarded(ground: GuardGround, spec: object = {}): Promise<void> {
  ground.begin().onError = (error) => {
    throw error
  }
  ground.apply(storage())
  ground.apply(nodeGuard({ ...spec }))
  await ground.until('every node to be guarded', () => ground.condition('Ready') === 'True AllGuarded', 60)
}

/** Nodes that guards, the budget, the brake, claims and runs have or hold. */
const OWNERS: readonly Situation[] = [
  {
    name: 'a guard that its hold keeps',
    arrange: async (ground) => {
      await guarded(ground, { holds: [{ name: 'volumes', volumes: {} }] })
      ground.apply(volumeAttachment('a', 'n1'))
      ground.cordon('n1', true)
      await ground.until('n1 to be held', () => ground.rows()[0] === 'n1 Held HoldStands', 10)
      return 'node n1'
    },
    state: 'Draining',
    verdict:
      /^n1 is cordoned and waits for 1 pod: NodeGuard default\/guard: n1 is held by volumes: volumes are attached: pv-a$/,
    code: 'HoldStands',
    evidence: /^hold volumes: clear when no volume is attached to n1$/,
    next: /^evenkeel guard explain nodeguard\/guard --node n1 -n default$/,
  },
  {
    name: 'a guard that an annotation holds',
    arrange: async (ground) => {
      await guarded(ground, { holds: [{ name: 'busy', annotation: { key: 'example.com/busy' } }] })
      ground.annotateNode('n1', 'example.com/busy', 'yes')
      ground.cordon('n1', true)
      await ground.until('n1 to be held', () => ground.rows()[0] === 'n1 Held HoldStands', 10)
      return 'node n1'
    },
    state: 'Draining',
    verdict: /^n1 is cordoned and waits for 1 pod: NodeGuard default\/guard: n1 is held by busy: /,
    code: 'HoldStands',
    evidence: /^hold busy: clear when Node n1 does not have the annotation example\.com\/busy$/,
    next: /^evenkeel guard explain nodeguard\/guard --node n1 -n default$/,
  },
  {
    name: 'the pod of that guard',
    arrange: async (ground) => {
      await guarded(ground, { holds: [{ name: 'busy', annotation: { key: 'example.com/busy' } }] })
      ground.annotateNode('n1', 'example.com/busy', 'yes')
      ground.cordon('n1', true)
      await ground.until('n1 to be held', () => ground.rows()[0] === 'n1 Held HoldStands', 10)
      return `pod default/${ground.guardPods().find(({ spec }) => spec.nodeName === 'n1')?.metadata.name}`
    },
    state: 'Blocked',
    verdict: /is to leave n1, which is cordoned, and is held up: NodeGuard default\/guard: n1 is held by busy: /,
    code: 'HoldStands',
    next: /^evenkeel guard explain nodeguard\/guard --node n1 -n default$/,
  },
  {
    name: 'a guard that waits for another node',
    arrange: async (ground) => {
      await guarded(ground)
      const first = ground.drain('n1')
      await ground.until('n1 to be drained', first.isOver, 60)
      ground.cordon('n2', true)
      await ground.until('n2 to wait', () => ground.rows().some((row) => row.startsWith('n2 Requested')), 10)
      return 'node n2'
    },
    state: 'Draining',
    verdict: /^n2 is cordoned and waits for 1 pod: NodeGuard default\/guard: n2 waits for n1/,
    code: 'OtherNodeFirst',
    evidence: /^grant: n1 has the grant/,
  },
  {
    name: 'a guard that a person holds',
    arrange: async (ground) => {
      await guarded(ground)
      ground.holdByHand('n1', true)
      ground.cordon('n1', true)
      await ground.until('n1 to be held', () => ground.rows()[0] === 'n1 Held HeldByHand', 10)
      return 'node n1'
    },
    state: 'Draining',
    verdict: /^n1 is cordoned and waits for 1 pod: NodeGuard default\/guard: n1 is held by alice/,
    code: 'HeldByHand',
  },
  {
    name: 'a slot that another roll holds',
    arrange: async (ground) => {
      ground.holdSlot(0, 'n2')
      return 'node n1'
    },
    state: 'InService',
    verdict: /^n1 is in service; nothing takes it out, and it could not leave now: the node budget is used up/,
    code: 'BudgetUsedUp',
    evidence: /^n2 is about to leave: run 20260101T000000Z-0001 holds slot 0 for it/,
    next: /^evenkeel explain node n2$/,
  },
  {
    name: 'a budget that a claimed node uses up',
    arrange: async (ground) => {
      ground.annotateNode(
        'n2',
        'evenkeel.dev/maintenance',
        '{"version":2,"claims":[{"owner":"person/bob","id":"disk"}]}',
      )
      return 'node n1'
    },
    state: 'InService',
    verdict:
      /the node budget is used up, so no other node may leave: 1 of 3 nodes is out or about to be, and at most 1 may be$/,
    code: 'BudgetUsedUp',
    evidence: /^n2 is claimed by person\/bob$/,
    next: /^evenkeel explain node n2$/,
  },
  {
    name: 'a budget that makes no sense',
    arrange: async (ground) => {
      ground.apply(configMap('evenkeel-budget', { maxOut: 'many' }))
      return 'node n1'
    },
    state: 'InService',
    verdict: /no node may be taken out: data\.maxOut of ConfigMap evenkeel\/evenkeel-budget is "many"/,
    code: 'MaxOutInvalid',
    next: /^kubectl -n evenkeel patch configmap evenkeel-budget /,
  },
  {
    name: 'a cordon that the brake has not granted',
    arrange: async (ground) => {
      ground.apply(grants(['n2']))
      ground.cordon('n2', true)
      ground.cordon('n1', true)
      return 'node n1'
    },
    state: 'Draining',
    verdict:
      /^n1 is cordoned and drained, and is not done: the brake has not granted the cordon of n1, so its load balancers still send to it: n2 is granted/,
    code: 'CordonNotGranted',
    next: /^kubectl uncordon n2$/,
  },
  {
    name: 'a claim of a person, beside one of an ingress that is gone',
    arrange: async (ground) => {
      const claims = [
        { owner: 'ingress/default.gone', id: 'x' },
        { owner: 'person/bob', id: 'disk', why: "bob's new disk" },
      ]
      ground.annotateNode('n1', 'evenkeel.dev/maintenance', JSON.stringify({ version: 2, claims }))
      return 'node n1'
    },
    state: 'Claimed',
    verdict:
      /^n1 is kept out until its claims are withdrawn: ingress\/default\.gone keeps n1 out, and there is no such IngressDaemonSet$/,
    code: 'ClaimLeft',
    evidence: /owner person\/bob: bob's new disk/,
    next: /^kubectl patch node n1 --type json -p '\[\{"op":"test".*\\u0027s new disk/,
  },
  {
    name: 'the record of a run whose process is gone',
    arrange: async (ground) => {
      ground.annotateNode('n1', 'evenkeel.dev/record', recordOf(RUN))
      ground.cordon('n1', true)
      return 'node n1'
    },
    state: 'LeftBehind',
    verdict:
      /^n1 is out and nothing that is seen will bring it back: run 20260101T000000Z-0001 left n1 out, and no process of that run is seen$/,
    code: 'LeftBehind',
    evidence: /^no slot is held for n1$/,
    next: /^evenkeel roll resume 20260101T000000Z-0001$/,
  },
  {
    name: 'a run that lives by its slot, with its journal elsewhere',
    arrange: async (ground) => {
      ground.annotateNode('n1', 'evenkeel.dev/record', recordOf(RUN))
      ground.holdSlot(0, 'n1')
      ground.cordon('n1', true)
      return 'node n1'
    },
    state: 'InWork',
    verdict: /^n1 is being rolled: run 20260101T000000Z-0001 has taken n1 out, and will bring it back$/,
    code: 'RecordOfRun',
    evidence: /^the journal of run 20260101T000000Z-0001 is not on this machine$/,
  },
]

const podsOf = (ground: GuardGround, app: string): readonly PodObject[] =>
  ground.pods().filter(({ metadata }) => metadata.labels?.app === app)

async function running(ground: GuardGround, app: string, count = 1): Promise<string> {
  await ground.until(`${app} to run`, () => podsOf(ground, app).filter(isReady).length === count)
  return `default/${podsOf(ground, app)[0]?.metadata.name}`
}

const allowed = (ground: GuardGround, name: string, of: number): Promise<void> =>
  ground.until(`budget ${name} to be computed`, () => {
    const budget = ground.cluster.world.store.get(DISRUPTION_BUDGETS, { namespace: 'default', name })
    return (budget?.status as { readonly expectedPods?: number } | undefined)?.expectedPods === of
  })

function deletePod(ground: GuardGround, name: string): void {
  const old = ground.cluster.world.store.get(PODS, { namespace: 'default', name })
  assert.ok(old)
  deleteObject(ground.cluster.world, { resource: PODS, old, options: {} })
}

/** Nodes that are drained, and pods that leave or do not. */
const DRAINS: readonly Situation[] = [
  {
    name: 'a node in service with nothing wrong',
    arrange: async (ground) => {
      ground.apply(appOn('n1', 'api'))
      await running(ground, 'api')
      return 'node n1'
    },
    state: 'InService',
    verdict: /^n1 is in service; nothing takes it out$/,
    code: 'NodeReady',
  },
  {
    name: 'a cordoned node whose pods may all leave',
    arrange: async (ground) => {
      ground.apply(appOn('n1', 'api', { replicas: 2 }))
      await running(ground, 'api', 2)
      ground.cordon('n1', true)
      return 'node n1'
    },
    state: 'Draining',
    verdict: /^n1 is cordoned; nothing keeps its 2 pods there, and nothing that is seen evicts them$/,
    code: 'MayLeave',
    evidence: /^a dry run of 2 of these evictions was accepted$/,
    next: /^kubectl uncordon n1$/,
  },
  {
    name: 'a budget that never allows an eviction',
    arrange: async (ground) => {
      ground.apply(appOn('n1', 'api', { replicas: 2 }))
      ground.apply(podBudget('api', 'api', { maxUnavailable: 0 }))
      await running(ground, 'api', 2)
      await allowed(ground, 'api', 2)
      ground.cordon('n1', true)
      return 'node n1'
    },
    state: 'Draining',
    verdict:
      /^n1 is cordoned and waits for 2 pods: default\/api-\S+ cannot be evicted, because budget default\/api needs 2 healthy pods and has 2 of 2; it allows no eviction at all/,
    code: 'BudgetExhausted',
    evidence:
      /^budget default\/api: maxUnavailable 0 of 2 pods, so 2 must be healthy; 2 are healthy now, so 0 may be away$/,
    next: /^kubectl -n default edit poddisruptionbudget api$/,
  },
  {
    name: 'the same budget of a pod in service',
    arrange: async (ground) => {
      ground.apply(appOn('n1', 'api'))
      ground.apply(podBudget('api', 'api', { minAvailable: 1 }))
      const ref = await running(ground, 'api')
      await allowed(ground, 'api', 1)
      return `pod ${ref}`
    },
    state: 'Runs',
    verdict:
      /^default\/api-\S+ runs on n1; nothing asks it to leave, and it could not: .* needs 1 healthy pod and has 1 of 1/,
    code: 'BudgetExhausted',
    evidence: /^a dry run of its eviction was refused with HTTP 429, because of a disruption budget$/,
    next: /^kubectl -n default edit poddisruptionbudget api$/,
  },
  {
    name: 'a budget that waits for a pod that is not healthy',
    arrange: async (ground) => {
      ground.apply(appOn('n1', 'api', { replicas: 2 }))
      ground.apply(appOn('n2', 'api-late', { env: { START_DELAY: '1h' } }))
      ground.apply(
        podBudget('all', 'none', {
          minAvailable: 2,
          selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['api', 'api-late'] }] },
        }),
      )
      await running(ground, 'api', 2)
      await allowed(ground, 'all', 3)
      ground.cordon('n1', true)
      return 'node n1'
    },
    state: 'Draining',
    verdict: /^n1 is cordoned and waits for 2 pods: .*budget default\/all needs 2 healthy pods and has 2 of 3$/,
    code: 'BudgetExhausted',
    next: /^kubectl -n default get pods -o wide -l 'app in \(api,api-late\)'$/,
  },
  {
    name: 'two budgets over one pod',
    arrange: async (ground) => {
      ground.apply(appOn('n1', 'api'))
      ground.apply(podBudget('one', 'api', { maxUnavailable: 1 }))
      ground.apply(podBudget('other', 'api', { maxUnavailable: 1 }))
      const ref = await running(ground, 'api')
      await allowed(ground, 'other', 1)
      ground.cordon('n1', true)
      return `pod ${ref}`
    },
    state: 'Blocked',
    verdict:
      /^default\/api-\S+ is to leave n1, which is cordoned, and is held up: .* is under budget default\/one .* and budget default\/other/,
    code: 'TwoBudgets',
    evidence: /^a dry run of its eviction was refused with HTTP 500: more than one budget$/,
    next: /^kubectl -n default edit poddisruptionbudget one$/,
  },
  {
    name: 'a pod without a controller',
    arrange: async (ground) => {
      ground.apply(barePod('n1', 'bare'))
      await running(ground, 'bare')
      ground.cordon('n1', true)
      return 'node n1'
    },
    state: 'Draining',
    verdict: /^n1 is cordoned and waits for 1 pod: default\/bare has no controller that would replace it/,
    code: 'PodUnmanaged',
    next: /^kubectl -n default delete pod bare$/,
  },
  {
    name: 'a pod of a DaemonSet',
    arrange: async (ground) => {
      ground.apply(daemonSet('log'))
      await running(ground, 'log', 3)
      ground.cordon('n1', true)
      return `pod default/${podsOf(ground, 'log').find(({ spec }) => spec.nodeName === 'n1')?.metadata.name}`
    },
    state: 'Stays',
    verdict: /is of DaemonSet default\/log, which would start it again on n1 immediately/,
    code: 'DaemonSetPod',
    next: /drain\.daemonSets/,
  },
  {
    name: 'a static pod',
    arrange: async (ground) => {
      ground.cluster.machines.manifestsOf('n1').put('static', barePod('n1', 'static'))
      await running(ground, 'static')
      return 'pod static-n1 -n default'
    },
    state: 'Stays',
    verdict: /^default\/static-n1 is a static pod: the kubelet of n1 runs it from a file/,
    code: 'MirrorPod',
    next: /its file is taken away on n1/,
  },
  {
    name: 'a pod in its grace',
    arrange: async (ground) => {
      const slow = { env: { STOP: 'graceful', GRACE: '10m' }, spec: { terminationGracePeriodSeconds: 600 } }
      ground.apply(barePod('n1', 'slow', {}, slow))
      await running(ground, 'slow')
      ground.cordon('n1', true)
      deletePod(ground, 'slow')
      await ground.cluster.time.advance(2_000)
      return 'node n1'
    },
    state: 'Draining',
    verdict: /^n1 is cordoned and waits for 1 pod: default\/slow is leaving, and may take 9 min \d+ s more$/,
    code: 'PodLeaving',
    evidence: /grace 600 s/,
  },
  {
    name: 'a pod that a finalizer keeps',
    arrange: async (ground) => {
      ground.apply(barePod('n1', 'kept', { finalizers: ['example.com/audit'] }))
      await running(ground, 'kept')
      deletePod(ground, 'kept')
      await ground.cluster.time.advance(20_000)
      return 'pod default/kept'
    },
    state: 'Leaving',
    verdict: /^default\/kept has ended and is kept by its finalizer example\.com\/audit$/,
    code: 'PodFinalizer',
    next: /^the program that owns example\.com\/audit removes it/,
  },
  {
    name: 'a pod on a node that does not report',
    arrange: async (ground) => {
      ground.apply(barePod('n1', 'lost'))
      await running(ground, 'lost')
      ground.cluster.machines.get('n1')?.powerCut()
      await ground.until('n1 to be NotReady', () => !ground.readyNodes().includes('n1'))
      deletePod(ground, 'lost')
      return 'pod default/lost'
    },
    state: 'Leaving',
    verdict: /^default\/lost is being deleted, and n1 is not Ready, so no kubelet says that it has ended$/,
    code: 'NodeUnreachable',
    next: /^kubectl describe node n1$/,
  },
  {
    name: 'a node that does not report',
    arrange: async (ground) => {
      ground.cluster.machines.get('n1')?.powerCut()
      await ground.until('n1 to be NotReady', () => !ground.readyNodes().includes('n1'))
      return 'node n1'
    },
    state: 'NotReady',
    verdict: /^n1 serves nothing: n1 is not Ready since \S+: /,
    code: 'NodeNotReady',
    evidence: /^condition Ready is Unknown/,
    next: /^kubectl describe node n1$/,
  },
  {
    name: 'a volume that stays attached after its pod has left',
    arrange: async (ground) => {
      ground.apply(volumeAttachment('a', 'n1'))
      ground.cordon('n1', true)
      return 'node n1'
    },
    state: 'Draining',
    verdict: /volume pv-a is still attached to n1 \(driver\.example\.com\), and no pod on n1 uses it$/,
    code: 'VolumeAttached',
    next: /^kubectl describe volumeattachment a$/,
  },
]

const test = simulationTest(import.meta.url)

for (const { name, arrange, state, verdict, code, evidence, next } of [...DRAINS, ...OWNERS])
  test(`explain names the cause: ${name}`, async (t) => {
    const ground = await GuardGround.open({ nodes: 3 })
    t.after(() => ground.end())
    const said = await evenkeelExplain(ground, await arrange(ground))
    assert.equal(said.code, 0, said.err)
    const { document, out } = said
    assert.match(document.verdict, verdict, out)
    assert.deepEqual([document.state, document.findings[0]?.code], [state, code], out)
    const unwrapped = out.replaceAll(/\s+/g, ' ')
    assert.ok(unwrapped.startsWith(document.verdict.replaceAll(/\s+/g, ' ')), out)
    const seen = document.findings.flatMap((one) => one.evidence)
    if (evidence !== undefined)
      assert.ok(
        seen.some((one) => evidence.test(one)),
        seen.join('\n'),
      )
    const steps = document.findings.flatMap((one) => one.next.map(({ command, note }) => command ?? note))
    if (next !== undefined) assert.match(steps[0] ?? '', next, out)
  })
