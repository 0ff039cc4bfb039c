import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitOf } from '../../../src/ground/model/reason.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import { hasLeft } from '../../../src/roll/decide/service-of.ts'
import type { NodeBeside } from '../../../src/roll/decide/snapshot.ts'
import { formatRecord, RECORD_ANNOTATION } from '../../../src/service/model/node-record.ts'
import { aNode, aRecord, aServer, aSnapshot, NEW_BOOT } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const out = { adminState: 'drain' } as const

const budget = { limit: { kind: 'count', count: 3 }, cordons: 'noBrake', slots: [] } as const

interface Row {
  readonly title: string
  /** Of n2; n1 is to leave. */
  readonly beside?: Pick<NodeBeside, 'goesFirst' | 'isLeaving'>
  /** n1 is cordoned, or is about to be. */
  readonly isLeaving?: true
  /** Whether n3, which is in no lane, serves. */
  readonly n3: boolean
  readonly says: string
}

const ROWS: readonly Row[] = [
  { title: 'counts on a node that is in no lane', n3: false, says: 'cordon' },
  { title: 'goes where a third node serves', beside: { goesFirst: true, isLeaving: true }, n3: true, says: 'cordon' },
  {
    title: 'waits for a node that goes first',
    beside: { goesFirst: true, isLeaving: false },
    n3: false,
    says: 'OtherNodeOfRoll',
  },
  {
    title: 'that leaves already does not wait for a node that goes first and does not leave',
    isLeaving: true,
    beside: { goesFirst: true, isLeaving: false },
    n3: false,
    says: 'cordon',
  },
  {
    title: 'does not wait where both leave and it goes first: the other one waits',
    isLeaving: true,
    beside: { goesFirst: false, isLeaving: true },
    n3: false,
    says: 'cordon',
  },
  {
    title: 'waits where both leave and the other goes first',
    isLeaving: true,
    beside: { goesFirst: true, isLeaving: true },
    n3: false,
    says: 'OtherNodeOfRoll',
  },
  {
    title: 'waits for a node that comes after it and leaves already',
    beside: { goesFirst: false, isLeaving: true },
    n3: false,
    says: 'OtherNodeOfRoll',
  },
  {
    title: 'does not wait for a node that comes after it and has not begun to leave',
    beside: { goesFirst: false, isLeaving: false },
    n3: false,
    says: 'cordon',
  },
]

for (const { title, beside, isLeaving, n3, says } of ROWS) {
  test(`of two nodes of a roll that are in work together, one ${title}`, () => {
    const s = aSnapshot({
      record: aRecord(),
      servers: [aServer('n1'), aServer('n2'), aServer('n3', n3 ? {} : out)],
    })
    const own = isLeaving === undefined ? {} : { isLeaving }
    const lanes = beside === undefined ? {} : { beside: [{ node: 'n2', hasSlot: true as const, ...beside }], ...own }
    const decision = decide({ ...s, budget, run: { ...s.run, ...lanes } })
    const said =
      decision.kind === 'act' ? decision.actions.map(({ kind }) => kind) : decision.reasons.map(({ code }) => code)
    assert.deepEqual(said, [says])
    if (decision.kind === 'hold') assert.deepEqual(decision.reasons.map(waitOf), ['by law'])
  })
}

test('without the node beside it a backend has no server either: then that is said, and the wait has its limit', () => {
  const s = aSnapshot({ record: aRecord(), servers: [aServer('n1'), aServer('n2', out), aServer('n3', out)] })
  const cluster = { ...s.cluster, nodes: [...s.cluster.nodes, aNode('n4'), aNode('n5')] }
  const run = { ...s.run, beside: [{ node: 'n2', goesFirst: true, isLeaving: true }] }
  const { reasons } = decide({ ...s, budget, cluster, run })
  assert.deepEqual(
    reasons.map(({ code }) => code),
    ['LastUsableServer'],
  )
})

test('a node with its slot waits for no node that goes first and has none, and that leaves nothing yet', () => {
  const s = aSnapshot({ servers: [aServer('n1'), aServer('n2'), aServer('n3', out)] })
  const beside = (lane: Omit<NodeBeside, 'node' | 'goesFirst'>): string =>
    shortDecision(decide({ ...s, budget, run: { ...s.run, beside: [{ node: 'n2', goesFirst: true, ...lane }] } }))
  assert.equal(beside({ isLeaving: false }), 'act record: writeRecord')
  assert.equal(beside({ isLeaving: false, hasSlot: true }), 'hold record: OtherNodeOfRoll')
  assert.equal(beside({ isLeaving: true }), 'hold record: OtherNodeOfRoll')
})

test('a node that an earlier process of the run has cordoned, or set out, or announced, is leaving from the first pass on', () => {
  const setOut = { evidence: { setOut: { 'web/n1 on lb-1': true as const } } }
  const wasCordoned = { node: { unschedulable: true }, record: aRecord({ unschedulable: true }) }
  for (const [world, has] of [
    [{}, false],
    [{ node: { unschedulable: true } }, false],
    [{ record: aRecord() }, false],
    [{ record: aRecord(), node: { unschedulable: true } }, true],
    [wasCordoned, false],
    [{ ...wasCordoned, ...setOut }, true],
    [{ ...wasCordoned, announced: true }, true],
    [{ ...wasCordoned, node: { unschedulable: true, bootId: NEW_BOOT } }, true],
  ] as const)
    assert.equal(hasLeft(aSnapshot(world)), has, JSON.stringify(world))
})

/** Each of two nodes with its record, where a third one serves nothing and two may be out. */
function bothOf(slotOfN1: 0 | 1, leaving: readonly string[]): readonly string[] {
  const nodes = ['n1', 'n2'].map((name) =>
    aNode(name, {
      unschedulable: leaving.includes(name),
      annotations: { [RECORD_ANNOTATION]: formatRecord(recordOf(name)) },
    }),
  )
  const slots = ['n1', 'n2'].map((node) => ({
    index: node === 'n1' ? slotOfN1 : 1 - slotOfN1,
    owner: { holder: `run-1/${node}`, run: 'run-1', node },
    ...{ isStale: false, renewTime: '', durationMs: 120_000 },
  }))
  return nodes.map((node, at) => {
    const s = aSnapshot({
      servers: [...nodes.map(({ name }) => aServer(name)), aServer('n3', { operational: 'down', check: 'failing' })],
    })
    const beside = nodes
      .filter((other) => other !== node)
      .map(({ name }) => ({
        node: name,
        goesFirst: at === 1,
        isLeaving: leaving.includes(name),
        hasSlot: true as const,
      }))
    return shortDecision(
      decide({
        ...s,
        budget: { ...budget, slots },
        run: { ...s.run, beside, ...(leaving.includes(node.name) ? { isLeaving: true } : {}) },
        current: { node, dataPorts: {}, record: { ok: true, value: recordOf(node.name) } },
        cluster: { ...s.cluster, nodes: [...nodes, aNode('n3')] },
        evidence: { ...s.evidence, node: node.name },
      }),
    )
  })
}

const recordOf = (name: string) => {
  const { servers } = aRecord()
  return aRecord({
    servers: servers.map((server) => ({ ...server, server: name, address: `10.0.0.${name.slice(1)}` })),
  })
}

for (const slotOfN1 of [0, 1] as const)
  for (const leaving of [[], ['n1'], ['n2'], ['n1', 'n2']])
    test(`of two nodes of a roll that have begun, one goes on and the other waits for it: n1 has slot ${slotOfN1}, and ${leaving.join(' and ') || 'neither'} leaves already`, () => {
      const decisions = bothOf(slotOfN1, leaving)
      const waits = decisions.filter((text) => text.startsWith('hold') && text.includes('OtherNodeOfRoll'))
      const goes = decisions.filter((text) => text.startsWith('act'))
      assert.deepEqual([waits.length, goes.length], [1, 1], decisions.join('; '))
    })
