import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import { whoami } from '../../../src/sim/cluster/article-workloads.ts'
import { REFUSED_BY_POLICY } from '../../support/trouble/labels-policy.ts'
import type { TroubleGround } from '../../support/trouble/trouble-ground.ts'
import type { Released, TroubleRow } from './trouble-row.ts'

export const step =
  (name: string) =>
  (event: StampedEvent): boolean =>
    event.type === 'step.started' && event.step === name

export const written =
  (action: string) =>
  (event: StampedEvent): boolean =>
    event.type === 'write' && event.action === action && event.ok

const DEFAULT = '/api/v1/namespaces/default'

export const scaled = (ground: TroubleGround, replicas: number): Promise<void> =>
  ground.world.apply(whoami({ service: 'plain', replicas }).slice(0, 1))

const cordoned = (ground: TroubleGround, { node }: Released, unschedulable: boolean): Promise<void> =>
  ground.world.apply(
    ground.world.nodes
      .filter((name) => name !== node)
      .map((name) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { unschedulable } })),
  )

const anyBudget = (name: string): object => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace: 'default' },
  spec: { minAvailable: 0, selector: {} },
})

const COUNTED_WITHIN_MS = 10_000

/** A real API server goes by what the controller of quotas has counted; the embedded one counts by itself. */
async function counted({ world }: TroubleGround): Promise<void> {
  for (let ms = 0; ms < COUNTED_WITHIN_MS; ms += 500) {
    const [quota] = await world.list(`${DEFAULT}/resourcequotas`)
    if (JSON.stringify(quota).includes('"used"')) return
    await world.pause(500)
  }
}

const removed = (ground: TroubleGround, path: string): Promise<void> => ground.world.remove(path)
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'

/** A slice that another program writes, for a Service without a selector. */
const sliceOf = (ground: TroubleGround, { pod, uid }: Released): Promise<void> =>
  ground.world.apply([
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 'foreign' }, spec: { ports: [{ port: 80 }] } },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'foreign-1', labels: { 'kubernetes.io/service-name': 'foreign' } },
      addressType: 'IPv4',
      ports: [{ name: '', port: 8080, protocol: 'TCP' }],
      endpoints: [
        {
          addresses: ['192.0.2.7'],
          conditions: { ready: true },
          targetRef: { kind: 'Pod', namespace: 'default', name: pod, uid },
        },
      ],
    },
  ])

/** The roll is held, ends with 3 and leaves each object as it was. */
export const HELD_ROWS: readonly TroubleRow[] = [
  {
    title: 'a replacement that never becomes Ready',
    before: (ground, at) => cordoned(ground, at, true),
    words: ['--even-if-blocked'],
    held: {
      code: 'PoliteNotReplaced',
      says: /stays and serves: Deployment default\/whoami has 0 ready of 1 recorded; 0\/\d nodes are available/,
      explain: [
        { of: 'node', code: 'PoliteNotReplaced', says: /^n\d is being rolled: default\/whoami-\S+ stays and serves: / },
        { of: 'pod', code: 'PoliteNotReplaced', says: / stays and serves: Deployment default\/whoami has 0 ready/ },
      ],
    },
    after: (ground, at) => cordoned(ground, at, false),
    exit: 3,
  },
  {
    title: 'a quota that refuses the replacement',
    before: async (ground) => {
      const pods = (await ground.world.list(`${DEFAULT}/pods`)).length
      const quota = { metadata: { name: 'few', namespace: 'default' }, spec: { hard: { pods: String(pods) } } }
      await ground.world.apply([{ apiVersion: 'v1', kind: 'ResourceQuota', ...quota }])
      await counted(ground)
    },
    held: {
      code: 'PoliteNotReplaced',
      says: /stays and serves: .*has 0 ready of 1 recorded; pods "whoami-\S+" is forbidden: exceeded quota: few, requested: pods=1/,
      explain: [{ of: 'node', code: 'PoliteNotReplaced', says: /exceeded quota: few, requested: pods=1/ }],
    },
    after: (ground) => removed(ground, `${DEFAULT}/resourcequotas/few`),
    exit: 3,
  },
  {
    title: 'an admission policy that refuses the labels',
    before: (ground) => ground.refuseLabels(true),
    held: {
      code: 'PoliteRefused',
      says: REFUSED_BY_POLICY,
      explain: [{ of: 'node', code: 'PoliteRefused', says: REFUSED_BY_POLICY }],
    },
    after: (ground) => ground.refuseLabels(false),
    exit: 3,
  },
  {
    title: 'a slice of another program that names the pod once it was let go',
    once: [written('releasePod'), sliceOf],
    held: {
      code: 'EndpointForeign',
      says: /^default\/whoami-\S+ is an endpoint in EndpointSlice default\/foreign-1 of Service foreign, which has no selector/,
      explain: [
        { of: 'node', code: 'EndpointForeign', says: / is an endpoint in EndpointSlice default\/foreign-1 of / },
      ],
    },
    after: async (ground) => {
      await removed(ground, '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/foreign-1')
      await removed(ground, `${DEFAULT}/services/foreign`)
    },
    movesPods: true,
    exit: 3,
  },
  {
    title: 'a second budget over a pod that is half on its way',
    before: (ground) => ground.world.apply([anyBudget('first')]),
    once: [written('withdrawPod'), (ground) => ground.world.apply([anyBudget('second')])],
    held: {
      code: 'TwoBudgets',
      says: /^default\/whoami-\S+ is under budget default\/first .* and budget default\/second .*, which eviction does not support$/,
      explain: [
        { of: 'node', code: 'TwoBudgets', says: /is under budget default\/first/ },
        { of: 'pod', code: 'TwoBudgets', says: /is to leave n\d, which a roll has out, and is held up: / },
      ],
    },
    after: async (ground) => {
      await removed(ground, `${BUDGETS}/first`)
      await removed(ground, `${BUDGETS}/second`)
    },
    movesPods: true,
    exit: 3,
  },
]
