import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { systemTimers as timers } from '../../../src/ground/machine/system-timers.ts'
import { PrometheusQueries } from '../../../src/roll/io/prometheus-queries.ts'

/** https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries and #expression-query-result-formats. */
const vector = (...values: readonly string[]) => ({
  status: 'success',
  data: {
    resultType: 'vector',
    result: values.map((value, i) => ({ metric: { __name__: 'up', job: `j${i}` }, value: [1_700_000_000.5, value] })),
  },
})

const scalar = (value: string) => ({
  status: 'success',
  data: { resultType: 'scalar', result: [1_700_000_000.5, value] },
})

async function prometheus(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const ask = (url: string, query = 'up', timeoutMs = 5_000) =>
  new PrometheusQueries({ timers }).instant(
    { url, query, headers: { authorization: 'Bearer t' }, timeoutMs },
    new AbortController().signal,
  )

test('asks one instant query by GET, under a base with a path and parameters of its own', async (t) => {
  const seen: unknown[] = []
  const url = await prometheus(t, ({ method, url: path, headers }, response) => {
    seen.push([method, path, headers.authorization])
    response.end(JSON.stringify(vector('0')))
  })
  assert.deepEqual(await ask(`${url}/prom/?dedup=true`, 'up{job="a b"} > 0'), { kind: 'value', value: 0 })
  assert.deepEqual(seen, [['GET', '/prom/api/v1/query?dedup=true&query=up%7Bjob%3D%22a+b%22%7D+%3E+0', 'Bearer t']])
})

const ROWS: readonly (readonly [what: string, status: number, body: unknown, answer: number | RegExp])[] = [
  ['a vector of one series', 200, vector('1.5'), 1.5],
  ['a scalar', 200, scalar('-2e3'), -2000],
  ['infos beside the result', 200, { ...vector('3'), infos: ['metric might not be a counter'] }, 3],
  ['no series', 200, vector(), /answered 200, and no series matches$/],
  ['several series', 200, vector('0', '0', '1'), /3 series match, not one$/],
  ['NaN', 200, vector('NaN'), /its value is NaN, which compares with nothing$/],
  ['infinity', 200, scalar('+Inf'), /its value is \+Inf/],
  ['a warning of missing data', 200, { ...vector('0'), warnings: ['store-2 is away'] }, /warns: store-2 is away$/],
  [
    'a histogram',
    200,
    {
      status: 'success',
      data: { resultType: 'vector', result: [{ metric: {}, histogram: [1, { count: '1', sum: '1' }] }] },
    },
    /its value is a histogram$/,
  ],
  ['a matrix', 200, { status: 'success', data: { resultType: 'matrix', result: [] } }, /its result is a matrix/],
  ['a string', 200, { status: 'success', data: { resultType: 'string', result: [1, '0'] } }, /its result is a string/],
  [
    'a query that is wrong',
    400,
    { status: 'error', errorType: 'bad_data', error: 'invalid parameter "query": 1:3: parse error\u001b[31m' },
    /answered 400, and says bad_data: invalid parameter "query": 1:3: parse error\\x1b\[31m$/,
  ],
  ['a server that starts', 503, { status: 'error', errorType: 'unavailable', error: 'x' }, /503, and says unavailable/],
  ['a success with a bad status', 503, vector('0'), /answered 503, and says success$/],
  ['no value in the series', 200, { ...vector('0'), data: { resultType: 'vector', result: [{}] } }, /has no value$/],
  [
    'a number in place of the text',
    200,
    { status: 'success', data: { resultType: 'scalar', result: [1, 0] } },
    /no value$/,
  ],
  ['no data', 200, { status: 'success' }, /has no data$/],
  ['JSON that is something else', 200, [], /no answer of the Prometheus API$/],
  ['a page', 502, '<html>bad gateway</html>', /answered 502, and its body is no answer of the Prometheus API$/],
]

for (const [what, status, body, wanted] of ROWS) {
  test(`law: an answer of Prometheus that is not exactly one number is unknown; ${what}`, async (t) => {
    const url = await prometheus(t, (_request, response) => {
      response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
    })
    const answer = await ask(url)
    if (typeof wanted === 'number') assert.deepEqual(answer, { kind: 'value', value: wanted })
    else assert.match(answer.kind === 'unknown' ? answer.why : JSON.stringify(answer), wanted)
  })
}

test('a server that is away, hangs, floods or points elsewhere is unknown, and no text shows the query', async (t) => {
  const hanging = await prometheus(t, () => undefined)
  const why = async (url: string, limitMs = 5_000): Promise<string> => {
    const answer = await ask(`${url}/?token=secret`, 'up', limitMs)
    return answer.kind === 'unknown' ? answer.why : 'a value'
  }
  assert.match(
    await why(hanging, 60),
    /^GET http:\/\/127\.0\.0\.1:\d+\/api\/v1\/query has no whole answer within 60 ms$/,
  )
  assert.match(await why('http://127.0.0.1:1'), /failed: .*ECONNREFUSED/)
  const flooding = await prometheus(t, (_request, response) => response.end('x'.repeat(70_000)))
  assert.match(await why(flooding), /its body is larger than 64 KiB$/)
  const moved = await prometheus(t, (_request, response) => response.writeHead(302, { location: hanging }).end())
  assert.match(await why(moved), /answered 302, a redirect; it is not followed$/)
})
