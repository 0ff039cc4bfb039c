import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makePlan } from '../../../../src/roll/decide/plan/make-plan.ts'
import type { PlanSnapshot } from '../../../../src/roll/decide/plan/plan-snapshot.ts'
import type { InstanceInspection, SeenServer } from '../../../../src/service/model/balancer-inspection.ts'
import { aNode, aServer, aSpec } from '../../../support/roll-world.ts'
import { findingCodes as codes, planSnapshot as facts } from '../plan-snapshot.ts'

/** An API server at a port of its own, as default/kubernetes tells it, and a backend that leads there. */
const KUBERNETES = {
  namespace: 'default',
  name: 'kubernetes',
  serviceName: 'kubernetes',
  ports: [16443],
  endpoints: [{ addresses: ['10.0.0.1'], ready: true, serving: true, terminating: false }],
}
const INSPECTED: InstanceInspection = {
  instance: 'lb-1',
  process: '100',
  version: '2.6.12',
  level: 'admin',
  processes: 1,
  missingBackends: [],
  disabledBackends: [],
  backends: [{ name: 'web', mode: 'http', servers: [aServer('n1')], stickTable: false, redispatch: 'unknown' }],
  outside: [],
}
const control = aServer('n1', { ref: { instance: 'lb-1', backend: 'control', server: 'n1' }, port: 16443 })
const CONTROL: InstanceInspection = {
  ...INSPECTED,
  backends: [{ name: 'control', mode: 'http', servers: [control], stickTable: false, redispatch: 'unknown' }],
}

const seen = (backend: string, server: string): SeenServer => {
  const { address, port } = aServer(server)
  return { backend, server, address, port }
}

const TABLE: readonly (readonly [title: string, facts: PlanSnapshot, codes: readonly string[]])[] = [
  ['nothing in a backend at other ports', facts({ inspections: [INSPECTED] }, { slices: [KUBERNETES] }), []],
  [
    'a backend that leads to the API server by its own word',
    facts({ inspections: [CONTROL] }, { slices: [KUBERNETES] }),
    ['error BalancerApiBackend'],
  ],
  [
    'a backend that goes on sending, since the file does not name it',
    facts({ inspections: [{ ...INSPECTED, outside: [seen('shop', 'n1'), seen('shop', 'n2'), seen('other', 'n9')] }] }),
    ['warning BalancerBackendLeftOut'],
  ],
  [
    'no fault in leaving the API out',
    facts({
      inspections: [{ ...INSPECTED, outside: [{ ...seen('control', 'n1'), port: 6443 }] }],
    }),
    [],
  ],
  [
    'a backend that goes on sending, also where it is named after the cluster',
    facts({ inspections: [{ ...INSPECTED, outside: [seen('k8s-ingress', 'n1')] }] }),
    ['warning BalancerBackendLeftOut'],
  ],
  [
    'no fault in a backend that another balancer of the file names',
    facts({
      inspections: [
        { ...INSPECTED, onlyProcess: '100@1 lb-1', outside: [seen('control', 'n1')] },
        { ...CONTROL, instance: 'lb-1-control', onlyProcess: '100@1 lb-1', outside: [seen('web', 'n1')] },
      ],
    }),
    [],
  ],
  [
    'a backend that leads to the port of the kubeconfig',
    facts({ inspections: [CONTROL], apiServer: { address: 'api.example.com', port: 16443 } }),
    ['error BalancerApiBackend'],
  ],
]

for (const [title, given, expected] of TABLE) {
  test(`the plan finds ${title}`, () => assert.deepEqual(codes(makePlan(given)), expected))
}

test('servers that the file leaves out are named, the first of them, with what to do', () => {
  const nodes = ['n1', 'n2', 'n3', 'n4'].map((name) => aNode(name))
  const outside = nodes.map(({ name }) => seen('shop', name))
  const spec = aSpec({ nodes: { names: [], all: true, allowUnbalanced: true } })
  const { findings } = makePlan(facts({ spec, inspections: [{ ...INSPECTED, outside }] }, { nodes }))
  assert.deepEqual(findings, [
    {
      severity: 'warning',
      code: 'BalancerBackendLeftOut',
      text: 'shop/n1, shop/n2, shop/n3, 1 more on lb-1 still get traffic while their nodes are away: backend shop is not in "backends"',
      fix: 'add shop to "backends"',
    },
  ])
})
