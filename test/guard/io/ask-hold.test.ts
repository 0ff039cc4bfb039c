import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http, { setGlobalProxyFromEnv } from 'node:http'
import https from 'node:https'
import type { AddressInfo, LookupFunction } from 'node:net'
import { type TestContext, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { systemTimers as timers } from '../../../src/ground/machine/system-timers.ts'
import { HttpHolds } from '../../../src/guard/io/ask-hold.ts'
import { askHold, STATUS, textOf } from '../../ground/net/a-hold.ts'
import { answer, aServer } from '../../ground/net/a-server.ts'

const reply = (status: string, head = '', body = '') =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${head}\r\n${body}`

test('without a wanted value, a status from 200 to 299 is clear and every other one is unknown', async (t) => {
  for (const [status, kind] of [
    ['200 OK', 'clear'],
    ['204 No Content', 'clear'],
    ['299 Odd', 'clear'],
    ['300 Many', 'unknown'],
    ['304 Not Modified', 'unknown'],
    ['401 Unauthorized', 'unknown'],
    ['404 Not Found', 'unknown'],
    ['503 Service Unavailable', 'unknown'],
    ['999 Odd', 'unknown'],
  ] as const) {
    const { url } = await aServer(t, (socket) => socket.end(reply(status)))
    const text = `GET ${url} answered ${status.slice(0, 3)}`
    assert.deepEqual(await askHold({ url }), kind === 'clear' ? { kind, evidence: text } : { kind, why: text }, status)
  }
})

test('law: only a whole answer from 200 to 299 with the wanted value clears a hold; another value holds, and all else is unknown', async (t) => {
  const table: readonly (readonly [string, 'clear' | 'held' | 'unknown', string])[] = [
    ['{"status":"green"}', 'clear', 'answered 200, $.status is green'],
    ['\ufeff{"status":"green"}', 'clear', 'answered 200, $.status is green'],
    ['{"status":"yellow"}', 'held', 'answered 200, $.status is yellow, not green'],
    ['{"status":"Green"}', 'held', 'answered 200, $.status is Green, not green'],
    ['{"status":7}', 'held', 'answered 200, $.status is 7, not green'],
    ['{"status":""}', 'held', 'answered 200, $.status is , not green'],
    ['{"state":"green"}', 'unknown', 'answered 200, and $.status is absent'],
    ['{"status":null}', 'unknown', 'answered 200, and $.status is neither a text nor a number nor true or false'],
    ['{"status":["green"]}', 'unknown', 'answered 200, and $.status is neither a text nor a number nor true or false'],
    ['{"status":"green"', 'unknown', 'answered 200, and its body is no JSON'],
    ['green', 'unknown', 'answered 200, and its body is no JSON'],
    ['', 'unknown', 'answered 200, and its body is no JSON'],
    ['{"status":1e999}', 'unknown', 'answered 200, and $.status is a number too large to compare'],
  ]
  for (const [body, kind, text] of table) {
    const { url } = await aServer(t, (socket) => socket.end(answer(body)))
    const given = await askHold({ url, ...STATUS })
    assert.equal(given.kind, kind, body)
    assert.equal(textOf(given), `GET ${url} ${text}`)
  }
  const { url } = await aServer(t, (socket) => socket.end(reply('503 No', '', '{"status":"green"}')))
  assert.deepEqual(await askHold({ url, ...STATUS }), { kind: 'unknown', why: `GET ${url} answered 503` })
})

test('a number and a flag are compared as JSON writes them, and a path that finds several values has none', async (t) => {
  const body = '{"n":3,"half":0.5,"ok":true,"no":false,"big":12345678901234567890,"list":[{"a":1},{"a":1}]}'
  const { url } = await aServer(t, (socket) => socket.end(answer(body)))
  const table = [
    ['$.n', '3', 'clear'],
    ['$.n', '3.0', 'held'],
    ['$.half', '0.5', 'clear'],
    ['$.ok', 'true', 'clear'],
    ['$.no', 'true', 'held'],
    ['$.big', '12345678901234567890', 'unknown'],
    ['$.list[0].a', '1', 'clear'],
    ['$.list[?@.a == 1].a', '1', 'unknown'],
    ['$.constructor', '1', 'unknown'],
  ] as const
  for (const [jsonPath, equals, kind] of table)
    assert.equal((await askHold({ url, jsonPath, equals })).kind, kind, jsonPath)
  assert.equal(
    textOf(await askHold({ url, jsonPath: '$.list[*].a', equals: '1' })),
    `GET ${url} answered 200, and $.list[*].a has 2 values`,
  )
})

test('a redirect is not followed, and where it points is shown without credentials and parameters', async (t) => {
  const other = await aServer(t, (socket) => socket.end(answer()))
  for (const [location, shown] of [
    [`${other.url}path?token=1#x`, `${other.url}path`],
    ['http://me:secret@db.svc/a?token=1', 'http://db.svc/a'],
    ['//me:secret@db.svc/a', 'http://db.svc/a'],
  ] as const) {
    const { url } = await aServer(t, (socket) => socket.end(reply('302 Found', `Location: ${location}\r\n`)))
    const why = `GET ${url} answered 302, which points to ${shown}; it is not followed`
    assert.deepEqual(await askHold({ url }), { kind: 'unknown', why })
  }
  assert.equal(other.taken(), 0)
})

test('what is asked is a GET of JSON in plain, on a connection that is closed, with no credentials', async (t) => {
  const heads: http.IncomingMessage[] = []
  const server = http.createServer((request, response) => {
    heads.push(request)
    response.end('{"status":"green"}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/drain/n1?token=secret`
  const given = await askHold({ url, ...STATUS })
  assert.equal(given.kind, 'clear')
  assert.equal(textOf(given).includes('secret'), false)
  const [head] = heads
  assert.equal(head?.method, 'GET')
  assert.equal(head?.url, '/drain/n1?token=secret')
  const { host, ...others } = head?.headers ?? {}
  assert.deepEqual(others, { accept: 'application/json', 'accept-encoding': 'identity', connection: 'close' })
})

test('no proxy is used; not even where the whole process uses one', async (t) => {
  const server = await aServer(t, (socket) => socket.end(answer()))
  const proxy = await aServer(t, (socket) => socket.end(answer()))
  t.after(setGlobalProxyFromEnv({ HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url }))
  assert.equal((await askHold({ url: server.url })).kind, 'clear')
  assert.equal(proxy.taken(), 0)
})

test('a port that is closed and a name that does not exist are unknown', async () => {
  assert.deepEqual(await askHold({ url: 'http://127.0.0.1:1/' }), {
    kind: 'unknown',
    why: 'GET http://127.0.0.1:1/ failed: connect ECONNREFUSED 127.0.0.1:1',
  })
  assert.match(textOf(await askHold({ url: 'http://nowhere.invalid/' })), /^GET \S+ failed: getaddrinfo \S+ nowhere/)
})

test('a certificate counts for its name and if an authority that is trusted signed it', async (t: TestContext) => {
  const file = (name: string) =>
    readFileSync(new URL(`../../ground/net/fixtures/self-signed-${name}.pem`, import.meta.url), 'utf8')
  const server = https.createServer({ cert: file('cert'), key: file('key') }, (_, response) => response.end('{}'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const url = `https://localhost:${port}/`
  const lookup: LookupFunction = (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])
  assert.match(textOf(await askHold({ url }, { lookup })), /failed: self-signed certificate/)
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, file('cert')])
  t.after(() => setDefaultCACertificates(before))
  assert.equal((await askHold({ url }, { lookup })).kind, 'clear')
  const other = await askHold({ url: `https://db.test:${port}/` }, { lookup })
  assert.match(textOf(other), /failed: Hostname\/IP does not match certificate's altnames/)
})

test('a question that cannot be asked opens no connection', async (t) => {
  const { url, taken } = await aServer(t, (socket) => socket.end(answer()))
  for (const [question, why] of [
    [{ url: url.replace('//', '//me:secret@') }, 'the URL cannot be used: it has credentials'],
    [{ url: 'nonsense' }, 'the URL cannot be used: it is no URL'],
    [{ url, jsonPath: '$.status' }, 'jsonPath and equals belong together'],
    [{ url, equals: 'green' }, 'jsonPath and equals belong together'],
  ] as const)
    assert.deepEqual(await askHold(question), { kind: 'unknown', why })
  assert.match(
    textOf(await askHold({ url, jsonPath: 'status', equals: 'x' })),
    /^the JSON path cannot be used: expected/,
  )
  assert.equal(taken(), 0)
})

test('a path is refused with its cause, and one of RFC 9535 is not', () => {
  const holds = new HttpHolds({ timers })
  for (const path of [
    '$.status',
    '$',
    "$['a b'].c[-1]",
    '$..x',
    '$.list[?@.name == "n1"].state',
    '$[?length(@.a) > 1]',
  ])
    assert.equal(holds.pathFault(path), undefined, path)
  for (const path of ['', 'status', '$.', '$.a b', '$[?match(@.a, "x*")]', '$[?search(@.a, "x*")]', '$.a'.repeat(500)])
    assert.notEqual(holds.pathFault(path), undefined, path)
})
