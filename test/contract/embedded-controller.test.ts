import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import { systemTimers } from '../../src/ground/machine/system-timers.ts'
import { httpDoor } from '../../src/sim/doors/http-door.ts'
import { controllerContract } from './controller-contract.ts'
import { httpClientDoor } from './doors/http-client-door.ts'
import { smallWorld } from './doors/small-world.ts'

describe('the embedded cluster, asked by a controller', () => {
  const { world, close } = smallWorld()
  const server = httpDoor({ world, timers: systemTimers })
  const stop = new AbortController()
  let folder = ''
  let url = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'evenkeel-'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const cluster = { name: 'it', cluster: { server: url } }
    const context = { name: 'it', context: { cluster: 'it', user: 'me' } }
    const user = { name: 'me', user: { token: 'none' } }
    const config = { 'current-context': 'it', clusters: [cluster], users: [user], contexts: [context] }
    await writeFile(join(folder, 'kubeconfig'), JSON.stringify(config))
  })
  after(async () => {
    stop.abort(new Error('the tests are over'))
    server.close()
    server.closeAllConnections()
    close()
    await rm(folder, { recursive: true })
  })

  controllerContract(async () => {
    const { door } = httpClientDoor(url)
    return { kubeconfig: join(folder, 'kubeconfig'), door, signal: stop.signal }
  })
})
