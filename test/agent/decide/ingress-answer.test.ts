import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgentDecision } from '../../../src/agent/decide/decide.ts'
import { ingressAnswer } from '../../../src/agent/decide/ingress-answer.ts'
import { formatIngressMemory, parseIngressMemory } from '../../../src/agent/decide/ingress-memory.ts'
import { allotPorts } from '../../../src/agent/decide/ingress-ports.ts'
import type { IngressReading } from '../../../src/agent/decide/ingress-reading.ts'

const BOOT = '11111111-1111-4111-8111-111111111111'
const UP: AgentDecision = { answer: 'up', reasons: [{ code: 'InService', text: 'nothing keeps the node out' }] }
const DRAIN: AgentDecision = { answer: 'drain', reasons: [{ code: 'Cordoned', text: 'the node is cordoned' }] }
const DOWN: AgentDecision = { answer: 'down', reasons: [{ code: 'ColdStart', text: 'not shown' }] }

const facts = (change: Partial<IngressReading> = {}): IngressReading => ({
  uid: 'uid-1',
  namespace: 'shop',
  name: 'web',
  deployment: 'web-1',
  createdAt: 1,
  deleting: false,
  ready: 2,
  isMarked: false,
  order: { ports: [30_100], minReadyPods: 2 },
  ...change,
})

const { order: _order, ...WITHOUT_ORDER } = facts()

const ANSWERS: readonly (readonly [node: AgentDecision, facts: IngressReading, answer: string, text: string])[] = [
  [UP, facts(), 'up IngressServes', '2 pods of shop/web are ready here'],
  [UP, facts({ ready: 3 }), 'up IngressServes', '3 pods of shop/web are ready here'],
  [UP, facts({ ready: 1 }), 'down IngressPodsMissing', 'shop/web must have 2 ready pods here, and has 1'],
  [UP, facts({ ready: 0 }), 'down IngressPodsMissing', 'shop/web must have 2 ready pods here, and has 0'],
  [
    UP,
    facts({ ready: 1, order: { ports: [1], minReadyPods: 1 } }),
    'up IngressServes',
    '1 pods of shop/web are ready here',
  ],
  [UP, facts({ isMarked: true }), 'drain IngressUpdateDue', 'the pods of shop/web on this node are about to change'],
  [
    UP,
    facts({ isMarked: true, ready: 0 }),
    'drain IngressUpdateDue',
    'the pods of shop/web on this node are about to change',
  ],
  [UP, facts({ deleting: true }), 'drain IngressLeaves', 'the Deployment of shop/web for this node is being deleted'],
  [
    UP,
    facts({ unreadable: 'its version is not 1' }),
    'drain IngressHealthUnreadable',
    'the annotation evenkeel.dev/health-check of Deployment shop/web-1 cannot be read: its version is not 1',
  ],
  [DRAIN, facts(), 'drain Cordoned', 'the node is cordoned'],
  [DRAIN, facts({ ready: 0 }), 'drain Cordoned', 'the node is cordoned'],
  [DOWN, facts({ isMarked: true }), 'down ColdStart', 'not shown'],
  [
    UP,
    WITHOUT_ORDER,
    'drain IngressHealthUnreadable',
    'the annotation evenkeel.dev/health-check of Deployment shop/web-1 cannot be read: it is missing',
  ],
]

test('law: a node answers up for an IngressDaemonSet only while enough of its pods there are ready and no update of them is due; each case', () => {
  for (const [node, reading, answer, text] of ANSWERS) {
    const given = ingressAnswer(node, reading)
    assert.deepEqual(
      [[given.answer, ...given.reasons.map(({ code }) => code)].join(' '), given.reasons[0]?.text],
      [answer, text],
    )
  }
})

const OWN = new Set([8_080, 8_081])
const asking = (name: string, createdAt: number, ports: readonly number[]): IngressReading =>
  facts({ uid: `uid-${name}`, name, createdAt, order: { ports, minReadyPods: 1 } })

test('law: a port that answers for one IngressDaemonSet is never given to a younger one that asks for it; in either order of the list', () => {
  const [older, younger] = [asking('old', 1, [30_100, 30_101]), asking('young', 2, [30_101, 30_102])]
  for (const all of [
    [older, younger],
    [younger, older],
  ]) {
    const { ports, trouble } = allotPorts(all, { own: OWN })
    assert.deepEqual(
      [...ports],
      [
        [30_100, 'uid-old'],
        [30_101, 'uid-old'],
        [30_102, 'uid-young'],
      ],
    )
    assert.deepEqual(trouble, ['port 30101 of shop/young is not served: it is a port of shop/old, which is older'])
  }
  const [a, b] = [asking('a', 1, [1_024]), asking('b', 1, [1_024])]
  assert.deepEqual([...allotPorts([b, a], { own: OWN }).ports], [[1_024, 'uid-a']])
})

test('a port of the agent is given to no one, and the other ports of its object are', () => {
  const { ports, trouble } = allotPorts([asking('web', 1, [8_081, 30_100])], { own: OWN })
  assert.deepEqual([...ports], [[30_100, 'uid-web']])
  assert.deepEqual(trouble, ['port 8081 of shop/web is not served: it is a port of the agent'])
})

test('law: agents never open a port of a node component; nor one outside of the range that is allowed', () => {
  const components = [2_379, 2_380, 6_443, 10_248, 10_250, 10_256, 10_259]
  const readings = [asking('web', 1, [...components, 10_247, 10_260])]
  assert.deepEqual([...allotPorts(readings, { own: OWN }).ports.keys()], [10_247, 10_260])
  const { ports, trouble } = allotPorts(readings, { own: OWN, range: { from: 10_000, to: 10_259 } })
  assert.deepEqual([...ports.keys()], [10_247])
  assert.equal(trouble[0], 'port 2379 of shop/web is not served: it is a port of a component of Kubernetes')
  assert.equal(
    trouble.at(-1),
    'port 10260 of shop/web is not served: it is not one of 10000 to 10259, which --ingress-ports allows',
  )
})

test('however many Deployments ask, at most 64 ports are served, those of the oldest', () => {
  const many = Array.from({ length: 1_000 }, (_, i) => asking(`w${i}`, 1_000 - i, [2_000 + i]))
  const { ports, trouble } = allotPorts(many, { own: OWN })
  assert.deepEqual([ports.size, trouble.length, ports.get(2_999)], [64, 64, 'uid-w999'])
  assert.equal(trouble[0], 'port 2935 of shop/w935 is not served: 64 ports of this node are served already')
  assert.deepEqual(allotPorts([WITHOUT_ORDER], { own: OWN }), { ports: new Map(), trouble: [] })
})

test('what is remembered counts in the same boot alone, and only as a whole', () => {
  const known = [facts(), WITHOUT_ORDER, facts({ unreadable: 'why' })]
  const text = formatIngressMemory(BOOT, known)
  assert.deepEqual(parseIngressMemory(text, BOOT), known)
  assert.equal(parseIngressMemory(text, BOOT.replaceAll('1', '2')), undefined)
  assert.equal(parseIngressMemory(formatIngressMemory('', known), ''), undefined)
  const torn: readonly string[] = [
    '',
    '{"version":1}',
    text.slice(0, -3),
    text.replace('"version":1', '"version":2'),
    text.replace('"ready":2', '"ready":"2"'),
    text.replace('"isMarked":false', '"isMarked":0'),
    text.replace('"ports":[30100]', '"ports":[70000]'),
    text.replace('"minReadyPods":2', '"minReadyPods":0'),
    text.replace('{"uid":"uid-1"', '{"uid":1'),
    JSON.stringify({ version: 1, bootId: BOOT, facts: [7] }),
  ]
  for (const each of torn) assert.equal(parseIngressMemory(each, BOOT), undefined, each)
  const many = Array.from({ length: 500 }, (_, i) => asking(`w${i}`, 500 - i, [2_000 + i]))
  const kept = parseIngressMemory(formatIngressMemory(BOOT, many), BOOT)
  assert.deepEqual([kept?.length, kept?.[0]?.name], [64, 'w499'])
})
