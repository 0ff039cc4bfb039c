import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterEach, describe, test } from 'node:test'
import { buildFolder } from '../../testbed/build/cache-root.ts'
import { requires } from '../support/requires.ts'

interface Running {
  readonly child: ChildProcess
  readonly url: string
}

describe("the test bed's app", requires('testbed'), () => {
  const running: ChildProcess[] = []
  afterEach(() => {
    for (const child of running.splice(0)) child.kill('SIGKILL')
  })

  const start = async (env: Record<string, string> = {}): Promise<Running> => {
    const child = spawn(join(buildFolder(), 'bin/app'), [], {
      env: { PORT: '0', POD_NAME: 'web-1', NODE_NAME: 'n1', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    running.push(child)
    const [line]: string[] = await once(createInterface({ input: child.stderr }), 'line')
    const port = /listens on \S+:(\d+)$/.exec(line ?? '')?.[1]
    return { child, url: `http://127.0.0.1:${port}` }
  }

  test('says who served, at once or after a while', async () => {
    const { url } = await start()
    const answer = await fetch(`${url}/`)
    assert.equal(answer.headers.get('x-served-by'), 'web-1/n1')
    assert.equal(await answer.text(), 'served by web-1/n1\n')
    const began = performance.now()
    assert.equal((await fetch(`${url}/slow?ms=200`)).status, 200)
    assert.ok(performance.now() - began >= 200)
    assert.equal((await fetch(`${url}/slow?ms=soon`)).status, 400)
  })

  test('keeps connections, and turns ready only after its delay', async () => {
    const { url } = await start({ START_DELAY: '400ms' })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const first = await ask(`${url}/readyz`, agent)
    const { localPort } = first.socket
    assert.deepEqual([first.statusCode, await text(first)], [503, 'starting\n'])
    for (;;) {
      const next = await ask(`${url}/readyz`, agent)
      assert.equal(next.socket.localPort, localPort)
      await text(next)
      if (next.statusCode === 200) break
    }
    agent.destroy()
  })

  test('stops gracefully: unready, still serving and asking clients to leave, then gone with code 0', async () => {
    const { child, url } = await start({ GRACE: '500ms' })
    const ended = once(child, 'exit')
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await text(await ask(`${url}/`, agent))
    const slow = fetch(`${url}/slow?ms=800`)
    child.kill('SIGTERM')
    for (;;) {
      const ready = await ask(`${url}/readyz`, agent)
      await text(ready)
      if (ready.statusCode !== 503) continue
      assert.equal(ready.headers.connection, 'close')
      break
    }
    assert.equal((await fetch(`${url}/`)).status, 200)
    assert.equal((await slow).status, 200)
    assert.deepEqual(await ended, [0, null])
    agent.destroy()
  })

  test('exits at once where it is told to', async () => {
    const { child, url } = await start({ STOP: 'immediate' })
    const ended = once(child, 'exit')
    const slow = fetch(`${url}/slow?ms=5000`)
    const failed = assert.rejects(slow)
    await fetch(`${url}/`)
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
    await failed
  })
})

function ask(url: string, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, resolve).on('error', reject)
  })
}
