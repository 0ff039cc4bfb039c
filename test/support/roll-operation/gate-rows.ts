import assert from 'node:assert/strict'
import type { OperationPlace } from './operation-place.ts'
import type { OperationRow } from './operation-row.ts'

const OFTEN = { timesInARow: 1, interval: '500ms', timeout: '5s' }

const storage = (url: string, change: object = {}): object => ({
  ...OFTEN,
  name: 'storage',
  before: 'node',
  prometheus: { url, query: 'storage_degraded', expect: '== 0' },
  ...change,
})

const OPEN = 'roll-may-go'

/** A gate on a ConfigMap, which the rights that are shipped do not include. */
const onConfigMap = {
  ...OFTEN,
  name: 'window',
  before: 'node',
  object: {
    version: 'v1',
    resource: 'configmaps',
    namespace: 'default',
    name: OPEN,
    passWhen: 'object.data.open == "yes"',
  },
}

const MAY_READ = [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: OPEN, namespace: 'default' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: [OPEN], verbs: ['get'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: OPEN, namespace: 'default' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: OPEN },
    subjects: [{ kind: 'ServiceAccount', name: 'evenkeel-roll', namespace: 'evenkeel' }],
  },
]

const configMap = (open: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: OPEN, namespace: 'default' },
  data: { open },
})

async function withoutConfigMap(place: OperationPlace): Promise<void> {
  await place.kubectl('-n', 'default', 'delete', `configmap/${OPEN}`, `role/${OPEN}`, `rolebinding/${OPEN}`)
}

/** Gates that ask a real Prometheus, the API server and programs. */
export const GATE_ROWS: readonly OperationRow[] = [
  {
    situation: 'a Prometheus that refuses connections, and is started while the roll waits',
    nodes: ['n1'],
    async arrange(place) {
      const server = await place.prometheus()
      return {
        spec: { gates: [storage(server.url)] },
        async meanwhile(roll) {
          await roll.untilHeld('GateUnknown', 'ECONNREFUSED')
          await server.start([0])
        },
      }
    },
    exit: 0,
    says: ['GateUnknown'],
    words: [/gate storage has no answer: GET http:\/\/127\.0\.0\.1:9090\/api\/v1\/query failed: connect ECONNREFUSED/],
    leaves: { boots: { n1: 1 } },
  },
  {
    situation: 'a Prometheus that is frozen for longer than the limit of the gate',
    nodes: ['n1'],
    async arrange(place) {
      const server = await place.prometheus()
      await server.start([0])
      server.freeze()
      return { spec: { gates: [storage(server.url, { timeout: '500ms', limit: '2s' })] } }
    },
    exit: 3,
    says: ['GateLimit', 'GateUnknown'],
    words: [/gate storage did not pass within its limit \(2 s\): GET \S+ has no whole answer within 500 ms/],
    leaves: {},
  },
  {
    situation:
      'a Prometheus without the series, then with NaN, with two series, with a bad value, and with the right one',
    nodes: ['n1'],
    async arrange(place) {
      const server = await place.prometheus()
      await server.start([])
      return {
        spec: { gates: [storage(server.url)] },
        async meanwhile(roll) {
          await roll.untilHeld('GateUnknown', 'no series matches')
          await server.set(['NaN'])
          await roll.untilHeld('GateUnknown', 'NaN')
          await server.set([0, 0])
          await roll.untilHeld('GateUnknown', '2 series match')
          await server.set([1])
          await roll.untilHeld('GateFails')
          await server.set([0])
        },
      }
    },
    exit: 0,
    says: ['GateFails', 'GateUnknown'],
    words: [/its value is NaN, which compares with nothing/],
    leaves: { boots: { n1: 1 } },
  },
  {
    situation: 'a gate on an object that is closed, that the roll may then not read, and that is opened',
    nodes: ['n1'],
    async arrange(place) {
      await place.bed.bed.apply([configMap('no'), ...MAY_READ])
      return {
        spec: { gates: [onConfigMap] },
        async meanwhile(roll) {
          await roll.untilHeld('GateFails')
          await place.kubectl('-n', 'default', 'delete', `rolebinding/${OPEN}`)
          await roll.untilHeld('GateUnknown', 'forbidden')
          await place.bed.bed.apply([configMap('yes'), ...MAY_READ])
        },
      }
    },
    exit: 0,
    says: ['GateFails', 'GateUnknown'],
    words: [/gate window has no answer: .*forbidden/],
    leaves: { boots: { n1: 1 } },
    and: withoutConfigMap,
  },
  {
    situation: 'a program before the reboot that ends with 1 up to the limit of its gate, when the node is drained',
    nodes: ['n1'],
    async arrange(place) {
      const [program, hook] = [await place.program('may-reboot', 'exit 1'), await place.hook()]
      return {
        spec: {
          gates: [{ ...OFTEN, name: 'replicas', before: 'reboot', command: [program], limit: '2s' }],
          hooks: [{ name: 'noout', at: 'beforeNode', run: [hook, 'set'], undo: [hook, 'unset'] }],
        },
      }
    },
    exit: 3,
    says: ['GateFails', 'GateLimit'],
    words: [/gate replicas did not pass within its limit \(2 s\): .*may-reboot ended with exit code 1/],
    leaves: { hooks: ['set', 'unset'] },
  },
  {
    situation:
      'a gate before the attach that does not pass: the node stays out, the next one is not begun, resume goes on',
    nodes: ['n1', 'n2'],
    async arrange(place) {
      const [program, hook] = [await place.program('may-attach', 'exit 1'), await place.hook()]
      return {
        spec: {
          gates: [{ ...OFTEN, name: 'volumes', before: 'attach', command: [program], limit: '2s' }],
          hooks: [{ name: 'noout', at: 'beforeReboot', run: [hook, 'set'], undo: [hook, 'unset'] }],
        },
      }
    },
    exit: 1,
    says: ['GateFails', 'GateLimit'],
    words: [/gate volumes did not pass within its limit \(2 s\)/],
    leaves: {
      boots: { n1: 1 },
      leftovers: [
        'n1 annotation evenkeel.dev/intent',
        'n1 annotation evenkeel.dev/record',
        'web/n1 drain',
        'edge/n1 drain',
      ],
      hooks: ['set', 'unset'],
      slots: ['evenkeel-slot-0'],
    },
    async and(place) {
      await place.program('may-attach', 'exit 0')
      const judge = place.bed.judge()
      const { code, stderr } = await place.bed.roll('resume').ended()
      assert.equal(code, 0, stderr)
      assert.equal((await judge.verdict()).failedRequests, 0)
      assert.deepEqual(await place.bed.leftovers(), [])
      assert.deepEqual(await place.hooks(), ['set', 'unset', 'set', 'unset'])
    },
  },
]
