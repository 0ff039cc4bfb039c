import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { onFreePort } from '../../bin/demo/free-port.ts'
import { UserError } from '../../src/ground/model/user-error.ts'
import { ephemeralPort } from '../support/ephemeral-port.ts'

const HERE = '127.0.0.1'
const taken = (port: number): UserError => new UserError(`port ${port} is taken`, { code: 'demo.port', fix: 'none' })

async function taking(t: TestContext, port: number): Promise<void> {
  const server = createServer().listen(port, HERE)
  await once(server, 'listening')
  t.after(() => server.close())
}

test('where another process takes the port between the look at it and the start, another port is tried', async (t) => {
  const ports: number[] = []
  const started = await onFreePort({ host: HERE, wanted: undefined }, async (port) => {
    ports.push(port)
    if (ports.length > 2) return `started on ${port}`
    await taking(t, port)
    throw taken(port)
  })
  assert.equal(new Set(ports).size, 3)
  assert.equal(started, `started on ${ports[2]}`)
})

test('a port that was asked for is not exchanged for another', async () => {
  const ports: number[] = []
  const wanted = await ephemeralPort()
  const starting = onFreePort({ host: HERE, wanted }, (port) => {
    ports.push(port)
    return Promise.reject(taken(port))
  })
  await assert.rejects(starting, { code: 'demo.port' })
  assert.deepEqual(ports, [wanted])
})

test('what fails for another reason is not started again, and ports are not tried without end', async () => {
  for (const [code, times] of [
    ['demo.haproxy', 1],
    ['demo.port', 5],
  ] as const) {
    let started = 0
    const starting = onFreePort({ host: HERE, wanted: undefined }, () => {
      started += 1
      return Promise.reject(new UserError('it fails', { code, fix: 'none' }))
    })
    await assert.rejects(starting, { code })
    assert.equal(started, times)
  }
})
