import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { type Bed, openBed } from '../../testbed/bed.ts'
import { requires } from '../support/requires.ts'

const CONFIG = `global
  stats socket @SOCKET@ mode 600 level admin
defaults
  mode http
  timeout connect 500ms
  timeout client 5s
  timeout server 5s
frontend web
  bind 10.77.0.1:8080
  http-request return status 200 content-type text/plain string one
`

describe('a bed of a control plane alone, with HAProxy', requires('testbed', 'haproxy'), () => {
  let bed: Bed
  before(async () => {
    bed = await openBed({ controlPlaneOnly: true })
  })
  after(() => bed?.close())

  test('has no nodes and takes pods all the same', async () => {
    assert.equal(await bed.kubectl(['get', 'nodes', '-o', 'name']), '')
    await bed.kubectl(['run', 'waiting', '--image=testbed.local/app:1'])
    assert.equal(await bed.kubectl(['get', 'pod', 'waiting', '-o', 'jsonpath={.status.phase}']), 'Pending')
  })

  test('answers through a relay, gets a new worker by a reload, and comes back after a kill', async () => {
    const haproxy = await bed.haproxy(CONFIG, { name: 'edge' })
    const { port } = await bed.relay('10.77.0.1', 8080)
    const ask = async (): Promise<string> => {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })
      return await answer.text()
    }
    assert.equal(await ask(), 'one')

    const worker = await workerPid(haproxy.socket)
    await haproxy.reload(CONFIG.replace('string one', 'string two'))
    assert.notEqual(await workerPid(haproxy.socket), worker)
    assert.equal(await ask(), 'two')
    await assert.rejects(haproxy.reload('global\n  no-such-word\n'), /no-such-word/)
    assert.equal(await ask(), 'two')

    await haproxy.kill()
    await assert.rejects(ask())
    await haproxy.reload(CONFIG).catch((error: Error) => assert.match(error.message, /ended/))
    await haproxy.start()
    assert.equal(await ask(), 'one')
  })
})

async function workerPid(socket: string): Promise<string | undefined> {
  const connection = connect(socket)
  connection.end('show info\n')
  return /^Pid: (\d+)$/m.exec(await text(connection))?.[1]
}
