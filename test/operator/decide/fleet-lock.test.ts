import assert from 'node:assert/strict'
import { test } from 'node:test'
import { present } from '../../../src/ground/model/present.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import {
  type FleetLockGroup,
  type FleetLockSnapshot,
  fleetLockAnswer,
  wantedFleetLockRoll,
} from '../../../src/operator/decide/fleet-lock.ts'
import { FLEET_LOCK_NODES } from '../../../src/operator/model/fleet-lock-node.ts'
import { ROLLS } from '../../../src/operator/model/roll-kind.ts'
import type { RollObject } from '../../../src/operator/model/roll-object.ts'
import { ROLL_SCHEDULES } from '../../../src/operator/model/roll-schedule.ts'
import { fleetLockGroup } from '../../../src/operator/reading/fleet-lock-group.ts'

const BOOT = '8d3c0c8b-0000-4000-8000-000000000001'
const OTHER = '8d3c0c8b-0000-4000-8000-000000000002'
const RUN = '20260101-000000-abcd'
const ANOTHER_RUN = '20260101-000000-ef01'
const NAME = 'default-bel2dk2nlk'

const metadata = (name: string, more: object = {}) => ({
  namespace: 'evenkeel',
  name,
  uid: name,
  resourceVersion: '1',
  ...more,
})

const written = (bootId: string, run: string, more: object = {}) =>
  JSON.stringify({ version: 1, run, bootId, at: 'then', id: '00000000aaaaaaaa', ...more })

interface Word {
  readonly boot?: string
  readonly run?: string
  readonly by?: string
}

interface Given {
  readonly name?: string
  readonly cordoned?: boolean
  readonly deleting?: boolean
  readonly labels?: object
  readonly record?: Word | string | undefined
  readonly intent?: Word | string | undefined
  readonly request?: Word | string | undefined
}

const RECORDED = { unschedulable: false, taints: [], servers: [], daemons: [], workloads: {}, dnsReady: 0 }

function node({ name = 'n1', cordoned = false, deleting = false, labels = {}, record, intent, request }: Given = {}) {
  const text = (word: Word | string | undefined, more: object): string | undefined =>
    typeof word === 'object'
      ? written(word.boot ?? BOOT, word.run ?? RUN, { ...more, ...(word.by && { by: word.by }) })
      : word
  const annotations = {
    'evenkeel.dev/record': text(record, RECORDED),
    'evenkeel.dev/intent': text(intent, {}),
    'evenkeel.dev/reboot-request': text(request, {}),
  }
  const known = Object.fromEntries(Object.entries(annotations).filter(([, value]) => value !== undefined))
  const at = deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}
  return FLEET_LOCK_NODES.parse(
    new Untrusted(
      {
        metadata: { ...metadata(name), labels, annotations: known, ...at },
        spec: { unschedulable: cordoned },
        status: { nodeInfo: { bootID: BOOT, machineID: 'a'.repeat(32) } },
      },
      'node',
    ),
  )
}

function roll(
  name: string,
  state: string,
  { of = 'n1', reason = 'RollStopped', out = false, deleting = false, step = '', done = 0 } = {},
): RollObject {
  const at = deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}
  const conditions = [
    { type: 'Stopped', status: state === 'Stopped' ? 'True' : 'False', reason, message: '', lastTransitionTime: '' },
  ]
  const inWork = step === '' ? [] : [{ name: of, state: 'InWork', step }]
  const nodes = out ? [{ name: of, state: 'Out' }] : inWork
  return ROLLS.parse(
    new Untrusted(
      {
        metadata: { ...metadata(name), labels: { 'evenkeel.dev/roll-schedule-uid': 'default' }, ...at },
        spec: { nodes: { names: [of] }, reboot: { fleetLock: {} } },
        status: { state, message: 'so it is', conditions, nodes, nodesDone: done },
      },
      'roll',
    ),
  )
}

function group(spec: object = {}, file: object = {}) {
  const template = { spec: { nodes: { all: true }, reboot: { fleetLock: {} }, ...file } }
  const schedule = ROLL_SCHEDULES.parse(
    new Untrusted({ metadata: metadata('default'), spec: { when: 'FleetLock', template, ...spec } }, 'schedule'),
  )
  return fleetLockGroup(schedule, [])
}

type Asked = Omit<Partial<FleetLockSnapshot>, 'group'> & { readonly group?: FleetLockGroup | undefined }

function answer(verb: FleetLockSnapshot['verb'], given: Asked = {}): string {
  const { group: asked, ...rest } = { group: group(), ...given }
  const s = {
    verb,
    groupName: 'default',
    isFresh: true,
    nodes: [node()],
    rolls: [],
    ...present({ group: asked }),
    ...rest,
  }
  const { status, kind, action } = fleetLockAnswer(s)
  const does = action === undefined ? '' : action.kind === 'makeRoll' ? ` +${action.name}` : ` -${action.roll.name}`
  return `${status} ${kind}${does}`
}

const ALLOWED: Given = { cordoned: true, record: {}, intent: {}, request: { by: 'fleetLock' } }

test('a client that wants to reboot is answered by what the cluster shows', () => {
  const rows: readonly (readonly [string, Asked, string])[] = [
    ['nothing is known', { isFresh: false }, '503 unknown'],
    ['no Node has the id', { nodes: [] }, '404 unknown_id'],
    ['two Nodes have it', { nodes: [node(), node({ name: 'n2' })] }, '409 ambiguous_id'],
    ['no RollSchedule', { group: undefined }, '404 unknown_group'],
    ['a RollSchedule of times', { group: group({ when: 'Always', schedule: '0 * * * *' }) }, '404 unknown_group'],
    ['one with a wrong field', { group: group({}, { soak: 'for ever' }) }, '409 group_refused'],
    ['one whose file reboots in another way', { group: group({}, { reboot: { rebooter: {} } }) }, '409 group_refused'],
    ['one that is suspended', { group: group({ suspend: true }) }, '409 suspended'],
    ['one that chooses other nodes', { group: group({}, { nodes: { selector: 'role=web' } }) }, '409 not_chosen'],
    ['one that chooses it', { group: group({}, { nodes: { names: ['n1'] } }) }, `409 in_work +${NAME}`],
    ['nothing is in the way', {}, `409 in_work +${NAME}`],
    ['another node is in work', { rolls: [roll('r2', 'Running', { of: 'n2' })] }, '409 busy'],
    ['another node waits', { rolls: [roll('r2', 'Held', { of: 'n2' })] }, '409 busy'],
    ['another node was left out', { rolls: [roll('r2', 'Stopped', { of: 'n2', out: true })] }, '409 busy'],
    ['another node is done', { rolls: [roll('r2', 'Succeeded', { of: 'n2' })] }, `409 in_work +${NAME}`],
    ['its Roll is under way', { rolls: [roll(NAME, 'Running')] }, '409 in_work'],
    ['its Roll is being deleted', { rolls: [roll(NAME, 'Stopped', { deleting: true })] }, '409 in_work'],
    ['its Roll has ended', { rolls: [roll(NAME, 'Stopped')] }, '409 stopped'],
    ['its Roll of an earlier boot has ended', { rolls: [roll('r1', 'Succeeded')] }, `409 in_work +${NAME}`],
    ['another run has it', { nodes: [node({ record: { run: ANOTHER_RUN } })] }, '409 in_work'],
    ['a record cannot be read', { nodes: [node({ record: '{' })] }, '409 in_work'],
  ]
  for (const [title, given, wanted] of rows) assert.equal(answer('pre-reboot', given), wanted, title)
})

test('law: a client hears that its machine may reboot only while its Node is cordoned, and bears the record, the announced reboot and the leave of one run for this very boot; whatever else is there', () => {
  const rows: readonly (readonly [string, Given, string])[] = [
    ['all of it', ALLOWED, '200 may_reboot'],
    ['no cordon', { ...ALLOWED, cordoned: false }, '409 in_work'],
    ['no record', { ...ALLOWED, record: undefined }, '409 in_work'],
    ['no intent', { ...ALLOWED, intent: undefined }, '409 in_work'],
    ['no request', { ...ALLOWED, request: undefined }, '409 in_work'],
    ['a request to the rebooter', { ...ALLOWED, request: {} }, '409 in_work'],
    ['a request to somebody else', { ...ALLOWED, request: { by: 'x' } }, '409 in_work'],
    ['an intent of another boot', { ...ALLOWED, intent: { boot: OTHER } }, '409 in_work'],
    ['a record of another boot', { ...ALLOWED, record: { boot: OTHER } }, '409 in_work'],
    ['a request of another boot', { ...ALLOWED, request: { by: 'fleetLock', boot: OTHER } }, '409 in_work'],
    ['an intent of another run', { ...ALLOWED, intent: { run: ANOTHER_RUN } }, '409 in_work'],
    ['a record of another run', { ...ALLOWED, record: { run: ANOTHER_RUN } }, '409 in_work'],
    ['a Node that is being deleted', { ...ALLOWED, deleting: true }, '409 in_work'],
    ['an intent that is no JSON', { ...ALLOWED, intent: 'yes' }, '409 in_work'],
  ]
  for (const [title, given, wanted] of rows) assert.equal(answer('pre-reboot', { nodes: [node(given)] }), wanted, title)
  // A yes is not taken back by what people change meanwhile: the reboot is announced.
  const meanwhile = { group: undefined, rolls: [roll(NAME, 'Stopped', { out: true })] }
  assert.equal(answer('pre-reboot', { nodes: [node(ALLOWED)], ...meanwhile }), '200 may_reboot')
})

test('a client that says that its machine is steady is answered once nothing of a roll is on its Node', () => {
  const active = [roll(NAME, 'Running')]
  const late = roll(NAME, 'Stopped', { out: true, reason: 'NodeDidNotReturn' })
  const back = [node({ cordoned: true, record: { boot: OTHER }, intent: { boot: OTHER } })]
  const rows: readonly (readonly [string, Asked, string])[] = [
    ['nothing is known', { isFresh: false }, '503 unknown'],
    ['it has never asked', {}, '200 in_service'],
    ['its group is gone', { group: undefined }, '200 in_service'],
    ['no Node has the id', { nodes: [] }, '404 unknown_id'],
    ['it is in its turn no more', { rolls: active }, `409 withdrawn -${NAME}`],
    ['it is drained', { nodes: [node({ record: {} })], rolls: active }, `409 withdrawn -${NAME}`],
    ['its Roll is being deleted', { rolls: [roll(NAME, 'Aborting', { deleting: true })] }, '409 withdrawn'],
    ['it may reboot', { nodes: [node(ALLOWED)], rolls: active }, '409 announced'],
    ['the limit is over', { nodes: [node(ALLOWED)], rolls: [late] }, '409 announced'],
    ['it was rebooted', { nodes: back, rolls: active }, '409 returning'],
    ['it was rebooted after the limit', { nodes: back, rolls: [late] }, `409 returning -${NAME}`],
    ['it was rebooted, and lost requests', { nodes: back, rolls: [roll(NAME, 'Stopped', { out: true })] }, '409 out'],
    ['it is back, and its Roll has not said so', { rolls: [roll('r1', 'Running', { step: 'soak' })] }, '409 returning'],
    ['it is back, and its Roll is about to end', { rolls: [roll('r1', 'Running', { done: 1 })] }, '409 returning'],
    ['others rebooted it before its turn', { rolls: [roll('r1', 'Waiting')] }, '409 withdrawn -r1'],
    ['others rebooted it as it had no slot', { rolls: [roll('r1', 'Held', { step: 'slot' })] }, '409 withdrawn -r1'],
    ['another run has it', { nodes: [node({ record: { run: ANOTHER_RUN } })] }, '409 out'],
    ['a record cannot be read', { nodes: [node({ record: '{' })] }, '409 out'],
    ['its Roll is done', { rolls: [roll(NAME, 'Succeeded')] }, '200 in_service'],
    ['its Roll left nothing out', { rolls: [roll(NAME, 'Stopped')] }, '200 in_service'],
    ['another node is in work', { rolls: [roll('r2', 'Running', { of: 'n2' })] }, '200 in_service'],
  ]
  for (const [title, given, wanted] of rows) assert.equal(answer('steady-state', given), wanted, title)
})

test('the Roll of a client is the template for its node alone', () => {
  const { schedule } = group({}, { nodes: { selector: 'a=b', allowUnbalanced: true }, soak: '1s' })
  const { metadata: of, spec } = wantedFleetLockRoll({ kind: 'makeRoll', name: NAME, node: 'n1', schedule })
  assert.deepEqual(spec, {
    nodes: { allowUnbalanced: true, names: ['n1'] },
    reboot: { fleetLock: {} },
    soak: '1s',
  })
  assert.deepEqual(of.labels, { 'evenkeel.dev/roll-schedule-uid': 'default', 'evenkeel.dev/fleetlock': 'true' })
})
