import assert from 'node:assert/strict'
import { test } from 'node:test'
import { podsHere } from '../../../src/roll/decide/pods-here.ts'
import { servesNothing } from '../../../src/service/decide/budget/serves-nothing.ts'
import { keepIndexes } from '../../../src/service/decide/keep-indexes.ts'
import { matchNodeServers } from '../../../src/service/decide/match-node-servers.ts'
import type { ServerReading } from '../../../src/service/model/balancer.ts'
import { aNode, anInstance, aPod, aServer, aSnapshot } from '../../support/roll-world.ts'

const N1 = { addresses: ['10.0.0.1'] }

const { reading: _, ...SILENT } = anInstance([])
const out = (server: string, backend = 'web') =>
  aServer(server, { adminState: 'drain', ref: { instance: 'lb-1', backend, server } })

test('an instance that never answered has no server of the node, and does not keep it from being detached', () => {
  assert.deepEqual(matchNodeServers(aNode('n1'), [SILENT]), [])
  assert.equal(servesNothing(N1, [anInstance([out('n1')]), SILENT]), 'detached')
  assert.equal(servesNothing(N1, [SILENT]), undefined)
})

test('a node is detached though another instance does not list it', () => {
  assert.equal(servesNothing(N1, [anInstance([out('n1')]), anInstance([aServer('n2')])]), 'detached')
})

test('a node that is out of a backend alone that the file does not name is not detached', () => {
  assert.equal(servesNothing(N1, [anInstance([out('n1', 'other')])]), undefined)
})

/** Servers that count how often their address is looked at. */
function counted(names: readonly string[]) {
  const looks = { count: 0 }
  const servers = names.map((name): ServerReading => {
    const server = aServer(name)
    return {
      ...server,
      get address() {
        looks.count += 1
        return server.address
      },
    }
  })
  return { servers, looks }
}

const found = (servers: readonly ServerReading[]) =>
  matchNodeServers(aNode('n1'), [anInstance(servers)]).map(({ reading }) => reading.ref.server)

test('a list at the addresses of the last one is not gone through again', () => {
  const before = counted(['n1', 'n2'])
  assert.deepEqual(found(before.servers), ['n1'])
  const now = counted(['n1', 'n2'])
  keepIndexes(before.servers, now.servers)
  const looks = now.looks.count
  assert.deepEqual([found(now.servers), now.looks.count], [['n1'], looks])
})

test('a server that is the very one of the last list is not looked at', () => {
  const before = counted(['n1', 'n2'])
  assert.deepEqual(found(before.servers), ['n1'])
  const looks = before.looks.count
  const now = [...before.servers]
  keepIndexes(before.servers, now)
  assert.deepEqual([found(now), before.looks.count], [['n1'], looks])
})

test('a list that is longer or at other addresses is gone through anew', () => {
  const before = [aServer('n2'), aServer('n3')]
  assert.deepEqual(found(before), [])
  for (const now of [
    [aServer('n2'), aServer('n3'), aServer('n1')],
    [aServer('n2'), aServer('n1')],
  ]) {
    keepIndexes(before, now)
    assert.deepEqual(found(now), ['n1'])
  }
})

test('the pods of the node under way are looked for once, and those of another node anew', () => {
  let looks = 0
  const pods = [aPod('cart-a', 'n1'), aPod('cart-b', 'n2')].map((pod) => ({
    ...pod,
    get nodeName() {
      looks += 1
      return pod.nodeName ?? ''
    },
  }))
  const s = aSnapshot({ pods })
  const here = (node: string) =>
    podsHere({ cluster: s.cluster, current: { ...s.current, node: aNode(node) } }).map(({ name }) => name)
  assert.deepEqual([here('n1'), here('n1'), looks], [['cart-a'], ['cart-a'], 2])
  assert.deepEqual([here('n2'), here('n1'), looks], [['cart-b'], ['cart-a'], 6])
})
