import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FleetFacts, NodeFact, SlotFact } from '../support/fleet/fleet-facts.ts'
import { FleetJudge } from '../support/fleet/fleet-judge.ts'

const NAMES = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6']

type Marks = Readonly<Record<string, Partial<NodeFact>>>

interface Moment {
  readonly atMs: number
  readonly nodes?: Marks
  readonly slots?: readonly (readonly [index: number, holder: string, node: string])[]
  readonly maxOut?: string
  readonly granted?: readonly string[]
}

const factsOf = ({ atMs, nodes = {}, slots = [], maxOut = '2', granted = [] }: Moment): FleetFacts => ({
  atMs,
  nodes: NAMES.map((name) => ({
    ...{ name, isReady: true, isCordoned: false, claimedBy: [], isDetached: false },
    ...nodes[name],
  })),
  slots: slots.map(([index, holder, node]): SlotFact => ({ index, holder, node, writtenAtMs: 0 })),
  maxOut,
  granted,
})

const TERMS = {
  ...{ nodes: NAMES.length, brakeMax: 1, reactionMs: 1_000, slotMs: 15_000 },
  ill: [{ fromMs: 10_000, toMs: 20_000 }],
}

/** What the judge says of a log, the last moment of which is the end where `isEnd`. */
function said(log: readonly Moment[], isEnd = false): readonly string[] {
  const judge = new FleetJudge({ ...TERMS, maxOutOfRun: new Map([['careful', 1]]) })
  for (const moment of log) judge.see(factsOf(moment))
  const last = log.at(-1)
  if (isEnd && last !== undefined) judge.end(factsOf(last))
  return judge.violations.map(({ checker, text }) => `${checker}: ${text}`)
}

const by = (run: string): Partial<NodeFact> => ({ recordedBy: run })
const claimed = (...owners: readonly string[]): Partial<NodeFact> => ({ claimedBy: owners })
const A = [0, 'a/1', 'n1'] as const
const B = [1, 'b/1', 'n2'] as const
const C = [2, 'controller/c', 'n3'] as const

for (const [what, log, want] of [
  [
    'two runs that have a node each, of two that may be out',
    [
      { atMs: 0, slots: [A, B] },
      { atMs: 10, slots: [A, B], nodes: { n1: by('a'), n2: by('b') } },
    ],
    [],
  ],
  [
    'a third node beside two, of two',
    [
      { atMs: 0, maxOut: '3', slots: [A, B, C] },
      { atMs: 10, maxOut: '2', slots: [A, B, C], nodes: { n1: by('a'), n2: by('b') } },
      { atMs: 5_000, slots: [A, B, C], nodes: { n1: by('a'), n2: by('b'), n3: claimed('ingress/x') } },
    ],
    ['budget-exceeded: n3 leaves, and 3 are out by plan, of 2', 'no-room: n3 leaves beside n1, n2, and 2 may be out'],
  ],
  [
    'nodes that are out when the budget becomes smaller',
    [
      { atMs: 0, slots: [A, B], nodes: { n1: by('a'), n2: by('b') } },
      { atMs: 9_000, maxOut: '1', slots: [A, B], nodes: { n1: by('a'), n2: by('b') } },
      { atMs: 99_000, maxOut: '1', slots: [A, B], nodes: { n1: by('a'), n2: by('b') } },
    ],
    [],
  ],
  [
    'a node that leaves beside one that a person has claimed for long, of one',
    [
      { atMs: 0, maxOut: '1', nodes: { n4: claimed('person/p') }, slots: [A] },
      { atMs: 2_000, maxOut: '1', nodes: { n4: claimed('person/p'), n1: by('a') }, slots: [A] },
    ],
    ['no-room: n1 leaves beside n4, and 1 may be out'],
  ],
  [
    'a node that leaves just when a person claims another',
    [
      { atMs: 0, maxOut: '1', slots: [A] },
      { atMs: 1_500, maxOut: '1', nodes: { n4: claimed('person/p') }, slots: [A] },
      { atMs: 2_000, maxOut: '1', nodes: { n4: claimed('person/p'), n1: by('a') }, slots: [A] },
    ],
    [],
  ],
  [
    'a run that asks for less than the budget allows, beside a node that is not Ready',
    [
      { atMs: 0, nodes: { n4: { isReady: false } }, slots: [[0, 'careful/1', 'n1']] },
      { atMs: 2_000, nodes: { n4: { isReady: false }, n1: by('careful') }, slots: [[0, 'careful/1', 'n1']] },
    ],
    ['no-room: n1 leaves beside n4, and its run asks for 1'],
  ],
  [
    'a node that leaves beside a granted cordon, of one',
    [
      { atMs: 0, maxOut: '17%', nodes: { n4: { isCordoned: true } }, granted: ['n4'], slots: [A] },
      { atMs: 2_000, maxOut: '17%', nodes: { n4: { isCordoned: true }, n1: by('a') }, granted: ['n4'], slots: [A] },
    ],
    ['no-room: n1 leaves beside n4, and 1 may be out'],
  ],
  [
    'a node that leaves without a slot, and one under the slot of another run',
    [{ atMs: 0, slots: [B], nodes: { n1: by('a'), n2: by('a') } }],
    ['no-slot: n1 is out for a, which hold no slot for it', 'no-slot: n2 is out for a, which hold no slot for it'],
  ],
  [
    'a node that serves again, and whose run gave the slot back although its record stays',
    [
      { atMs: 0, slots: [A], nodes: { n1: { ...by('a'), isDetached: true } } },
      { atMs: 10, slots: [A], nodes: { n1: by('a') } },
      { atMs: 20, nodes: { n1: by('a') } },
    ],
    [],
  ],
  [
    'a node whose run gives the slot back before it serves again',
    [
      { atMs: 0, slots: [A], nodes: { n1: { ...by('a'), isDetached: true } } },
      { atMs: 10, nodes: { n1: { ...by('a'), isDetached: true } } },
    ],
    ['no-slot: n1 is out for a, which hold no slot for it'],
  ],
  [
    'a node that leaves a second time without a slot',
    [{ atMs: 0, slots: [A], nodes: { n1: by('a') } }, { atMs: 10 }, { atMs: 20, nodes: { n1: by('a') } }],
    ['no-slot: n1 is out for a, which hold no slot for it'],
  ],
  [
    'a node that is detached and bears no mark',
    [{ atMs: 0, slots: [A], nodes: { n1: { isDetached: true } } }],
    ['no-slot: n1 is out for , which hold no slot for it'],
  ],
  [
    'a node that two owners have out, with a slot each',
    [{ atMs: 0, slots: [A, [1, 'controller/c', 'n1']], nodes: { n1: { recordedBy: 'a', claimedBy: ['guard/g'] } } }],
    ['two-owners: n1 is out for a and controller/', 'two-slots: n1 has slots 0, 1'],
  ],
  [
    'a slot above those that there are',
    [{ atMs: 0 }, { atMs: 5_000, slots: [C] }],
    ['slot-above: controller/c takes slot 2 of 2 for n3'],
  ],
  [
    'a cordon that is granted beside a node that is out, of one',
    [
      { atMs: 0, nodes: { n4: { isReady: false }, n5: { isCordoned: true } } },
      { atMs: 2_000, nodes: { n4: { isReady: false }, n5: { isCordoned: true } }, granted: ['n5'] },
    ],
    ['granted-above: n5 is granted beside n4, and 1 may be out'],
  ],
] as const satisfies readonly (readonly [string, readonly Moment[], readonly string[]])[]) {
  test(`the judge of fleets ${want.length === 0 ? 'accepts' : 'sees'} ${what}`, () => {
    assert.deepEqual(said(log), want)
  })
}

/** The budget says 2, then 1, then nothing that makes sense; the second node leaves after that. */
function fallen(isRead: boolean): readonly string[] {
  const judge = new FleetJudge({ ...TERMS, maxOutOfRun: new Map() })
  const slots = [A, B]
  judge.see(factsOf({ atMs: 0, maxOut: '2', slots }))
  judge.read('b', '2', 10)
  judge.see(factsOf({ atMs: 20, maxOut: '2', slots, nodes: { n1: by('a') } }))
  judge.see(factsOf({ atMs: 1_000, maxOut: '1', slots, nodes: { n1: by('a') } }))
  if (isRead) judge.read('b', '1', 2_000)
  judge.see(factsOf({ atMs: 3_000, maxOut: 'many', slots, nodes: { n1: by('a') } }))
  judge.see(factsOf({ atMs: 9_000, maxOut: 'many', slots, nodes: { n1: by('a'), n2: by('b') } }))
  return judge.violations.map(({ checker, text }) => `${checker}: ${text}`)
}

test('the judge of fleets holds a run to a value that is gone only if the run has read it', () => {
  assert.deepEqual(fallen(false), [])
  assert.deepEqual(fallen(true), [
    'budget-exceeded: n2 leaves, and 2 are out by plan, of 1',
    'no-room: n2 leaves beside n1, and 1 may be out',
  ])
})

test('the judge of fleets holds a run to the value that stands, though the run never reads it', () => {
  const judge = new FleetJudge({ ...TERMS, maxOutOfRun: new Map() })
  judge.see(factsOf({ atMs: 0, maxOut: '2', slots: [A, B] }))
  judge.read('b', '2', 10)
  judge.see(factsOf({ atMs: 20, maxOut: '1', slots: [A, B], nodes: { n1: by('a') } }))
  judge.see(factsOf({ atMs: 9_000, maxOut: '1', slots: [A, B], nodes: { n1: by('a'), n2: by('b') } }))
  assert.deepEqual(
    judge.violations.map(({ checker }) => checker),
    ['budget-exceeded', 'no-room'],
  )
})

test('the judge of fleets sees what is left at the end', () => {
  const nodes = {
    n1: { isReady: false, isCordoned: true },
    n4: { claimedBy: ['person/p'] },
  }
  assert.deepEqual(said([{ atMs: 0, slots: [A], nodes }], true), [
    'all-back: n1 is not Ready, is cordoned',
    'all-back: n4 is claimed by person/p',
    'all-back: slot 0 is held by a/1 for n1',
  ])
})

test('the judge of fleets lets the slot of a run lapse that could not give it back while the API server was ill', () => {
  assert.deepEqual(said([{ atMs: 10_000, slots: [A] }], true), ['all-back: slot 0 is held by a/1 for n1'])
  const lapsed = { atMs: 60_000, slots: [A, [1, 'controller/c', 'n3']] } as const
  assert.deepEqual(said([lapsed], true), ['all-back: slot 1 is held by controller/c for n3'])
})
