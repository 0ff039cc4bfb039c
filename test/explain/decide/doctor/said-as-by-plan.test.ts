import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { doctorChecks } from '../../../../src/explain/decide/doctor/doctor-checks.ts'
import type { DoctorSnapshot, InstanceFound } from '../../../../src/explain/decide/doctor/doctor-snapshot.ts'
import { monoMs, wallMs } from '../../../../src/ground/model/time.ts'
import type { Workload } from '../../../../src/ground/model/workload.ts'
import { makePlan } from '../../../../src/roll/decide/plan/make-plan.ts'
import type { RollSpec } from '../../../../src/roll/model/roll-spec.ts'
import type { ServerReading } from '../../../../src/service/model/balancer.ts'
import type { InstanceInspection } from '../../../../src/service/model/balancer-inspection.ts'
import { planSnapshot } from '../../../roll/decide/plan-snapshot.ts'
import { aNode, aServer, aSpec } from '../../../support/roll-world.ts'

const root = new URL('../../../../', import.meta.url).pathname

/** What a plan alone says: it reads the pods of all nodes, and what may become of them; doctor reads none. */
const BY_PODS = [
  ...['budgetFindings', 'controlPlaneFindings', 'daemonFindings', 'dnsFindings', 'ownPodFindings', 'podFindings'],
  ...['politeFindings', 'roomFindings', 'shutOutFindings'],
]
/** Doctor has its parts, `placeChecks` and `recorded`, and says of all nodes at once which are not Ready. */
const IN_PARTS = ['nodeChecks']

const importedFindings = (files: readonly string[]): ReadonlySet<string> =>
  new Set(
    files
      .flatMap((file) => [...readFileSync(`${root}${file}`, 'utf8').matchAll(/^import \{([^}]*)\} from '[^']*'/gm)])
      .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
      .filter((name) => /(Findings|Checks|strangeBackends)$/.test(name)),
  )

test('what a plan finds doctor finds by the same rules, but for what only pods tell', () => {
  const ofPlan = importedFindings(['src/roll/decide/plan/make-plan.ts'])
  const ofDoctor = importedFindings(globSync('src/explain/decide/doctor/*.ts', { cwd: root }))
  assert.ok(ofPlan.size > 15, `${ofPlan.size} rules of a plan were looked at`)
  const silent = [...ofPlan].filter((name) => !ofDoctor.has(name))
  assert.deepEqual(silent.toSorted(), [...BY_PODS, ...IN_PARTS].toSorted())
})

interface World {
  readonly spec?: Partial<RollSpec>
  readonly server?: Partial<ServerReading>
  readonly silentPorts?: readonly { readonly address: string; readonly port: number }[]
  readonly daemonSets?: readonly Workload[]
  readonly outside?: InstanceInspection['outside']
}

/** The texts of a plan and of doctor about one world. */
function said({ spec: change = {}, server = {}, silentPorts = [], daemonSets = [], outside = [] }: World) {
  const spec = aSpec(change)
  const nodes = ['n1', 'n2', 'n3'].map((name, index) =>
    aNode(name, { bootId: `${index}0000000-1111-4111-8111-111111111111` }),
  )
  const servers = [aServer('n1', server), aServer('n2'), aServer('n3')]
  const backends = [{ name: 'web', mode: 'http', servers, stickTable: false, redispatch: 'seen' } as const]
  const inspection: InstanceInspection = {
    instance: 'lb-1',
    process: '4711@1',
    version: '2.6.12',
    level: 'admin',
    processes: 1,
    missingBackends: [],
    disabledBackends: [],
    backends,
    outside,
  }
  const reading = { instance: 'lb-1', process: '4711@1', version: '2.6.12', at: monoMs(0), servers }
  const instance = {
    balancer: 'edge',
    instance: 'lb-1',
    backends: ['web'],
    allowLastServer: false,
    silentForMs: 0,
    reading,
  }
  const base = planSnapshot({ spec, silentPorts, instances: [instance], inspections: [inspection] }, { nodes })
  const plan = makePlan({ ...base, cluster: { ...base.cluster, nodes, workloads: daemonSets }, wall: wallMs(0) })
  const instances: readonly InstanceFound[] = [
    { balancer: 'edge', instance: 'lb-1', inspection: { is: 'found', value: inspection } },
  ]
  const snapshot: DoctorSnapshot = {
    stateDirectory: { is: 'found', value: '/state' },
    file: { is: 'found', value: { name: 'roll.yaml', spec } },
    kubeconfig: {
      is: 'found',
      value: { files: ['/kube/config'], context: { context: 'dev', server: 's', user: 'ann' } },
    },
    api: { is: 'found', value: { server: base.apiServer, version: 'v1.34.1' } },
    nodes: { is: 'found', value: nodes },
    daemonSets: { is: 'found', value: daemonSets },
    silentPorts: { is: 'found', value: silentPorts },
    wall: wallMs(0),
    instances,
  }
  const texts = doctorChecks(snapshot).map(({ text }) => text)
  return plan.findings.map(({ code, text }) => [code, texts.some((one) => one.startsWith(text))] as const)
}

const kuredLock = { namespace: 'kube-system', name: 'kured' }
const WORLDS: readonly (readonly [code: string, world: World])[] = [
  ['KuredNotFound', { spec: { reboot: { ...aSpec().reboot, kuredLock } } }],
  ['DataPortSilent', { silentPorts: [{ address: '10.0.0.1', port: 30080 }] }],
  ['DataPortUnknown', { server: { port: 0 } }],
  ['BalancerAgentCheck', { server: { agent: true, agentDisabled: true } }],
  ['BalancerBackendLeftOut', { outside: [{ backend: 'other', server: 'a', address: '10.0.0.1', port: 30443 }] }],
  ['BalancerServerDown', { server: { operational: 'down' } }],
]

for (const [code, world] of WORLDS)
  test(`doctor says ${code} in the words of the plan`, () => {
    const found = said(world)
    assert.deepEqual(
      found.filter(([one]) => one === code),
      [[code, true]],
      JSON.stringify(found),
    )
  })
