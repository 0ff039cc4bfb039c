import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aNetwork, dialled, Echo, opened } from './a-network.ts'

/** A host that echoes, and a connection to it; what is heard on the connection is kept. */
async function anEcho(reply?: (run: () => void) => void) {
  const parts = aNetwork()
  const { network, time } = parts
  network.addHost('server')
  const echo = new Echo(reply)
  const end = network.listen({ host: 'server', port: 80 }, echo)
  const connection = await opened(parts, 'server')
  const heard: string[] = []
  connection.onClosed(() => heard.push('closed'))
  const ask = (path: string): void => {
    connection.send({ path }, (reply) => heard.push(reply === 'broken' ? reply : reply.body))
  }
  return { ...parts, time, echo, end, connection, heard, ask }
}

test('an answer is back within a millisecond, and not at once', async () => {
  const { time, ask, heard } = await anEcho()
  ask('/a')
  await time.advance(0.19)
  assert.deepEqual(heard, [])
  await time.advance(0.81)
  assert.deepEqual(heard, ['/a'])
})

test('a host without a listener refuses; one that is off, gone or unknown is silent', async () => {
  const { network, ...parts } = aNetwork()
  const kindAt = async (host: string) => (await dialled({ network, ...parts }, host))?.kind
  network.addHost('server')
  assert.equal(await kindAt('server'), 'refused')
  const end = network.listen({ host: 'server', port: 80 }, new Echo())
  assert.equal(await kindAt('server'), 'open')
  end()
  assert.equal(await kindAt('server'), 'refused')
  network.listen({ host: 'server', port: 80 }, new Echo())
  network.setPower('server', false)
  assert.equal(await kindAt('server'), 'silent')
  network.setPower('server', true)
  assert.equal(await kindAt('server'), 'refused', 'what listened is gone with the power')
  network.removeHost('server')
  assert.equal(await kindAt('server'), 'silent')
  assert.equal(await kindAt('nobody'), 'silent')
})

test('a host that listens no more still answers on open connections', async () => {
  const { time, end, ask, heard } = await anEcho()
  end()
  ask('/a')
  await time.advance(1)
  assert.deepEqual(heard, ['/a'])
})

test('a request to a host without power hangs until the host is on again and resets it', async () => {
  const { time, network, connection, ask, heard, echo } = await anEcho()
  network.setPower('server', false)
  ask('/a')
  await time.advance(60_000)
  assert.deepEqual(heard, [])
  assert.ok(connection.isOpen, 'nobody told the end that asked')
  network.setPower('server', true)
  await time.advance(1_700)
  assert.deepEqual(heard, ['broken', 'closed'])
  assert.deepEqual(echo.heard, [], 'who was there before hears nothing')
})

test('a connection that slept through a power cut is reset by its next byte', async () => {
  const { time, network, connection, ask, heard } = await anEcho()
  network.setPower('server', false)
  network.setPower('server', true)
  await time.advance(60_000)
  assert.ok(connection.isOpen)
  ask('/a')
  await time.advance(1)
  assert.deepEqual(heard, ['broken', 'closed'])
  assert.ok(!connection.isOpen)
  ask('/b')
  await time.advance(1)
  assert.deepEqual(heard, ['broken', 'closed', 'broken'])
})

test('a request under way to a host that is taken away is never answered', async () => {
  const { time, network, ask, heard } = await anEcho()
  network.removeHost('server')
  network.addHost('server')
  ask('/a')
  await time.advance(3_600_000)
  assert.deepEqual(heard, [])
})

test('an answer and the close after it come in that order, whatever the jitter', async () => {
  for (let n = 0; n < 50; n += 1) {
    const { time, network } = aNetwork(`order ${n}`)
    network.addHost('server')
    const echo = new Echo((run) => {
      run()
      echo.closers[0]?.()
    })
    network.listen({ host: 'server', port: 80 }, echo)
    const connection = await opened({ time, network }, 'server')
    const heard: string[] = []
    connection.onClosed(() => heard.push('closed'))
    connection.send({ path: '/a' }, (reply) => heard.push(reply === 'broken' ? reply : reply.body))
    await time.advance(2)
    assert.deepEqual(heard, ['/a', 'closed'])
  }
})

test('a close while the answer is due breaks the request', async () => {
  const { time, ask, heard, echo } = await anEcho(() => undefined)
  ask('/a')
  await time.advance(1)
  echo.closers[0]?.()
  await time.advance(1)
  assert.deepEqual(heard, ['broken', 'closed'])
})

test('the end that closes a connection tells the other end, and hears no more of it', async () => {
  const { time, connection, ask, heard, echo } = await anEcho()
  ask('/a')
  connection.close()
  await time.advance(10)
  assert.deepEqual(echo.heard, ['/a', 'closed'])
  assert.deepEqual(heard, [])
})

test('hosts that are cut off from one another are silent; what was sent meanwhile arrives after it is healed', async () => {
  const { time, network } = aNetwork()
  for (const host of ['client', 'server', 'other']) network.addHost(host)
  const echo = new Echo()
  network.listen({ host: 'server', port: 80 }, echo)
  const parts = { time, network: network.from('client') }
  const connection = await opened(parts, 'server')
  const heal = network.partition('server', 'client')
  assert.equal((await dialled(parts, 'server'))?.kind, 'silent')
  assert.equal((await dialled({ time, network: network.from('other') }, 'server'))?.kind, 'open')
  const heard: string[] = []
  connection.send({ path: '/a' }, (reply) => heard.push(reply === 'broken' ? reply : reply.body))
  await time.advance(60_000)
  assert.deepEqual([heard, echo.heard], [[], []])
  heal()
  await time.advance(2_000)
  assert.deepEqual([heard, echo.heard], [['/a'], ['/a']])
})

test('a program whose host lost its power hears nothing, and its peers hear it only when they say something', async () => {
  const { time, network } = aNetwork()
  for (const host of ['client', 'server']) network.addHost(host)
  const answers: (() => void)[] = []
  const echo = new Echo((run) => void answers.push(run))
  network.listen({ host: 'server', port: 80 }, echo)
  const parts = { time, network: network.from('client') }
  const connection = await opened(parts, 'server')
  const heard: unknown[] = []
  connection.send({ path: '/a' }, (reply) => heard.push(reply))
  await time.advance(1)
  network.from('client').dial({ host: 'server', port: 80 }, (answer) => heard.push(answer))
  network.setPower('client', false)
  network.setPower('client', true)
  await time.advance(10)
  assert.deepEqual(echo.heard, ['/a'])
  for (const answer of answers) answer()
  await time.advance(10)
  assert.deepEqual(echo.heard, ['/a', 'closed'])
  assert.deepEqual(heard, [])
})
