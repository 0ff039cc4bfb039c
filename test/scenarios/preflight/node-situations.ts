import type { BadSituation } from '../../support/preflight/bad-situation.ts'
import { node } from '../../support/preflight/manifests.ts'
import { inspection } from '../../support/preflight/servers.ts'
import { aRecord } from '../../support/roll-world.ts'

/** What others have left on nodes. */
export const NODE_SITUATIONS: readonly BadSituation[] = [
  {
    title: 'a node that is out for another run, and not in this one',
    nodes: [
      node('n1'),
      node('n2'),
      node('n3', { annotations: { 'evenkeel.dev/record': JSON.stringify(aRecord({ run: '20260101T000000Z-0001' })) } }),
    ],
    spec: { nodes: { names: ['n1'] } },
    code: 'RunLeftOut',
    says: 'n3 is kept out by run 20260101T000000Z-0001',
    fix: 'evenkeel roll resume 20260101T000000Z-0001',
    exit: 0,
    explain: {
      of: 'node n3',
      code: 'LeftBehind',
      says: /^n3 is out and nothing that is seen will bring it back: run 20260101T000000Z-0001 left n3 out/,
    },
  },
  {
    title: 'a node that is out for another run, and in this one',
    nodes: [
      node('n1', { annotations: { 'evenkeel.dev/record': JSON.stringify(aRecord({ run: '20260101T000000Z-0001' })) } }),
      node('n2'),
      node('n3'),
    ],
    code: 'NodeRecorded',
    says: 'n1 is kept out by run 20260101T000000Z-0001',
    fix: 'evenkeel roll resume 20260101T000000Z-0001',
    exit: 2,
    explain: {
      of: 'node n2',
      code: 'BudgetUsedUp',
      says: /^n2 is in service; .* the node budget is used up, so no other node may leave: 1 of 3 nodes is out/,
    },
  },
  {
    title: 'a taint of an earlier run without its record',
    nodes: [
      node('n1', { spec: { taints: [{ key: 'evenkeel.dev/out', effect: 'NoSchedule' }] } }),
      node('n2'),
      node('n3'),
    ],
    code: 'MarkLeft',
    says: 'n1 bears a mark of an earlier run and no record of it',
    fix: 'kubectl taint node n1 evenkeel.dev/out-',
    exit: 0,
    explain: {
      of: 'node n1',
      code: 'MarkLeft',
      says: /^n1 is in service, and no new pod is placed on it: n1 bears a mark of an earlier run and no record of it$/,
    },
  },
  {
    title: 'marks of a run that was never resumed',
    nodes: [
      node('n1'),
      ...['n2', 'n3'].map((name) =>
        node(name, {
          spec: {
            taints: [{ key: 'evenkeel.dev/to-be-rolled', value: '20260101T000000Z-0001', effect: 'PreferNoSchedule' }],
          },
        }),
      ),
    ],
    code: 'ToComeLeft',
    says: 'n2 and n3 bear the taint evenkeel.dev/to-be-rolled of run 20260101T000000Z-0001',
    fix: 'kubectl taint nodes n2 n3 evenkeel.dev/to-be-rolled-',
    exit: 0,
    explain: { of: 'node n2', code: 'ToCome', says: /begins n2 later, so new pods go to other nodes/, isFact: true },
  },
  {
    title: 'a node that is cordoned already',
    nodes: [node('n1', { spec: { unschedulable: true } }), node('n2'), node('n3')],
    code: 'NodeCordoned',
    says: 'n1 is cordoned and stays so after the roll',
    fix: 'kubectl uncordon n1',
    exit: 0,
    explain: { of: 'node n1', code: 'Cordoned', says: /^n1 is cordoned, so no new pod is placed on it$/, isFact: true },
  },
  {
    title: 'a node that a person claims',
    nodes: [
      node('n1', {
        annotations: { 'evenkeel.dev/maintenance': '{"version":2,"claims":[{"owner":"person/alice","id":"disk"}]}' },
      }),
      node('n2'),
      node('n3'),
    ],
    code: 'NodeClaimed',
    says: 'n1 is claimed by person/alice',
    fix: 'let person/alice withdraw it',
    exit: 0,
    explain: {
      of: 'node n1',
      code: 'Maintenance',
      says: /^n1 is kept out until its claims are withdrawn: person\/alice keeps n1 out$/,
    },
  },
]

const down = { operational: 'down', lastCheckFailed: true } as const
const N1 = { nodes: { names: ['n1'] } }

const NO_BALANCER = 'explain asks no balancer: a plan tells it, and a roll that has begun tells it in its hold'

/** What the balancers have left. */
export const BALANCER_SITUATIONS: readonly BadSituation[] = [
  {
    title: 'a backend of one server',
    inspections: [inspection(['n1'])],
    spec: N1,
    code: 'LastUsableServer',
    says: 'web/n1 is the last usable server of web on lb-1',
    fix: 'set allowLastServer for a pool of one',
    exit: 3,
    explain: NO_BALANCER,
  },
  {
    title: 'a backend whose other server is down',
    inspections: [inspection(['n1', 'n2'], { server: (name) => (name === 'n2' ? down : {}) })],
    spec: N1,
    code: 'LastUsableServer',
    says: 'web/n1 is the last usable server of web on lb-1',
    fix: 'bring another server of web up',
    exit: 0,
    explain: NO_BALANCER,
  },
  {
    title: 'a backend of two servers',
    inspections: [inspection(['n1', 'n2'])],
    spec: N1,
    code: 'BalancerFewServers',
    says: 'web on lb-1 has 2 usable servers: 1 is left while a node is out',
    fix: 'add a server to web',
    exit: 0,
    explain: NO_BALANCER,
  },
  {
    title: 'a pair with different settings',
    inspections: [
      inspection(['n1', 'n2', 'n3']),
      inspection(['n1', 'n2'], { instance: 'lb-2', backend: { mode: 'tcp' } }),
    ],
    code: 'BalancerPairDiffers',
    says: 'backend web of balancer lb is not the same on lb-1 and lb-2: mode http and tcp; n3 on one of them alone',
    fix: 'give both the same haproxy.cfg',
    exit: 0,
    explain: NO_BALANCER,
  },
  {
    title: 'a backend in mode tcp',
    inspections: [inspection(['n1', 'n2', 'n3'], { backend: { mode: 'tcp' } })],
    code: 'BalancerTcpMode',
    says: 'backend web of lb-1 is in mode tcp',
    fix: 'detach.idleLimit',
    exit: 0,
    explain: NO_BALANCER,
  },
  {
    title: 'a backend that ties clients to servers, and may not let them go',
    inspections: [inspection(['n1', 'n2', 'n3'], { server: () => ({ persistent: true }) })],
    code: 'BalancerRedispatch',
    says: 'backend web of lb-1 ties clients to servers',
    fix: 'option redispatch',
    exit: 0,
    explain: NO_BALANCER,
  },
  {
    title: 'a server without a check',
    inspections: [inspection(['n1', 'n2', 'n3'], { server: (name) => (name === 'n2' ? { check: 'none' } : {}) })],
    code: 'BalancerNoCheck',
    says: 'web/n2 on lb-1 has no health check',
    fix: 'add "check" to server n2',
    exit: 0,
    explain: NO_BALANCER,
  },
]
