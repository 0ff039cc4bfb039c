import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before } from 'node:test'
import { isProgress, type Reason, type ReasonCode } from '../../src/ground/model/reason.ts'
import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { requires } from '../support/requires.ts'
import { atNight, describeAtNight } from '../support/roll-bed/at-night.ts'
import { RATE_BESIDE_OTHERS, RollBed } from '../support/roll-bed/roll-bed.ts'
import { story } from '../support/roll-ground/story.ts'
import { OperationPlace } from '../support/roll-operation/operation-place.ts'
import { type Arranged, NOTHING, type OperationRow } from '../support/roll-operation/operation-row.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Until the node is drained, on a bed. */
const UNTIL_DRAINED_MS = 75_000

/** A window that opened some ten minutes ago, the shortest that a file may have, and closes then. */
function openUntil(closesAtMs: number): object {
  const opensAtMs = Math.floor((closesAtMs - 10 * MINUTE_MS) / MINUTE_MS) * MINUTE_MS
  const opens = new Date(opensAtMs)
  const cron = `${opens.getUTCMinutes()} ${opens.getUTCHours()} * * *`
  return { zone: 'UTC', open: [{ cron, duration: `${closesAtMs - opensAtMs}ms` }], waitLimit: '0s' }
}

/** A gate before the reboot keeps the drained node waiting until the window has closed. */
function closesInTheWork(place: OperationPlace, onClose: 'restore' | 'finish'): Arranged {
  const closesAtMs = Date.now() + UNTIL_DRAINED_MS
  const { gate, open } = place.door('reboot')
  return {
    spec: { gates: [gate], window: { ...openUntil(closesAtMs), onClose } },
    async meanwhile(roll) {
      await roll.untilHeld('GateFails')
      if (onClose === 'restore') return
      const limitMs = UNTIL_DRAINED_MS + 5_000
      await waitFor({ what: 'the end of the window', limitMs }, () => Date.now() > closesAtMs + 1_000 || undefined)
      await open()
    },
  }
}

/** Time windows that are closed, or that close while a node is out. */
const WINDOW_ROWS: readonly OperationRow[] = [
  {
    situation: 'a window that is closed, for a roll that does not wait for the next one',
    nodes: ['n1'],
    arrange() {
      const opens = new Date(Date.now() + 6 * HOUR_MS)
      const open = [{ cron: `0 ${opens.getUTCHours()} * * *`, duration: '1h' }]
      return { spec: { window: { zone: 'UTC', open, waitLimit: '0s' } } }
    },
    exit: 3,
    says: ['WindowClosed'],
    words: [/no time window is open; the next one opens/],
    leaves: {},
  },
  {
    situation: 'a window that closes when the node is drained, with onClose restore',
    nodes: ['n1'],
    arrange: (place) => closesInTheWork(place, 'restore'),
    exit: 3,
    says: ['GateFails', 'WindowClosed'],
    words: [/the time window closed before the reboot of n1 was announced, so n1 is put back/],
    leaves: {},
  },
  {
    situation: 'a window that closes when the node is drained, with onClose finish',
    nodes: ['n1'],
    arrange: (place) => closesInTheWork(place, 'finish'),
    exit: 0,
    says: ['GateFails'],
    words: [],
    leaves: { boots: { n1: 1 } },
  },
]

const silence = (url: string, change: object = {}): object => ({
  name: 'am',
  url,
  matchers: [{ name: 'node', value: '{node}' }],
  timeout: '1s',
  ...change,
})

/** A child that no process has waited for may be left as a zombie, which runs no more. */
async function hasEnded(pid: string): Promise<true | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat === '' || /\) Z /.test(stat) || undefined
}

async function bothHaveEnded(place: OperationPlace): Promise<void> {
  const pids = (await readFile(place.path('pids'), 'utf8')).trim().split(' ')
  assert.equal(pids.length, 2)
  for (const pid of pids) await waitFor({ what: `the end of process ${pid}`, limitMs: 5_000 }, () => hasEnded(pid))
}

/** Hooks that fail or hang, and a real Alertmanager that is away or frozen. */
const HOOK_ROWS: readonly OperationRow[] = [
  {
    situation: 'a hook that fails before the reboot is announced: those before it are undone, those after it never run',
    nodes: ['n1', 'n2'],
    async arrange(place) {
      const [good, bad] = [await place.hook(), await place.hook('bad', 'echo "no quorum" >&2; exit 7')]
      return {
        spec: {
          hooks: [
            { name: 'outer', at: 'beforeNode', run: [good, 'outer'], undo: [good, 'undo outer'] },
            { name: 'bad', at: 'beforeReboot', run: [bad, 'bad'], undo: [good, 'undo bad'] },
            { name: 'later', at: 'beforeReboot', run: [good, 'later'], undo: [good, 'undo later'] },
          ],
        },
      }
    },
    exit: 1,
    says: ['HookFailed'],
    words: [/hook bad failed for n1: .*bad ended with exit code 7: no quorum/],
    leaves: { hooks: ['outer', 'bad', 'undo bad', 'undo outer'] },
  },
  {
    situation: 'a hook that fails after the reboot: its node comes back, and the next one is not begun',
    nodes: ['n1', 'n2'],
    async arrange(place) {
      const [good, bad] = [await place.hook(), await place.hook('bad', 'exit 1')]
      return {
        spec: {
          hooks: [
            { name: 'noout', at: 'beforeReboot', run: [good, 'set'], undo: [good, 'unset'] },
            { name: 'check', at: 'afterReboot', run: [bad, 'check'] },
          ],
        },
      }
    },
    exit: 1,
    says: ['HookFailed'],
    words: [/hook check failed for n1: .*bad ended with exit code 1/],
    leaves: { boots: { n1: 1 }, hooks: ['set', 'check', 'unset'] },
  },
  {
    situation: 'a hook that hangs, with a process that it started',
    nodes: ['n1'],
    async arrange(place) {
      const good = await place.hook()
      const hangs = await place.hook('hangs', 'sleep 300 &\necho "$$ $!" > pids\nwait')
      const slow = { name: 'slow', at: 'beforeReboot', run: [hangs, 'run'], undo: [good, 'undo'], timeout: '2s' }
      return { spec: { hooks: [slow] } }
    },
    exit: 1,
    says: ['HookFailed'],
    words: [/hook slow failed for n1: .*hangs did not end within 2000 ms/],
    leaves: { hooks: ['run', 'undo'] },
    and: bothHaveEnded,
  },
  {
    situation: 'an Alertmanager that is away, for a roll that only warns of it',
    nodes: ['n1'],
    async arrange(place) {
      const hook = await place.hook()
      return {
        spec: {
          silences: [silence('http://127.0.0.1:9093')],
          hooks: [{ name: 'noout', at: 'beforeReboot', run: [hook, '{node}'], undo: [hook, 'undo', '{node}'] }],
        },
      }
    },
    exit: 0,
    says: [],
    words: [/alerts of n1 are not silenced in am: .*ECONNREFUSED/],
    leaves: { boots: { n1: 1 }, hooks: ['n1', 'undo n1'] },
  },
  {
    situation:
      'an Alertmanager that is frozen, and goes on while the roll waits: the node is silenced until it is back',
    nodes: ['n1'],
    async arrange(place) {
      const server = await place.alertmanager()
      await server.start()
      server.freeze()
      return {
        spec: { silences: [silence(server.url, { onFailure: 'hold' })] },
        async meanwhile(roll) {
          await roll.untilHeld('SilenceFailed')
          server.thaw()
          await roll.untilStep('proof', 'n1')
          assert.deepEqual(new Set(await place.silences()), new Set(['n1']))
        },
      }
    },
    exit: 0,
    says: ['SilenceFailed'],
    words: [/alerts of n1 are not silenced in am: /],
    leaves: { boots: { n1: 1 } },
  },
]

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
const GATE_ROWS: readonly OperationRow[] = [
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

const REMOVAL = 'ToBeDeletedByClusterAutoscaler'
const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers'
const LOCK = 'weave.works/kured-node-lock'
const HELD = JSON.stringify({ nodeID: 'node-of-kured', created: '2026-01-01T00:00:00Z', TTL: 0 })

/** A DaemonSet of that name without a pod: what a roll reads is its annotation. */
const KURED = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'kured', namespace: 'kube-system' },
  spec: {
    selector: { matchLabels: { name: 'kured' } },
    template: {
      metadata: { labels: { name: 'kured' } },
      spec: { nodeSelector: { nowhere: 'at-all' }, containers: [{ name: 'kured', image: 'none' }] },
    },
  },
}

const lock = (place: OperationPlace, value: string) =>
  place.kubectl('-n', 'kube-system', 'annotate', '--overwrite', 'daemonset/kured', `${LOCK}=${value}`)

const unlock = (place: OperationPlace) => place.kubectl('-n', 'kube-system', 'annotate', 'daemonset/kured', `${LOCK}-`)

async function isLocked(place: OperationPlace): Promise<boolean> {
  const got = JSON.parse(await place.kubectl('-n', 'kube-system', 'get', 'daemonset/kured', '-o', 'json'))
  return LOCK in got.metadata.annotations
}

const withoutKured = (place: OperationPlace) => place.kubectl('-n', 'kube-system', 'delete', 'daemonset/kured')

/** As a storage operator or a person would set it. */
const draining = (place: OperationPlace, status: 'True' | 'False') => {
  const condition = { type: 'DrainInProgress', status, reason: 'ByHand', message: 'alice drains it' }
  const patch = JSON.stringify({ status: { conditions: [condition] } })
  return place.kubectl('patch', 'node', place.node, '--subresource=status', '--type=strategic', '-p', patch)
}

/** Other programs that remove nodes, reboot them, or work on them. */
const CONTRACT_ROWS: readonly OperationRow[] = [
  {
    situation: 'a next node that the Cluster Autoscaler is about to remove',
    nodes: ['n1', 'n2'],
    arrange: (place) => ({
      spec: { drain: { blockedLimit: '5s' } },
      async meanwhile(roll) {
        await roll.untilStep('proof', 'n1')
        await place.kubectl('taint', 'node', 'n2', `${REMOVAL}=1:PreferNoSchedule`)
      },
    }),
    exit: 3,
    says: ['NodeBeingRemoved'],
    words: [/n2 is being removed by the Cluster Autoscaler: it has the taint ToBeDeletedByClusterAutoscaler/],
    leaves: { boots: { n1: 1 }, leftovers: [`n2 taint ${REMOVAL}`] },
    and: async (place) => void (await place.kubectl('taint', 'node', 'n2', `${REMOVAL}-`)),
  },
  {
    situation: 'the lock of kured, which is taken before the node and given back',
    nodes: ['n1'],
    async arrange(place) {
      await place.bed.bed.apply([KURED])
      const { gate, open } = place.door('node')
      return {
        spec: { gates: [gate] },
        async meanwhile(roll) {
          await roll.untilHeld('GateFails')
          await lock(place, HELD)
          await open()
          await roll.untilHeld('KuredLockHeld')
          await unlock(place)
        },
      }
    },
    exit: 0,
    says: ['GateFails', 'KuredLockHeld'],
    words: [/the lock of kured \(DaemonSet kube-system\/kured\) is held by node-of-kured/],
    leaves: { boots: { n1: 1 } },
    and: async (place) => void (await withoutKured(place)),
  },
  {
    situation: 'the lock of kured, which is taken when the node is drained and never given back',
    nodes: ['n1'],
    async arrange(place) {
      await place.bed.bed.apply([KURED])
      const { gate, open } = place.door('reboot')
      return {
        spec: { gates: [gate], drain: { blockedLimit: '10s' } },
        async meanwhile(roll) {
          await roll.untilHeld('GateFails')
          await lock(place, HELD)
          await open()
        },
      }
    },
    exit: 3,
    says: ['GateFails', 'KuredLockHeld'],
    words: [/the lock of kured \(DaemonSet kube-system\/kured\) is held by node-of-kured/],
    leaves: {},
    async and(place) {
      assert.equal(await isLocked(place), true)
      await withoutKured(place)
    },
  },
  {
    situation:
      'a node that another program drains, by a condition of KEP-5683, and that load balancers of a cloud leave out',
    nodes: ['n1'],
    async arrange(place) {
      await place.kubectl('label', 'node', place.node, `${EXCLUDED}=`)
      await draining(place, 'True')
      return {
        spec: {},
        async meanwhile(roll) {
          await roll.untilHeld('NodeInOthersWork')
          await draining(place, 'False')
        },
      }
    },
    exit: 0,
    says: ['NodeInOthersWork'],
    words: [/DrainInProgress/],
    leaves: { boots: { n1: 1 } },
    async and(place) {
      const node = JSON.parse(await place.kubectl('get', 'node', place.node, '-o', 'json'))
      assert.equal(node.metadata.labels[EXCLUDED], '')
      await place.kubectl('label', 'node', place.node, `${EXCLUDED}-`)
    },
  },
]

/** The windows last: by then rolls of this cluster have shown how long a node takes, so a node fits into a short window. */
const ROWS: readonly OperationRow[] = [...GATE_ROWS, ...HOOK_ROWS, ...CONTRACT_ROWS, ...WINDOW_ROWS]

/** On a real cluster a write of the roll meets one of the kubelet at times: it is made again, and the step waits for it. No row is about that. */
const MADE_AGAIN: readonly ReasonCode[] = ['Retrying', 'BudgetUnread', 'CordonedByUs', 'NotRecorded', 'NoIntent']

describeAtNight('a roll in a real operation, on real nodes', requires('testbed', 'prometheus'), () => {
  let opened: RollBed | undefined
  before(async () => {
    opened = await RollBed.open({ nodes: 3, fast: true, judgeRate: RATE_BESIDE_OTHERS, database: false })
  })
  after(() => opened?.close())

  for (const row of ROWS) {
    atNight(`${row.situation} (exit ${row.exit})`, { timeout: 300_000 }, async (t) => {
      assert.ok(opened)
      const place = await OperationPlace.open(opened, row.nodes)
      t.after(() => place.close())
      await goesAsItSays(row, place)
      await opened.settled()
    })
  }
})

async function goesAsItSays(row: OperationRow, place: OperationPlace): Promise<void> {
  const judge = place.bed.judge()
  const arranged = await row.arrange(place)
  const roll = place.begin(arranged)
  const [code] = await Promise.all([place.end(roll), arranged.meanwhile?.(roll)])
  const { stderr } = await roll.ended()
  const said = roll.events.flatMap(saidIn)
  const warnings = roll.events.flatMap((event) => (event.type === 'warning' ? [event.text] : []))
  const all = [stderr, ...said.map(({ code, text }) => `${code}: ${text}`), ...warnings].join('\n')
  const { failedRequests, sentRequests, windows } = await judge.verdict()
  assert.equal(code, row.exit, `${all}\n${story(roll.events)}`)
  assert.deepEqual(codesOf(said), row.says, all)
  for (const words of row.words) assert.match(all, words)
  assert.deepEqual(await place.left(), { ...NOTHING, ...row.leaves }, all)
  assert.ok(sentRequests > 10, `the judge sent ${sentRequests} requests`)
  assert.deepEqual([failedRequests, windows], [0, []], all)
  await row.and?.(place)
}

/** Holds that are no normal part of their step, and why the roll ended. */
function saidIn(event: StampedEvent): readonly Reason[] {
  const isHold = event.type === 'hold.started' || event.type === 'hold.changed'
  if (isHold) return event.reasons.filter((reason) => !isProgress(reason))
  return event.type === 'roll.ended' ? event.reasons : []
}

const codesOf = (said: readonly Reason[]): readonly ReasonCode[] =>
  [...new Set(said.map(({ code }) => code).filter((code) => !MADE_AGAIN.includes(code)))].toSorted()
