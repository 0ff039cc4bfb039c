import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo, type LookupFunction, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { systemTimers as timers } from '../../../src/ground/machine/system-timers.ts'
import { HttpHolds } from '../../../src/guard/io/ask-hold.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { askHold, STATUS, textOf } from '../../ground/net/a-hold.ts'
import { answer, aServer } from '../../ground/net/a-server.ts'

const HEAD = 'HTTP/1.1 200 OK\r\n'

/** The server's end of every connection has to be closed by the asker. */
async function asked(t: TestContext, speak: (socket: Socket) => void, question = {}): Promise<string> {
  const sockets: Socket[] = []
  const { url } = await aServer(t, (socket) => {
    sockets.push(socket)
    speak(socket)
  })
  const given = await askHold({ url, ...STATUS, ...question })
  assert.equal(given.kind, 'unknown')
  await waitFor({ what: 'the connection to be closed', limitMs: 5_000, everyMs: 5 }, async () =>
    sockets.every((socket) => socket.destroyed || socket.readableEnded) ? true : undefined,
  )
  return textOf(given).replace(`GET ${url} `, '')
}

const stream = (socket: Socket, piece: string | Buffer): void => {
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece));
    if (!socket.destroyed) socket.once('drain', more)
  }
  more()
}

const drip = (socket: Socket, piece: string): void => {
  const dripping = setInterval(() => socket.write(piece), 10)
  socket.once('close', () => clearInterval(dripping))
}

test('a server that says nothing, half a head, half a body or a byte now and then is unknown when the time is over', async (t) => {
  const speakers: readonly ((socket: Socket) => void)[] = [
    () => undefined,
    (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-'),
    (socket) => socket.write(`${HEAD}Content-Length: 99\r\n\r\n{"status":`),
    (socket) => {
      socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`)
      drip(socket, '1\r\n \r\n')
    },
    (socket) => drip(socket, ' '),
  ]
  for (const speak of speakers)
    assert.match(await asked(t, speak, { timeoutMs: 200 }), /has no whole answer within 200 ms|failed: Parse Error/)
})

test('a body of 64 KiB is read, and one that is larger ends the connection, however much follows', async (t) => {
  const padded = (bytes: number): string => '{"status":"green"}'.padEnd(bytes)
  const { url } = await aServer(t, (socket) => socket.end(answer(padded(65_536))))
  const whole = await askHold({ url, ...STATUS })
  assert.equal(whole.kind, 'clear', textOf(whole))
  const tooLarge = 'answered 200, and its body is larger than 64 KiB'
  assert.equal(await asked(t, (socket) => socket.write(answer(padded(65_537)))), tooLarge)
  const million = Buffer.alloc(1_000_000, 32)
  for (const head of ['Content-Length: 100000000\r\n\r\n', '\r\n'])
    assert.equal(
      await asked(t, (socket) => {
        socket.write(HEAD + head)
        stream(socket, million)
      }),
      tooLarge,
    )
})

test('a body that is compressed is not unpacked', async (t) => {
  const bomb = gzipSync(Buffer.alloc(10_000_000, 32))
  for (const encoding of ['gzip', 'br', 'deflate', 'gzip, gzip', 'x'.repeat(300)]) {
    const why = await asked(t, (socket) => {
      socket.write(`${HEAD}Content-Encoding: ${encoding}\r\nContent-Length: ${bomb.length}\r\n\r\n`)
      socket.write(bomb)
    })
    assert.match(why, /^answered 200 with content-encoding .{2,103}, which was not asked for$/)
  }
  const identity = `Content-Encoding: Identity\r\n`
  const { url } = await aServer(t, (socket) => socket.end(answer('{"status":"green"}', identity)))
  assert.equal((await askHold({ url, ...STATUS })).kind, 'clear')
})

test('what is no HTTP, has too long a head, is cut short or comes twice is unknown', async (t) => {
  const table: readonly (readonly [string, RegExp])[] = [
    ['220 mail.example ESMTP\r\n', /^failed: Parse Error/],
    ['\0\u001b[31m\r\n\r\n', /^failed: Parse Error/],
    ['HTTP/1.1 20 OK\r\n\r\n', /^failed: |^answered 20$/],
    [`${HEAD}X: ${'a'.repeat(20_000)}\r\n\r\n`, /^failed: Parse Error: Header overflow/],
    [`${HEAD}Content-Length: 99\r\n\r\n{"status":"green"}`, /^answered 200, and its body is cut short/],
    [`${HEAD}Transfer-Encoding: chunked\r\n\r\n99\r\n{"status":"green"}`, /^answered 200, and its body is cut short/],
    [`${HEAD}Content-Length: 5\r\nContent-Length: 18\r\n\r\n{"status":"green"}`, /^failed: Parse Error/],
    [`${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, /^failed: Parse Error/],
    [
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
      /^answered 101, and it changes|^failed/,
    ],
    ['HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100), /^failed: it sends informational answers without end/],
    ['', /^failed: socket hang up/],
  ]
  for (const [bytes, why] of table) assert.match(await asked(t, (socket) => socket.end(bytes)), why)
})

test('a body that is a trap for a reader of JSON is unknown', async (t) => {
  const bodies = ['['.repeat(60_000), `${'['.repeat(30_000)}${']'.repeat(30_000)}`, '{"a":'.repeat(13_000), '\xff\xfe']
  for (const body of bodies) await asked(t, (socket) => socket.end(answer(body)), { jsonPath: '$..status' })
  const invalid = Buffer.concat([Buffer.from('{"status":"green'), Buffer.from([0xff]), Buffer.from('"}')])
  const why = await asked(t, (socket) => {
    socket.write(`${HEAD}Content-Length: ${invalid.length}\r\n\r\n`)
    socket.end(invalid)
  })
  assert.equal(why, 'answered 200, and its body is no JSON')
  await asked(t, (socket) => socket.end(answer('{"__proto__":{"status":"green"}}')))
})

test('a path that would select without end is ended', async (t) => {
  const rows = JSON.stringify(Array.from({ length: 8_000 }, (_, i) => [i]))
  const jsonPath = '$[?count($[?count($[?count($..*) > @[0]]) > @[0]]) > @[0]]'
  const why = await asked(t, (socket) => socket.end(answer(rows)), { jsonPath })
  assert.match(why, /is not found: the path was ended after 100 ms$/)
})

test('of a value at most 100 characters are shown, on one line', async (t) => {
  const secret = `\u001b[2J\n${'x'.repeat(200)}SECRET`
  const { url } = await aServer(t, (socket) => socket.end(answer(JSON.stringify({ status: secret, other: 'SECRET' }))))
  const given = await askHold({ url, ...STATUS })
  assert.equal(given.kind, 'held')
  assert.equal(textOf(given), `GET ${url} answered 200, $.status is \\x1b[2J\\x0a${'x'.repeat(95)}..., not green`)
})

test('law: no host name in a hold leads to an address at which a cloud gives credentials; whichever of its addresses that is', async (t) => {
  const { url, taken } = await aServer(t, (socket) => socket.end(answer()))
  const { port } = new URL(url)
  const found = [{ address: '127.0.0.1', family: 4 }]
  const lookup: LookupFunction = (_name, { all }, callback) =>
    all === true ? callback(null, found) : callback(null, '127.0.0.1', 4)
  assert.equal((await askHold({ url: `http://db.test:${port}/` }, { lookup })).kind, 'clear')
  for (const address of ['169.254.169.254', 'fe80::1', '::ffff:169.254.1.1', 'fd00:ec2::254']) {
    found.splice(1, 1, { address, family: address.includes(':') ? 6 : 4 })
    assert.deepEqual(await askHold({ url: `http://db.test:${port}/` }, { lookup }), {
      kind: 'unknown',
      why: `GET http://db.test:${port}/ failed: db.test is ${address}, a link-local or metadata address`,
    })
  }
  found.length = 0
  assert.match(textOf(await askHold({ url: `http://db.test:${port}/` }, { lookup })), /failed: db.test has no address$/)
  assert.equal(taken(), 1)
})

test('a name that is not resolved in time is unknown, and an ask that is called off rejects with the cause', async (t) => {
  const lookup: LookupFunction = () => undefined
  const slow = await askHold({ url: 'http://db.test/', timeoutMs: 50 }, { lookup })
  assert.deepEqual(slow, { kind: 'unknown', why: 'GET http://db.test/ has no whole answer within 50 ms' })
  const { url } = await aServer(t, () => undefined)
  const cause = new Error('shutting down')
  const control = new AbortController()
  const pending = askHold({ url }, { signal: control.signal })
  control.abort(cause)
  await assert.rejects(pending, (error) => error === cause)
  await assert.rejects(askHold({ url }, { signal: AbortSignal.abort(cause) }), (error) => error === cause)
})

test('at most four connections to one server are open, and the questions behind them are answered in turn', async (t) => {
  const open = { now: 0, most: 0 }
  const waiting: Socket[] = []
  const server = net.createServer((socket) => {
    open.now += 1
    open.most = Math.max(open.most, open.now)
    socket.on('error', () => undefined)
    socket.once('data', () => waiting.push(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const holds = new HttpHolds({ timers })
  const answers = Array.from({ length: 20 }, () => holds.ask({ url, timeoutMs: 10_000 }, new AbortController().signal))
  for (let answered = 0; answered < answers.length; answered += 1) {
    const limits = { what: 'a further request', limitMs: 5_000, everyMs: 2 }
    const socket = await waitFor(limits, async () => waiting.shift())
    open.now -= 1
    socket.end(answer())
  }
  assert.deepEqual(new Set((await Promise.all(answers)).map(({ kind }) => kind)), new Set(['clear']))
  assert.equal(open.most, 4)
})

test('questions that ran out of time leave no connection behind, and the next one has its answer', async (t) => {
  const sockets: Socket[] = []
  const mood = { silent: true }
  const { url } = await aServer(t, (socket) => {
    sockets.push(socket)
    if (!mood.silent) socket.end(answer())
  })
  const holds = new HttpHolds({ timers })
  const ask = (timeoutMs: number) => holds.ask({ url, timeoutMs }, new AbortController().signal)
  const late = await Promise.all(Array.from({ length: 12 }, () => ask(150)))
  assert.deepEqual(new Set(late.map(({ kind }) => kind)), new Set(['unknown']))
  mood.silent = false
  assert.equal((await ask(10_000)).kind, 'clear')
  await waitFor({ what: 'all connections to be closed', limitMs: 5_000, everyMs: 5 }, async () =>
    sockets.every((socket) => socket.destroyed || socket.readableEnded) ? true : undefined,
  )
})
