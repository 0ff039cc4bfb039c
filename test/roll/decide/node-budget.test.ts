import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatClaims } from '../../../src/ground/model/claims.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import { plainText } from '../../../src/ground/model/sentence.ts'
import type { SeenSlot } from '../../../src/ground/model/slot.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import type { BudgetReading } from '../../../src/service/decide/budget/budget-reading.ts'
import {
  aNode,
  anInstance,
  aRecord,
  aServer,
  aSnapshot,
  aSpec,
  detachedEvidence,
  drained,
} from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const NAMES = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6']

const slot = (index: number, run: string, node: string, change: Partial<SeenSlot> = {}): SeenSlot => ({
  index,
  owner: { holder: `${run}/a`, run, node },
  isStale: false,
  renewTime: '2026-01-01T00:00:00Z',
  durationMs: 120_000,
  ...change,
})

/** Of a machine of a load balancer: no Node tells whether it is back. */
const leftMachine: SeenSlot = {
  ...slot(0, 'run-2', 'lb-1', { isStale: true }),
  owner: { holder: 'run-2/a', run: 'run-2', node: 'lb-1', isMachine: true },
}

interface World {
  readonly max?: number
  readonly slots?: readonly SeenSlot[]
  readonly bad?: Readonly<Record<string, Partial<Node>>>
  readonly budget?: Partial<BudgetReading>
  readonly slot?: RollSnapshot['slot']['state']
  readonly record?: boolean
  readonly change?: Partial<RollSnapshot>
}

/** n1 of six nodes is to be begun by run-1. */
function decisionOf({
  max = 2,
  slots = [],
  bad = {},
  budget = {},
  slot: state = 'free',
  record,
  change = {},
}: World): ReturnType<typeof decide> {
  const s = aSnapshot(record === true ? { record: aRecord(), node: { unschedulable: false } } : {})
  const nodes = NAMES.map((name) => (name === 'n1' ? s.current.node : aNode(name, bad[name])))
  return decide({
    ...s,
    cluster: { ...s.cluster, nodes },
    instances: [anInstance(NAMES.map((name) => aServer(name)))],
    slot: { state, mayAct: state === 'mine' },
    budget: { limit: { kind: 'count', count: max }, cordons: 'noBrake', slots, ...budget },
    ...change,
  })
}

function decided(world: World): string {
  const decision = decisionOf(world)
  const what =
    decision.kind === 'act'
      ? decision.actions.map((action) =>
          action.kind === 'takeSlot'
            ? `take ${action.slot ?? 0}${action.takeStale ? ' from a stale one' : ''}`
            : action.kind,
        )
      : [decision.kind]
  const why = decision.kind === 'hold' ? decision.reasons.map(({ code, object }) => object ?? code) : []
  return [...what, ...why].join(' ')
}

const asking = (maxOut: number): Partial<RollSnapshot> => ({
  spec: aSpec({
    slots: { namespace: 'evenkeel', leaseDurationMs: 120_000, maxOut: { kind: 'count', count: maxOut } },
  }),
})

const failedToRelease: Partial<RollSnapshot> = {
  evidence: {
    ...aSnapshot().evidence,
    retries: {
      'releaseSlot n1': { failures: 1, notBefore: monoMs(Number.MAX_SAFE_INTEGER), error: 'the API server is busy' },
    },
  },
}

const notReady = { ready: 'Unknown' } as const
const recorded = { annotations: { 'evenkeel.dev/record': JSON.stringify(aRecord({ run: 'run-2' })) } }
const controller = { livesBy: { namespace: 'evenkeel', name: 'evenkeel-controller' } } as const
const claimed = (owner: string): Partial<Node> => ({
  annotations: { 'evenkeel.dev/maintenance': formatClaims([{ owner, id: 'c1' }]) },
})
const announced = { annotations: { ...recorded.annotations, 'evenkeel.dev/intent': '{}' } }
const granted = { version: 1, granted: ['n2'], max: 1, of: 6 } as const

/** Another lane of run-1 has that node in work. */
const inWork = (node: string): Partial<RollSnapshot> => ({
  run: { ...aSnapshot().run, beside: [{ node, goesFirst: true, isLeaving: true }] },
})

const unread = { code: 'BudgetUnread', text: 'the node budget could not be read' } as const

for (const [what, world, want] of [
  [
    'takes back the slot of its node that an earlier process of its run held',
    { max: 3, record: true, slots: [slot(1, 'run-1', 'n1')] },
    'take 1',
  ],
  [
    'takes back the slot of its node, not a lower one of its run for another node',
    { max: 3, record: true, slots: [slot(0, 'run-1', 'n2'), slot(1, 'run-1', 'n1')] },
    'take 1',
  ],
  [
    'takes no slot for a node that is out while it was never read which one it has',
    { record: true, budget: { fault: unread, isUnread: true } },
    'hold BudgetUnread',
  ],
  [
    'takes back its slot by what was read before, where the budget cannot be read any more',
    { record: true, slots: [slot(1, 'run-1', 'n1')], budget: { fault: unread } },
    'take 1',
  ],
  ['takes the first slot where none is held', {}, 'take 0'],
  [
    'takes another slot than the node of the same roll that is in work beside it',
    { slots: [slot(0, 'run-1', 'n2')], change: inWork('n2') },
    'take 1',
  ],
  [
    'takes over no stale slot of a node of the same roll that is in work beside it',
    { max: 2, slots: [slot(0, 'run-1', 'n2', { isStale: true })], change: inWork('n2') },
    'take 1',
  ],
  [
    'waits for the node of the same roll that is in work, and names it first, where the budget has no room for both',
    { max: 2, slots: [slot(0, 'run-1', 'n2'), slot(1, 'run-2', 'n3')], change: inWork('n2') },
    'hold n2 BudgetUsedUp n2 n3',
  ],
  ['takes the next slot where another run has one node out', { slots: [slot(0, 'run-2', 'n2')] }, 'take 1'],
  ['takes a slot that became free below one that is held', { slots: [slot(1, 'run-2', 'n2')] }, 'take 0'],
  [
    'takes no slot for a node that has one already from a time when there were more',
    { max: 1, slots: [slot(1, 'run-2', 'n1')] },
    'hold n1',
  ],
  [
    'holds where two other nodes are about to leave',
    { slots: [slot(0, 'run-2', 'n2'), slot(1, 'run-3', 'n3')] },
    'hold BudgetUsedUp n2 n3',
  ],
  [
    'counts a node once that has a slot, a record and is not Ready',
    { slots: [slot(0, 'run-2', 'n2')], bad: { n2: { ...recorded, ...notReady } } },
    'take 1',
  ],
  [
    'counts a node that is out without a slot beside one that has one',
    { slots: [slot(0, 'run-2', 'n2')], bad: { n3: notReady } },
    'hold BudgetUsedUp n2 n3',
  ],
  ['takes one beside a bad node where two may be out', { bad: { n2: notReady } }, 'take 0'],
  ['holds beside a bad node where one may be out', { max: 1, bad: { n2: notReady } }, 'hold n2'],
  [
    'counts a granted cordon, also where every server is up yet',
    { max: 1, bad: { n2: { unschedulable: true } }, budget: { cordons: granted } },
    'hold n2',
  ],
  [
    'counts no cordon that is not granted',
    { max: 1, bad: { n3: { unschedulable: true } }, budget: { cordons: granted } },
    'take 0',
  ],
  [
    'takes a slot from a run that is gone and left nothing',
    { slots: [slot(0, 'run-2', 'n2', { isStale: true }), slot(1, 'run-3', 'n3')] },
    'take 0 from a stale one',
  ],
  [
    'takes no slot from a run that is gone and left a machine of a load balancer, and another one',
    { slots: [leftMachine, slot(1, 'run-3', 'n3', { isStale: true })] },
    'take 1 from a stale one',
  ],
  [
    'takes no slot from a run that is gone and left a machine of a load balancer',
    { slots: [leftMachine, slot(1, 'run-3', 'n3')] },
    'take 0',
  ],
  [
    'takes a free slot beside the one that a run that is gone left for the machine of a load balancer on the very node',
    { slots: [{ ...leftMachine, owner: { ...leftMachine.owner, node: 'n1' } }] },
    'take 1',
  ],
  [
    'takes the slot that a run that is gone left for the very node, and no free one beside it',
    { max: 3, slots: [slot(2, 'run-2', 'n1', { isStale: true })] },
    'take 2 from a stale one',
  ],
  [
    'takes no slot from a run that is gone and left a record',
    { max: 3, slots: [slot(0, 'run-2', 'n2', { isStale: true })], bad: { n2: recorded } },
    'take 1',
  ],
  ['finds the slots above a budget that has become smaller', { max: 1, slots: [slot(3, 'run-2', 'n2')] }, 'hold n2'],
  ['holds where another owner has a slot for the very node', { slots: [slot(0, 'run-2', 'n1')] }, 'hold n1'],
  [
    'holds by a budget that makes no sense, and begins nothing',
    { budget: { fault: { code: 'MaxOutInvalid', text: 'data.maxOut is "0"' } } },
    'hold MaxOutInvalid',
  ],
  [
    'counts a slot whose node is in no list any more',
    { slots: [slot(0, 'run-2', 'gone'), slot(1, 'run-3', 'n3')] },
    'hold BudgetUsedUp n3 gone',
  ],
  [
    'counts a slot that names no node',
    { slots: [slot(0, 'run-3', 'n3'), { ...slot(1, 'run-2', ''), owner: { holder: 'run-2/a', run: 'run-2' } }] },
    'hold BudgetUsedUp n3 slot 1',
  ],
  [
    'does not ask again for a slot that it gave back, as long as it has no room',
    { max: 3, bad: { n3: notReady }, change: asking(1) },
    'hold n3',
  ],
  ['has its own slot back, whatever number it has', { slots: [slot(4, 'run-1', 'n1')] }, 'take 4'],
] satisfies readonly (readonly [string, World, string])[]) {
  test(`law: no roll begins a node that would be one more out than the budget allows; a roll that begins a node ${what}`, () =>
    assert.equal(decided(world), want))
}

for (const [what, world, want] of [
  ['begins where the others leave room', { slots: [slot(0, 'run-2', 'n2'), slot(1, 'run-1', 'n1')] }, 'writeRecord'],
  [
    'gives its slot back where it is one too many and has the higher slot',
    { slots: [slot(0, 'run-2', 'n2'), slot(1, 'run-1', 'n1')], bad: { n3: notReady } },
    'releaseSlot',
  ],
  [
    'keeps its slot and waits where it has the lower slot',
    { slots: [slot(0, 'run-1', 'n1'), slot(1, 'run-2', 'n2')], bad: { n3: notReady } },
    'hold BudgetUsedUp n2 n3',
  ],
  [
    'keeps its slot and waits for a run that has begun',
    { slots: [slot(0, 'run-2', 'n2'), slot(1, 'run-1', 'n1')], bad: { n2: recorded, n3: notReady } },
    'hold BudgetUsedUp n2 n3',
  ],
  [
    'gives its slot back where nodes that are out without a slot leave it no room, so that a run with more room may begin',
    { max: 3, slots: [slot(0, 'run-1', 'n1')], bad: { n3: notReady }, change: asking(1) },
    'releaseSlot',
  ],
  [
    'gives its slot back to nodes that are out without one, also where it has the lower slot',
    { slots: [slot(0, 'run-1', 'n1'), slot(1, 'run-2', 'n2')], bad: { n3: notReady, n4: notReady } },
    'releaseSlot',
  ],
  [
    'keeps its slot beside a bad node where there is one slot',
    { max: 1, slots: [slot(0, 'run-1', 'n1')], bad: { n3: notReady } },
    'hold n3',
  ],
  [
    'waits for the next try where giving its slot back failed a moment ago',
    {
      max: 3,
      slots: [slot(0, 'run-1', 'n1')],
      bad: { n3: notReady },
      change: { ...asking(1), ...failedToRelease },
    },
    'hold Retrying SlotYielded',
  ],
  [
    'keeps its slot and waits for a controller that has begun, whose node bears its claim and no record',
    {
      slots: [slot(0, 'evenkeel', 'n2', controller), slot(1, 'run-1', 'n1')],
      bad: { n2: claimed('ingress/edge'), n3: notReady },
    },
    'hold BudgetUsedUp n2 n3',
  ],
  [
    'gives its slot back to a controller of a lower slot whose node bears only the claim of a person',
    {
      slots: [slot(0, 'evenkeel', 'n2', controller), slot(1, 'run-1', 'n1')],
      bad: { n2: claimed('person/alice'), n3: notReady },
    },
    'releaseSlot',
  ],
  [
    'counts all other slots once it has its own, also where one node may be out',
    { max: 1, slots: [slot(0, 'run-2', 'n2'), slot(1, 'run-1', 'n1')] },
    'releaseSlot',
  ],
] satisfies readonly (readonly [string, World, string])[]) {
  test(`law: all nodes are counted again between the slot and the first touch, and of several owners that are too many the one of the lowest slot goes on; a roll that has a slot and has touched nothing ${what}`, () =>
    assert.equal(decided({ ...world, slot: 'mine' }), want))
}

test('law: all nodes are counted again between the slot and the first touch, and of several owners that are too many the one of the lowest slot goes on; a roll that has begun with its node does not wait for those who took a slot after it', () => {
  const slots = [slot(0, 'run-2', 'n2'), slot(1, 'run-1', 'n1')]
  assert.equal(decided({ slots, bad: { n3: notReady }, slot: 'mine', record: true }), 'cordon')
  assert.equal(
    decided({ slots, bad: { n2: recorded, n3: notReady }, slot: 'mine', record: true }),
    'hold BudgetUsedUp n2 n3',
  )
})

for (const [what, world, want] of [
  [
    'goes on past one of a higher slot that has begun too, once the budget is smaller',
    { max: 1, slots: [slot(0, 'run-1', 'n1'), slot(1, 'run-2', 'n2')], bad: { n2: recorded } },
    'cordon',
  ],
  [
    'goes on past one of a higher slot that has begun too, once a third node is bad',
    { slots: [slot(0, 'run-1', 'n1'), slot(1, 'run-2', 'n2')], bad: { n2: recorded, n3: notReady } },
    'cordon',
  ],
  [
    'waits for one of a lower slot that has begun too',
    { max: 1, slots: [slot(0, 'run-2', 'n2'), slot(1, 'run-1', 'n1')], bad: { n2: recorded } },
    'hold n2',
  ],
  [
    'waits for one of a higher slot that has announced its reboot',
    { max: 1, slots: [slot(0, 'run-1', 'n1'), slot(1, 'run-2', 'n2')], bad: { n2: announced } },
    'hold n2',
  ],
  [
    'waits for a node whose run has a higher slot and renews it no more',
    { max: 1, slots: [slot(0, 'run-1', 'n1'), slot(1, 'run-2', 'n2', { isStale: true })], bad: { n2: recorded } },
    'hold n2',
  ],
  [
    'goes on past a controller of a higher slot that has begun too',
    {
      max: 1,
      slots: [slot(0, 'run-1', 'n1'), slot(1, 'evenkeel', 'n2', controller)],
      bad: { n2: claimed('guard/edge') },
    },
    'cordon',
  ],
] satisfies readonly (readonly [string, World, string])[]) {
  test(`of two rolls that have begun, one ${what}`, () =>
    assert.equal(decided({ ...world, slot: 'mine', record: true }), want))
}

test('law: a roll file may ask for fewer nodes out than the budget allows, and never gets more; the file may ask for less than the budget allows, and never gets more', () => {
  const slots = [slot(0, 'run-2', 'n2')]
  assert.equal(decided({ slots, change: asking(1) }), 'hold n2')
  assert.equal(
    decided({ max: 2, slots: [...slots, slot(1, 'run-3', 'n3')], change: asking(5) }),
    'hold BudgetUsedUp n2 n3',
  )
})

test('a budget that is used up names the command that looks where this roll looks', () => {
  const next = (where: { readonly namespace: string; readonly grantsNamespace?: string }): string | undefined => {
    const slots = [slot(0, 'run-2', 'n2'), slot(1, 'run-3', 'n3')]
    const spec = aSpec({ slots: { leaseDurationMs: 120_000, ...where } })
    const decision = decisionOf({ slots, change: { spec } })
    return decision.kind === 'hold' ? plainText(decision.reasons[0]?.next ?? '') : undefined
  }
  assert.deepEqual(
    [
      next({ namespace: 'evenkeel' }),
      next({ namespace: 'ops' }),
      next({ namespace: 'evenkeel', grantsNamespace: 'edge' }),
      next({ namespace: 'ops', grantsNamespace: 'evenkeel' }),
    ],
    [
      'evenkeel budget shows which nodes are out, and for which owner',
      'evenkeel budget --namespace ops shows which nodes are out, and for which owner',
      'evenkeel budget --grants-namespace edge shows which nodes are out, and for which owner',
      'evenkeel budget --namespace ops --grants-namespace evenkeel shows which nodes are out, and for which owner',
    ],
  )
})

test('a roll that has announced a reboot and not sent it asks no more how many nodes are out', () => {
  const evidence = { ...detachedEvidence(), intentByUs: true }
  const s = aSnapshot({
    record: aRecord(),
    announced: true,
    node: { unschedulable: true },
    servers: drained(),
    evidence,
  })
  const cluster = { ...s.cluster, nodes: [s.current.node, aNode('n2'), aNode('n3', { ready: 'False' })] }
  assert.equal(shortDecision(decide({ ...s, cluster })), 'act reboot: sendReboot')
  const lost = decide({ ...s, cluster, slot: { state: 'lost', mayAct: false } })
  assert.equal(shortDecision(lost), 'hold slot: SlotTaken', 'without its slot it sends nothing')
})
