import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, before, describe } from 'node:test'
import { systemTimers } from '../../src/ground/machine/system-timers.ts'
import { httpDoor } from '../../src/sim/doors/http-door.ts'
import type { ApiDoor } from './api/api-door.ts'
import { apiContract } from './api-contract.ts'
import { httpClientDoor } from './doors/http-client-door.ts'
import { smallWorld } from './doors/small-world.ts'

describe('the embedded cluster, asked over HTTP', () => {
  const { world, close } = smallWorld()
  const server = httpDoor({ world, timers: systemTimers })
  let client: { readonly door: ApiDoor; readonly close: () => void } | undefined

  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    client = httpClientDoor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
  after(() => {
    close()
    client?.close()
    server.closeAllConnections()
    server.close()
  })

  apiContract(() => {
    if (client === undefined) throw new Error('the door is not open yet')
    return client.door
  })
})
