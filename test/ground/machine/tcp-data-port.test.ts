import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { TcpDataPort } from '../../../src/ground/machine/tcp-data-port.ts'

const never = new AbortController().signal
const answers = (port: number): Promise<boolean> => new TcpDataPort().answers({ address: '127.0.0.1', port }, never)

test('a data port answers while something listens there, and not after', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = server.address()
  assert.ok(typeof at === 'object' && at !== null)
  assert.equal(await answers(at.port), true)
  server.close()
  await once(server, 'close')
  assert.equal(await answers(at.port), false)
})

for (const port of [0, -1, 65_536, 99_999, 1.5]) {
  test(`nothing answers at what is no port, and the check does not crash: ${port}`, async () => {
    assert.equal(await answers(port), false)
  })
}
