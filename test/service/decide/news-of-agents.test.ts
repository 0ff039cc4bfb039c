import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import { monoMs } from '../../../src/ground/model/time.ts'
import { isNodeNews } from '../../../src/roll/decide/is-node-news.ts'
import { isBalancerNews } from '../../../src/service/decide/is-balancer-news.ts'
import type { InstanceReading, ServerReading } from '../../../src/service/model/balancer.ts'
import type { EndpointReading } from '../../../src/service/model/health-endpoint.ts'
import { aNode, aServer } from '../../support/roll-world.ts'

const reading = (servers: readonly ServerReading[]): InstanceReading => ({
  instance: 'edge',
  process: '1',
  version: '',
  at: monoMs(0),
  servers,
})

test('a server that is listed no more is news, and one of several that changed is', () => {
  const [n1, n2] = [aServer('n1'), aServer('n2')]
  assert.equal(isBalancerNews(reading([n1, n2]), reading([n1])), true)
  assert.equal(isBalancerNews(reading([n1, n2]), reading([n1, aServer('n2', { weight: 0 })])), true)
  const moved = aServer('n1', { ref: { ...n1.ref, backend: 'api' } })
  assert.equal(isBalancerNews(reading([n1]), reading([moved])), true)
})

test('the very list of servers that was known is no news', () => {
  const servers = [aServer('n1')]
  assert.equal(isBalancerNews(reading(servers), reading(servers)), false)
})

const SAID: EndpointReading = {
  at: monoMs(0),
  heard: true,
  answer: 'up',
  onlyClosed: false,
  acknowledged: [],
  connections: 0,
  polls: { '10.0.9.1': 1 },
}
const UP = SAID
const DOWN: EndpointReading = { ...SAID, answer: 'down' }
const again = { '10.0.9.1': 2 }

const TABLE: readonly (readonly [
  title: string,
  was: EndpointReading | undefined,
  is: EndpointReading | undefined,
  isNews: boolean,
])[] = [
  ['goes on to answer up', UP, { ...UP, polls: again, connections: 7 }, false],
  ['answers up and is not heard any more', UP, { ...UP, heard: false }, true],
  ['is heard again', { ...UP, heard: false }, UP, true],
  ['turns down', UP, DOWN, true],
  ['turns up', DOWN, UP, true],
  ['goes on to answer down', DOWN, { ...DOWN }, false],
  ['answers down at another time', DOWN, { ...DOWN, at: monoMs(5) }, false],
  ['has answered down once more', DOWN, { ...DOWN, polls: again }, true],
  ['has lost a connection while it is down', DOWN, { ...DOWN, connections: 1 }, true],
  ['is asked now', undefined, DOWN, true],
  ['is asked now and serves', undefined, UP, true],
  ['is asked no more', DOWN, undefined, true],
  ['is asked no more and served', UP, undefined, true],
]

for (const [title, was, is, isNews] of TABLE) {
  test(`an agent that ${title} is ${isNews ? '' : 'no '}news`, () => {
    const of = (endpoint: EndpointReading | undefined) =>
      reading([aServer('n1', endpoint === undefined ? {} : { endpoint })])
    assert.equal(isBalancerNews(of(was), of(is)), isNews)
  })
}

const taint = (value?: string): Partial<Node> => ({
  taints: [{ key: 'a', effect: 'NoSchedule', ...(value === undefined ? {} : { value }) }],
})

const NODES: readonly (readonly [title: string, was: Partial<Node>, is: Partial<Node>, isNews: boolean])[] = [
  ['keeps its label', { labels: { a: 'b' } }, { labels: { a: 'b' } }, false],
  ['has another value of a label', { labels: { a: 'b' } }, { labels: { a: 'c' } }, true],
  ['has another label of the same value', { labels: { a: 'b' } }, { labels: { c: 'b' } }, true],
  ['has another value of a taint', taint('b'), taint('c'), true],
  ['keeps a taint of no value, written otherwise', taint(), taint(''), false],
]

for (const [title, was, is, isNews] of NODES) {
  test(`a node that ${title} is ${isNews ? '' : 'no '}news`, () =>
    assert.equal(isNodeNews(aNode('n1', was), aNode('n1', is)), isNews))
}
