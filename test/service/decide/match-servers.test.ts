import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchServers } from '../../../src/service/decide/match-servers.ts'
import { serverLike } from './server-example.ts'

const NODES = [
  { node: 'n1', addresses: ['10.0.0.1', '2001:db8::1'] },
  { node: 'n2', addresses: ['10.0.0.2'] },
]

const names = (refs: readonly { readonly backend: string; readonly server: string }[] | undefined) =>
  refs?.map((ref) => `${ref.backend}/${ref.server}`)

test('a server belongs to the node it points at, whatever it is called', () => {
  const found = matchServers(
    NODES,
    [
      serverLike({ path: 'web/n2', address: '10.0.0.1' }),
      serverLike({ path: 'tls/x', address: '10.0.0.1', port: 443 }),
      serverLike({ path: 'web/n1', address: '10.0.0.2' }),
    ],
    ['web', 'tls'],
  )
  assert.deepEqual(names(found.serversOf.get('n1')), ['web/n2', 'tls/x'])
  assert.deepEqual(names(found.serversOf.get('n2')), ['web/n1'])
  assert.deepEqual(found.nodesWithoutServer, [])
  assert.deepEqual(found.strangers, [])
  assert.deepEqual(found.contested, [])
})

test('a backend outside the allow-list makes no match and no stranger', () => {
  const found = matchServers(
    NODES,
    [serverLike({ path: 'control/n1' }), serverLike({ path: 'control/z', address: '9.9.9.9' })],
    ['web'],
  )
  assert.deepEqual(found.nodesWithoutServer, ['n1', 'n2'])
  assert.deepEqual(found.strangers, [])
})

test('a node that no server leads to, and a server that leads to no node, are both named', () => {
  const stranger = serverLike({ path: 'web/old', address: '10.0.0.9' })
  const nowhere = serverLike({ path: 'web/socket', address: '', port: 0 })
  const found = matchServers(NODES, [serverLike(), stranger, nowhere], ['web'])
  assert.deepEqual(found.nodesWithoutServer, ['n2'])
  assert.deepEqual(found.strangers, [stranger, nowhere])
})

test('an address counts and not its spelling', () => {
  const spellings = ['2001:0DB8:0:0::1', '2001:db8:0:0:0:0:0:1', '::ffff:10.0.0.1', '::FFFF:0a00:1']
  for (const address of spellings) {
    const found = matchServers(NODES, [serverLike({ address })], ['web'])
    assert.deepEqual(names(found.serversOf.get('n1')), ['web/a'], address)
  }
})

test('nodes that share an address are distinguished by their ports', () => {
  const nodes = [
    { node: 'n1', addresses: ['10.0.0.1'], ports: [8001] },
    { node: 'n2', addresses: ['10.0.0.1'], ports: [8002, 8003] },
  ]
  const servers = [8001, 8003, 9000].map((port) => serverLike({ path: `web/p${port}`, port }))
  const found = matchServers(nodes, servers, ['web'])
  assert.deepEqual(names(found.serversOf.get('n1')), ['web/p8001'])
  assert.deepEqual(names(found.serversOf.get('n2')), ['web/p8003'])
  assert.deepEqual(found.strangers, [servers[2]])
})

test('a server that leads to two nodes at once is contested', () => {
  const nodes = [...NODES, { node: 'n3', addresses: ['10.0.0.1'] }]
  const found = matchServers(nodes, [serverLike()], ['web'])
  assert.deepEqual(found.contested, [{ ref: serverLike().ref, nodes: ['n1', 'n3'] }])
})
