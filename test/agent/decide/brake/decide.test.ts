import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BrakeDecision, decideBrake } from '../../../../src/agent/decide/brake/decide.ts'
import { parseOutLimit } from '../../../../src/ground/model/out-limit.ts'
import { plainText } from '../../../../src/ground/model/sentence.ts'
import { monoMs } from '../../../../src/ground/model/time.ts'
import { maxOut } from '../../../../src/service/decide/budget/max-out.ts'
import { aBrake, type BrakeScene, NOW, nodesOf } from '../../../support/brake-world.ts'

/** `publish n1 n2 (3 of 6)`, `tell n4; note n4`, `hold NodesUnknown`, `settled CordonsGranted`. */
function short(decision: BrakeDecision): string {
  if (decision.kind !== 'act')
    return [decision.kind, ...decision.reasons.map(({ code, object }) => object ?? code)].join(' ')
  return decision.actions
    .map((action) => {
      if (action.kind === 'tell') return `tell ${action.notice.node}`
      const { granted, max, of } = action.grants
      const dropped = action.dropped.length === 0 ? '' : `, drop ${action.dropped.join(' ')}`
      const announced = action.announced.length === 0 ? '' : `, told ${action.announced.join(' ')}`
      return `publish [${granted.join(' ')}] ${max} of ${of}${dropped}${announced}`
    })
    .join('; ')
}

const SIX = 'n1 n2 n3 n4 n5 n6'
const ROWS: readonly (readonly [title: string, scene: BrakeScene, decision: string])[] = [
  ['grants a cordon where nothing else is out', { nodes: 'n1 n2! n3 n4' }, 'publish [n2] 2 of 4'],
  ['leaves what is published as it is', { nodes: 'n1 n2! n3 n4', granted: 'n2' }, 'settled CordonsGranted'],
  [
    'grants as many as may be out, by name where all came at once',
    { nodes: 'n1! n2! n3! n4! n5! n6!' },
    'publish [n1 n2 n3] 3 of 6',
  ],
  [
    'counts a node that a roll has out: it bears a record, and may not be cordoned yet',
    { nodes: 'n1@ n2! n3! n4' },
    'publish [n2] 2 of 4',
  ],
  [
    'grants those first that are cordoned longest',
    { nodes: 'n1! n2! n3! n4', order: 'n3 n2 n1' },
    'publish [n2 n3] 2 of 4',
  ],
  [
    'keeps the node that was granted, though another node is cordoned longer',
    { nodes: 'n1! n2! n3! n4', granted: 'n3', order: 'n1 n2 n3' },
    'publish [n1 n3] 2 of 4',
  ],
  [
    'takes the grant of a node back that is cordoned no more, and gives it to the next',
    { nodes: 'n1 n2! n3! n4', granted: 'n1 n2' },
    'publish [n2 n3] 2 of 4, drop n1',
  ],
  [
    'takes the grant of a node back that is gone',
    { nodes: 'n1 n2! n3 n4', granted: 'n2 n9' },
    'publish [n2] 2 of 4, drop n9',
  ],
  [
    'takes no grant back where fewer nodes may be out by now, and grants no more',
    { nodes: 'n1! n2! n3! n4', granted: 'n1 n2 n3', max: 2 },
    'settled CordonsGranted',
  ],
  [
    'writes down that fewer may be out by now',
    { nodes: 'n1! n2! n3! n4!', granted: 'n1 n2 n3', max: 3, announced: 'n4' },
    'publish [n1 n2 n3] 2 of 4, told n4',
  ],
  ['counts a node that is not Ready as out', { nodes: 'n1! n2! n3- n4' }, 'publish [n1] 2 of 4'],
  ['counts a node that leaves for its maintenance as out', { nodes: 'n1! n2! n3> n4' }, 'publish [n1] 2 of 4'],
  ['counts a node that is being deleted as out', { nodes: 'n1! n2! n3x n4' }, 'publish [n1] 2 of 4'],
  [
    'grants nothing while as many as may are out for other reasons',
    { nodes: 'n1! n2 n3- n4-', announced: 'n1' },
    'settled n1',
  ],
  [
    'a node that is out anyway takes no second slot for its cordon',
    { nodes: 'n1!> n2! n3! n4', order: 'n2 n3 n1' },
    'publish [n1 n2] 2 of 4',
  ],
  [
    'a node that comes back keeps its slot until it is back',
    { nodes: 'n1! n2! n3 n4', granted: 'n1', announced: 'n2', returning: { n3: NOW - 4_000 } },
    'hold n2',
  ],
  [
    'grants nothing anew while it may not know which node came back a moment ago, and tells no node',
    { nodes: 'n1! n2! n3! n4', granted: 'n1', announced: 'n3', since: NOW - 9_999 },
    'hold FleetJustSeen',
  ],
  [
    'takes grants back meanwhile',
    { nodes: 'n1 n2! n3! n4', granted: 'n1 n2', announced: 'n3', since: NOW - 9_999 },
    'publish [n2] 2 of 4, drop n1, told n3',
  ],
  [
    'is settled meanwhile if no node waits',
    { nodes: 'n1! n2 n3 n4', granted: 'n1', since: NOW - 9_999 },
    'settled CordonsGranted',
  ],
  [
    'grants a cordon of unknown age last',
    {
      nodes: 'n1! n2! n3! n4',
      change: {
        memory: {
          cordoned: new Map([['n3', { uid: 'uid-n3', since: NOW }]]),
          away: new Set(),
          returning: new Map(),
          since: monoMs(0),
        },
      },
    },
    'publish [n1 n3] 2 of 4',
  ],
  ['grants then', { nodes: 'n1! n2! n3! n4', granted: 'n1', since: NOW - 10_000 }, 'publish [n1 n2] 2 of 4'],
  [
    'publishes at once where nothing is, since who is cordoned is out there',
    { nodes: 'n1! n2! n3 n4', since: NOW, change: { published: undefined } },
    'publish [n1 n2] 2 of 4',
  ],
  [
    'tells who waits, once all is published',
    { nodes: 'n1! n2! n3! n4', granted: 'n1 n2' },
    'tell n3; publish [n1 n2] 2 of 4, told n3',
  ],
  ['tells no node twice', { nodes: 'n1! n2! n3! n4', granted: 'n1 n2', announced: 'n3' }, 'settled n3'],
  [
    'forgets an uncordoned node',
    { nodes: 'n1! n2! n3 n4', granted: 'n1 n2', announced: 'n3' },
    'publish [n1 n2] 2 of 4',
  ],
  [
    'does not tell a node that waits for its cordon and leaves for another reason',
    { nodes: 'n1! n2! n3!> n4', granted: 'n1 n2' },
    'settled CordonsGranted',
  ],
  ['lets a single node go', { nodes: 'n1!' }, 'publish [n1] 1 of 1'],
  ['lets one of two go', { nodes: 'n1! n2!' }, 'publish [n1] 1 of 2'],
  ['holds where no node is known', { nodes: '' }, 'hold FleetEmpty'],
  ['holds where a node makes no sense', { nodes: 'n1! n2? n3 n4' }, 'hold n2'],
  [
    'holds where the nodes are not known',
    { nodes: SIX, change: { fleet: { kind: 'unknown', why: 'nobody answers' } } },
    'hold NodesUnknown',
  ],
  ['publishes where nothing is', { nodes: SIX, change: { published: undefined } }, 'publish [] 3 of 6'],
  [
    'publishes anew what makes no sense',
    { nodes: 'n1! n2', change: { published: { writer: 'controller-a', announced: [] } } },
    'publish [n1] 1 of 2',
  ],
  [
    'writes over what another leader wrote, so that nothing that one still sends is taken',
    {
      nodes: 'n1! n2',
      change: {
        published: { writer: 'controller-b', announced: [], grants: { version: 1, granted: ['n1'], max: 1, of: 2 } },
      },
    },
    'publish [n1] 1 of 2',
  ],
]

for (const [title, scene, decision] of ROWS) {
  test(`the brake ${title}`, () => assert.equal(short(decideBrake(aBrake(scene))), decision))
}

test('a node that waits is told how many nodes are out, and which nodes are out for another reason', () => {
  const texts = (scene: BrakeScene) => decideBrake(aBrake(scene)).reasons.map(({ text }) => text)
  assert.deepEqual(texts({ nodes: 'n1! n2! n3! n4! n5 n6', granted: 'n1 n2 n3' }), [
    'the limit of nodes out by cordon is reached: 3 of 6',
  ])
  assert.deepEqual(texts({ nodes: 'n1! n2! n3! n4! n5- n6', granted: 'n1 n2' }), [
    'at most 3 of 6 nodes may be out: 2 are out by cordon, 1 for another reason (n5)',
    'at most 3 of 6 nodes may be out: 2 are out by cordon, 1 for another reason (n5)',
  ])
})

test('waiting nodes are told twenty at a time, so that no node that may leave waits for all of them', () => {
  const names = Array.from({ length: 60 }, (_, i) => `n${String(i).padStart(2, '0')}`)
  const granted = names.slice(0, 30)
  const decision = decideBrake(aBrake({ nodes: names.map((name) => `${name}!`).join(' '), granted: granted.join(' ') }))
  assert.equal(decision.kind === 'act' ? decision.actions.length : 0, 21)
})

test('half are 1 of 1, 1 of 2, 1 of 3, 2 of 4 and 150 of 300; all but one at most, and one at least', () => {
  const half = { kind: 'percent', percent: 50 } as const
  assert.deepEqual(
    [1, 2, 3, 4, 7, 300].map((fleet) => maxOut(half, fleet)),
    [1, 1, 1, 2, 3, 150],
  )
  assert.deepEqual(
    [1, 2, 3, 10].map((fleet) => maxOut({ kind: 'percent', percent: 100 }, fleet)),
    [1, 1, 2, 9],
  )
  assert.deepEqual(
    [1, 2, 3, 10].map((fleet) => maxOut({ kind: 'count', count: 5 }, fleet)),
    [1, 1, 2, 5],
  )
  assert.equal(maxOut({ kind: 'percent', percent: 1 }, 10), 1)
})

test('a limit is a number or a percentage, and never none', () => {
  assert.deepEqual(parseOutLimit('3'), { kind: 'count', count: 3 })
  assert.deepEqual(parseOutLimit('33%'), { kind: 'percent', percent: 33 })
  for (const text of ['', '0', '0%', '101%', '-1', '1.5', '50 %', 'half', '1e3']) {
    assert.equal(parseOutLimit(text), undefined, text)
  }
})

test('the fleet of a test is read from its signs', () => {
  assert.deepEqual(
    nodesOf('n1 n2!- n3x').map(({ name, unschedulable, ready, deleting }) => [name, unschedulable, ready, deleting]),
    [
      ['n1', false, true, false],
      ['n2', true, false, false],
      ['n3', false, true, true],
    ],
  )
})

/** The first reason in full: `CODE object: text | next`. */
function why(scene: BrakeScene): string {
  const [reason] = decideBrake(aBrake(scene)).reasons
  if (reason === undefined) return 'none'
  const { code, object, text, next } = reason
  return `${code}${object === undefined ? '' : ` ${object}`}: ${text}${next === undefined ? '' : ` | ${plainText(next)}`}`
}

const published = (change: object) => ({ published: { writer: 'controller-a', announced: [], ...change } })

const REASONS: readonly (readonly [scene: BrakeScene, why: string])[] = [
  [
    { nodes: 'n1', change: { fleet: { kind: 'unknown', why: 'no list yet' } } },
    'NodesUnknown: the nodes are not known: no list yet',
  ],
  [{ nodes: '' }, 'FleetEmpty: the API server knows no node of this fleet'],
  [{ nodes: 'n1 n2?' }, 'NodeUnreadable n2: the API server shows a Node that is malformed'],
  [{ nodes: 'n1 n2!', change: { published: undefined } }, 'GrantsAbsent: no grants of cordons are published yet'],
  [{ nodes: 'n1 n2!', change: published({}) }, 'GrantsUnreadable: the ConfigMap of the granted cordons is malformed'],
  [{ nodes: 'n1 n2! n3 n4' }, 'GrantsChange: 1 of at most 2 cordons are granted'],
  [
    {
      nodes: 'n1 n2! n3 n4',
      change: published({ writer: 'controller-b', grants: { version: 1, granted: ['n2'], max: 2, of: 4 } }),
    },
    'GrantsOfAnother: the grants were written by another leader',
  ],
  [
    { nodes: 'n1 n2! n3 n4', change: published({ grants: { version: 1, granted: ['n2'], max: 2, of: 5 } }) },
    'GrantsChange: 1 of at most 2 cordons are granted',
  ],
  [{ nodes: 'n1! n2', granted: 'n1', announced: 'n2' }, 'FewerWait: fewer nodes wait for their cordon to be granted'],
  [
    { nodes: 'n1! n2! n3', granted: 'n1' },
    'CordonNotGranted n2: the limit of nodes out by cordon is reached: 1 of 3 | uncordon another node, or raise --max-cordoned-out',
  ],
  [
    { nodes: 'n1! n2- n3- n4- n5- n6- n7- n8 n9 a b c', granted: '' },
    'CordonNotGranted n1: at most 6 of 12 nodes may be out: 0 are out by cordon, 6 for another reason (n2, n3, n4, n5, n6) | uncordon another node, or raise --max-cordoned-out',
  ],
  [{ nodes: 'n1! n2', granted: 'n1' }, 'CordonsGranted: every node that is cordoned may be out'],
]

for (const [scene, reason] of REASONS) {
  test(`a pass says why, in full: ${reason}`, () => assert.equal(why(scene), reason))
}
