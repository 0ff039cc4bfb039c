import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, before, describe } from 'node:test'
import type { Connection } from '../../src/ground/kube/connection.ts'
import { type Exchange, exchange } from '../../src/ground/kube/exchange.ts'
import { systemTimers } from '../../src/ground/machine/system-timers.ts'
import { httpDoor } from '../../src/sim/doors/http-door.ts'
import { inProcessApi } from '../../src/sim/doors/in-process-api.ts'
import type { World } from '../../src/sim/world/world.ts'
import { httpClientDoor } from './doors/http-client-door.ts'
import { portDoor } from './doors/port-door.ts'
import { smallWorld } from './doors/small-world.ts'
import { frameContract } from './frame-contract.ts'

/** As a world that has run for a while: what it began with is forgotten. */
function agedWorld(): { readonly world: World; readonly close: () => void } {
  const { world, close } = smallWorld()
  world.store.compact(world.store.revision)
  return { world, close }
}

const credentialsTo = (server: URL) => {
  const connection = { server, headers: {} } as unknown as Connection
  return { current: async () => connection, accept: () => undefined, drop: () => undefined }
}

describe('controllers on the embedded cluster, in one process', () => {
  const { world, close } = agedWorld()
  const stop = new AbortController()
  after(() => {
    stop.abort(new Error('the tests are over'))
    close()
  })
  const inProcess: Exchange = inProcessApi({ world, timers: systemTimers, latencyMs: 1 })
  const ground = {
    credentials: credentialsTo(new URL('http://embedded')),
    exchange: inProcess,
    door: portDoor(world, systemTimers),
    signal: stop.signal,
  }
  frameContract(() => ground)
})

describe('controllers on the embedded cluster, over HTTP', () => {
  const { world, close } = agedWorld()
  const server = httpDoor({ world, timers: systemTimers })
  const stop = new AbortController()
  let client: ReturnType<typeof httpClientDoor>
  let url = ''

  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    client = httpClientDoor(url)
  })
  after(() => {
    stop.abort(new Error('the tests are over'))
    close()
    client.close()
    server.closeAllConnections()
    server.close()
  })
  frameContract(() => ({ credentials: credentialsTo(new URL(url)), exchange, door: client.door, signal: stop.signal }))
})
