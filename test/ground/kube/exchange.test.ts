import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { exchange } from '../../../src/ground/kube/exchange.ts'

test('what is asked for another user has no group of the user that the kubeconfig impersonates', async (t) => {
  const heard: IncomingHttpHeaders[] = []
  const server = createServer((request, reply) => {
    heard.push(request.headers)
    reply.end('{}')
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const headers = { authorization: 'Bearer a', 'Impersonate-User': 'admin', 'Impersonate-Group': ['system:masters'] }
  const address = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const connection = { server: address, agent: new Agent(), headers }
  const user = 'system:serviceaccount:data:evenkeel-holds'
  for (const more of [{}, { 'impersonate-user': user }])
    (await exchange(connection, { method: 'GET', target: '/', headers: more }, new AbortController().signal)).resume()
  assert.deepEqual(
    heard.map((of) => [of['impersonate-user'], of['impersonate-group'], of.authorization]),
    [
      ['admin', 'system:masters', 'Bearer a'],
      [user, undefined, 'Bearer a'],
    ],
  )
})
