import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { HttpHooks } from '../../../src/roll/io/post-hook.ts'

const hooks = new HttpHooks({})
const never = new AbortController().signal

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`
}

test('a POST has the body and the headers, and the answer is read whole', async (t) => {
  const seen: { readonly request: IncomingMessage; readonly body: string }[] = []
  const url = await serve(t, async (request, response) => {
    seen.push({ request, body: await text(request) })
    response.writeHead(201, { 'retry-after': '7' }).end('tänks')
  })
  const answer = await hooks.post({ url, headers: { authorization: 'Bearer s' }, body: '{"a":"ä"}' }, never)
  assert.deepEqual(answer, { status: 201, body: 'tänks', retryAfterMs: 7_000 })
  const [{ request, body } = assert.fail('no request came')] = seen
  assert.deepEqual(
    [request.method, request.url, request.headers.authorization, request.headers['content-type'], body],
    ['POST', '/secret-path', 'Bearer s', 'application/json; charset=utf-8', '{"a":"ä"}'],
  )
})

test('a redirect is not followed, so that no header goes to another host', async (t) => {
  let asked = 0
  const url = await serve(t, (_request, response) => {
    asked += 1
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  assert.equal((await hooks.post({ url, headers: {}, body: '{}' }, never)).status, 302)
  assert.equal(asked, 1)
})

const failure = async (url: string): Promise<string> => {
  try {
    await hooks.post({ url, headers: {}, body: '{}' }, never)
  } catch (error) {
    if (error instanceof WorldError) return error.message
    throw error
  }
  return assert.fail('it was answered')
}

test('a failure names neither the URL nor its host', async (t) => {
  const closed = createTcpServer((socket) => socket.destroy())
  closed.listen(0, '127.0.0.1')
  await once(closed, 'listening')
  t.after(() => closed.close())
  const { port } = closed.address() as AddressInfo
  assert.equal(await failure(`http://127.0.0.1:${port}/secret-path`), 'the request failed: ECONNRESET')
  assert.equal(await failure('http://127.0.0.1:1/secret-path'), 'the request failed: ECONNREFUSED')
  assert.equal(await failure('http://secret-name.invalid/'), 'the request failed: ENOTFOUND')
})

test('an answer without end is cut off', async (t) => {
  const url = await serve(t, (_request, response) => {
    const more = (): void => {
      while (response.write(Buffer.alloc(16_384))) if (response.destroyed) return
      response.once('drain', more)
    }
    more()
  })
  assert.equal(await failure(url), 'the request failed: its answer is larger than 64 KiB')
})

test('a server that never answers is left when the signal says so', async (t) => {
  const url = await serve(t, () => undefined)
  const over = new Error('over')
  const late = new AbortController()
  const asked = hooks.post({ url, headers: {}, body: '{}' }, late.signal)
  late.abort(over)
  await assert.rejects(asked, over)
})
