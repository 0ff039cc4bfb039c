import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../src/ground/model/time.ts'
import { decide } from '../../../src/roll/decide/decide.ts'
import type { NodeSnapshot } from '../../../src/roll/decide/node-snapshot.ts'
import { observe } from '../../../src/roll/decide/observe.ts'
import { serviceOf } from '../../../src/roll/decide/service-of.ts'
import type { RollSnapshot } from '../../../src/roll/decide/snapshot.ts'
import { actuatorAt } from '../../../src/service/actuators/actuator-of.ts'
import { nodeServers } from '../../../src/service/decide/node-servers.ts'
import { placeState } from '../../../src/service/decide/place-state.ts'
import type { DetacherSpec } from '../../../src/service/model/detacher.ts'
import { plain } from '../../support/plain.ts'
import { settled, withPort } from '../../support/roll-stages.ts'
import { aNode, anInstance, aRecord, aServer, aSnapshot, aSpec } from '../../support/roll-world.ts'
import { shortDecision } from '../../support/short-decision.ts'

const REQUEST = 'node-detacher.variant.run/detached'
const DETACHED = 'node-detacher.variant.run/detachment-timestamp'
const ATTACHED = 'node-detacher.variant.run/attachment-timestamp'
const SPEC: DetacherSpec = {
  request: { key: REQUEST, value: 'evenkeel' },
  detachedKey: DETACHED,
  attachedKey: ATTACHED,
  dataPort: 443,
  graceMs: 30_000,
  attachGraceMs: 20_000,
  skewMs: 5_000,
}
const EDGE = { name: 'edge', instances: ['lb-1'], backends: ['web'], allowLastServer: false }

const { attachedKey: _, ...WITHOUT_ATTACHED } = SPEC

type Words = Readonly<Record<string, string>>
const asked = (words: Words = {}): Words => ({ [REQUEST]: 'evenkeel', ...words })

interface Given {
  readonly words: Words
  /** Whether it was out by such an annotation when it was recorded. */
  readonly before?: 'ready' | 'drain'
  /** Since when the detacher's word on the way out, or in, is seen. */
  readonly out?: number
  readonly in?: number
  readonly spec?: DetacherSpec
  readonly world?: NonNullable<Parameters<typeof aSnapshot>[0]>
}

/** n1 as its annotations tell, at 1,000,000 ms; its record is of midnight. */
function given({ words, before = 'ready', out, in: back, spec = SPEC, world = {} }: Given): NodeSnapshot {
  const [own] = aRecord().servers
  assert.ok(own)
  const balancers = [{ ...EDGE, via: { kind: 'detacher' as const, ...spec } }]
  const node = { ...world.node, annotations: words }
  const [read] = [anInstance([aServer('n1'), aServer('n2'), aServer('n3')])]
  const facts = actuatorAt(balancers, 'edge').asAsked(read, (name) => aNode(name, name === 'n1' ? node : {}))
  const noticing = out !== undefined ? { way: 'out', since: monoMs(out) } : { way: 'in', since: monoMs(back ?? 0) }
  const seen = out === undefined && back === undefined ? {} : { noticing: { 'web/n1 on lb-1': noticing } as never }
  const s = aSnapshot({
    ...world,
    node,
    record: { ...(world.record ?? aRecord()), servers: [{ ...own, state: before, operational: 'up' }] },
    evidence: { ...world.evidence, ...seen },
    change: { ...world.change, spec: aSpec({ balancers }), instances: [facts] },
  })
  return { ...s, evidence: observe(s) }
}
const CORDONED = { node: { unschedulable: true } }
const detach = (it: Given): string => shortDecision(decide(given({ ...it, world: CORDONED })))
const attach = (it: Given): string => shortDecision(decide(withPort(given({ ...it, world: settled }))))
const reasons = (s: RollSnapshot): readonly string[] => decide(s).reasons.map(({ text }) => text)

const OUT: readonly (readonly [title: string, given: Given, decided: string])[] = [
  ['is asked first', { words: {} }, 'act detach: askDetacher'],
  ['waits while the detacher says nothing', { words: asked() }, 'hold detach: DetacherNotDone'],
  ['waits for a time', { words: asked({ [DETACHED]: 'yes' }) }, 'hold detach: DetacherNotDone'],
  [
    'waits for a day that there is',
    { words: asked({ [DETACHED]: '2026-02-30T00:00:00Z' }) },
    'hold detach: DetacherNotDone',
  ],
  [
    'does not count the word of an earlier cycle',
    { words: asked({ [DETACHED]: '2025-12-31T23:59:54Z' }) },
    'hold detach: DetacherNotDone',
  ],
  [
    'does not count the word of the last cycle, however near, once it was attached after it',
    { words: asked({ [DETACHED]: '2025-12-31T23:59:58Z', [ATTACHED]: '2025-12-31T23:59:59Z' }) },
    'hold detach: DetacherNotDone',
  ],
  [
    'does not count a word of the very second in which it was attached',
    { words: asked({ [DETACHED]: '2026-01-01T00:00:01Z', [ATTACHED]: '2026-01-01T00:00:01Z' }) },
    'hold detach: DetacherNotDone',
  ],
  [
    'that others asked for a moment before the record does not count the word of the last cycle either',
    { words: asked({ [DETACHED]: '2025-12-31T10:00:00Z', [ATTACHED]: '2025-12-31T10:30:00Z' }), before: 'drain' },
    'hold detach: DetacherNotDone',
  ],
  [
    'counts a word that is later than the attachment before it',
    { words: asked({ [DETACHED]: '2026-01-01T00:00:01Z', [ATTACHED]: '2026-01-01T00:00:00Z' }) },
    'hold detach: DetacherGrace',
  ],
  [
    'counts a word that is older by less than the skew',
    { words: asked({ [DETACHED]: '2026-01-01T00:59:56+01:00' }) },
    'hold detach: DetacherGrace',
  ],
  [
    'counts a word that is older by the skew',
    { words: asked({ [DETACHED]: '2025-12-31T23:59:55Z' }) },
    'hold detach: DetacherGrace',
  ],
  [
    'does not look at attachments where the file names no annotation for them',
    {
      words: asked({ [DETACHED]: '2026-01-01T00:00:01Z', [ATTACHED]: '2026-01-01T00:00:02Z' }),
      spec: WITHOUT_ATTACHED,
    },
    'hold detach: DetacherGrace',
  ],
  [
    'counts a word of the future from its first sight',
    { words: asked({ [DETACHED]: '2099-01-01T00:00:00Z' }) },
    'hold detach: DetacherGrace',
  ],
  [
    'waits for the whole grace',
    { words: asked({ [DETACHED]: '2026-01-01T00:00:01Z' }), out: 970_001 },
    'hold detach: DetacherGrace',
  ],
  [
    'is out after the grace',
    { words: asked({ [DETACHED]: '2026-01-01T00:00:01Z' }), out: 970_000 },
    'act reboot: writeIntent',
  ],
  [
    'was out before, and the word of that cycle counts',
    { words: asked({ [DETACHED]: '2020-01-01T00:00:00Z' }), before: 'drain', out: 0 },
    'act reboot: writeIntent',
  ],
  ['was out before, and is not acknowledged yet', { words: asked(), before: 'drain' }, 'hold detach: DetacherNotDone'],
]

for (const [title, it, decided] of OUT) {
  test(`a node whose detacher is asked by an annotation ${title}`, () => assert.equal(detach(it), decided))
}

const GONE = '2026-01-01T00:10:00Z'
const IN: readonly (readonly [title: string, given: Given, decided: string])[] = [
  ['has its request taken away', { words: asked({ [DETACHED]: GONE }) }, 'act attach: askDetacher'],
  [
    'waits while the word that it is detached is there',
    { words: { [DETACHED]: GONE } },
    'hold attach: DetacherNotDone',
  ],
  [
    'waits while that word cannot be read',
    { words: { [DETACHED]: '?', [ATTACHED]: GONE } },
    'hold attach: DetacherNotDone',
  ],
  [
    'waits where it was attached before it was detached',
    { words: { [DETACHED]: GONE, [ATTACHED]: '2026-01-01T00:09:59Z' } },
    'hold attach: DetacherNotDone',
  ],
  [
    'waits while the word that it is detached is there, where the file names no annotation for attachments',
    { words: { [DETACHED]: GONE, [ATTACHED]: '2026-01-01T00:10:01Z' }, spec: WITHOUT_ATTACHED },
    'hold attach: DetacherNotDone',
  ],
  ['waits for the grace once that word is gone', { words: {} }, 'hold attach: DetacherGrace'],
  [
    'waits for the grace once it was attached after that',
    { words: { [DETACHED]: GONE, [ATTACHED]: '2026-01-01T00:10:01Z' } },
    'hold attach: DetacherGrace',
  ],
  ['is back after the grace', { words: {}, in: 980_000 }, 'hold soak: Soaking'],
  ['waits for the whole grace on the way back', { words: {}, in: 980_001 }, 'hold attach: DetacherGrace'],
  [
    'is claimed by another client meanwhile',
    { words: { [REQUEST]: 'kured', [DETACHED]: GONE } },
    'hold attach: DetachAskedByOthers',
  ],
  ['was out before, and stays so', { words: asked({ [DETACHED]: GONE }), before: 'drain' }, 'hold soak: Soaking'],
]

for (const [title, it, decided] of IN) {
  test(`on the way back a node of a detacher ${title}`, () => assert.equal(attach(it), decided))
}

test('a word that cannot be read is named', () => {
  assert.deepEqual(reasons(given({ words: asked({ [DETACHED]: 'x'.repeat(10_000) }), world: CORDONED })), [
    `the detacher has not said that n1 is detached: the annotation ${DETACHED} is no RFC 3339 time`,
  ])
  const back = reasons(withPort(given({ words: { [DETACHED]: GONE, [ATTACHED]: 'soon' }, world: settled })))
  assert.deepEqual(back, [
    `the detacher has not said that n1 is attached again: the annotation ${DETACHED} is still there, and ${ATTACHED} is no RFC 3339 time`,
  ])
})

const SAYS = 'the detacher has not said that n1 is'
const TEXTS: readonly (readonly [title: string, way: 'out' | 'in', given: Given, text: string])[] = [
  ['no word is there', 'out', { words: asked() }, `${SAYS} detached: the annotation ${DETACHED} is missing`],
  [
    'the word is of another cycle',
    'out',
    { words: asked({ [DETACHED]: '2025-12-31T23:59:54Z' }) },
    `${SAYS} detached: the annotation ${DETACHED} is older than the request`,
  ],
  [
    'it was attached again since',
    'out',
    { words: asked({ [DETACHED]: GONE, [ATTACHED]: GONE }) },
    `${SAYS} detached: the annotation ${ATTACHED} is not older than ${DETACHED}, so the node was attached again since`,
  ],
  [
    'the grace is not over',
    'out',
    { words: asked({ [DETACHED]: GONE }), out: 970_001 },
    'n1 was detached, and the grace of 30 s is not over',
  ],
  [
    'it is still detached',
    'in',
    { words: { [DETACHED]: GONE } },
    `${SAYS} attached again: the annotation ${DETACHED} is still there`,
  ],
  [
    'the grace on the way back is not over',
    'in',
    { words: {}, in: 980_001 },
    'n1 was attached again, and the grace of 20 s is not over',
  ],
  [
    'someone else asks for it',
    'in',
    { words: { [REQUEST]: 'kured' } },
    `the annotation ${REQUEST} of n1 has another value than the one this roll set`,
  ],
]

for (const [title, way, it, text] of TEXTS) {
  test(`a roll that waits for a detacher says why: ${title}`, () => {
    const s = given({ ...it, world: way === 'out' ? CORDONED : settled })
    assert.equal(reasons(withPort(s))[0], text)
  })
}

test('where another request stands in place of ours, the reason shows the command that removes it', () => {
  const { reasons: found } = decide(withPort(given({ words: { [REQUEST]: 'kured' }, world: settled })))
  assert.deepEqual(plain(found.map(({ object, next }) => [object, next])), [
    ['n1', `once no one else wants n1 out: kubectl annotate node n1 ${REQUEST}-`],
  ])
})

test('the detacher is asked by the key and the value of the file, and for the way back by the same', () => {
  const actions = (s: NodeSnapshot) => {
    const decision = decide(withPort(s))
    return decision.kind === 'act' ? decision.actions : []
  }
  const ask = {
    kind: 'askDetacher',
    node: 'n1',
    balancer: 'edge',
    ref: { instance: 'lb-1', backend: 'web', server: 'n1' },
    key: REQUEST,
    value: 'evenkeel',
  }
  assert.deepEqual(actions(given({ words: {}, world: CORDONED })), [{ ...ask, state: 'drain', restores: false }])
  const back = given({ words: asked({ [DETACHED]: GONE }), world: settled })
  assert.deepEqual(actions(back), [{ ...ask, state: 'ready', restores: true }])
})

test('a word that goes away while the node is out counts from its next sight', () => {
  const s = given({ words: asked(), out: 1, world: CORDONED })
  assert.deepEqual(s.evidence.noticing, {})
})

test('a place of a detacher stands as every place does', () => {
  const state = (it: Given): readonly string[] => {
    const s = serviceOf(given({ ...it, world: CORDONED }))
    return nodeServers(s).map((place) => placeState(s, place))
  }
  const done = asked({ [DETACHED]: GONE })
  assert.deepEqual(
    [{ words: {}, in: 0 }, { words: {} }, { words: asked() }, { words: done }, { words: done, out: 0 }].map(state),
    [['in'], ['returning'], ['leaving'], ['leaving'], ['out']],
  )
})
