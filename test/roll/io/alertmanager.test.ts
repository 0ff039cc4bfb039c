import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { freePort } from '../../../bin/demo/free-port.ts'
import { Alertmanager } from '../../../src/roll/io/alertmanager.ts'
import { HttpHooks } from '../../../src/roll/io/post-hook.ts'
import { requires } from '../../support/requires.ts'
import { Alertmanager as RealAlertmanager } from '../../support/roll-operation/monitoring.ts'

interface Silence {
  readonly id?: string
  readonly matchers: readonly unknown[]
  readonly comment: string
}

/**
 * As https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml has it: `postableSilence` in, `{silenceID}` out, 400
 * and 404 with a text in JSON, and 200 for a silence that is expired.
 */
async function alertmanager(t: TestContext) {
  const silences = new Map<string, Silence>()
  const requests: string[] = []
  let isDown = false
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    const reply = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (isDown) return reply(503, 'not yet joined')
    const [, expired] = /^\/am\/api\/v2\/silence\/([^/]+)$/.exec(request.url ?? '') ?? []
    if (request.method === 'DELETE' && expired !== undefined)
      return silences.delete(expired) ? response.writeHead(200).end() : reply(404, `silence ${expired} not found`)
    if (request.method !== 'POST' || request.url !== '/am/api/v2/silences') return reply(404, 'no such path')
    const silence: Silence = JSON.parse(await text(request))
    if (silence.matchers.length === 0) return reply(400, 'silence invalid: at least one matcher required')
    if (silence.id !== undefined && !silences.has(silence.id)) return reply(404, `silence ${silence.id} not found`)
    const id = silence.id ?? `id-${silences.size + 1}`
    silences.set(id, silence)
    return reply(200, { silenceID: id })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const goesDown = (): void => {
    isDown = true
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/am/`
  return { url, silences, requests, goesDown }
}

const NEVER = new AbortController().signal
const SILENCE = {
  headers: { authorization: 'Basic x' },
  matchers: [{ name: 'instance', value: 'n1', isRegex: false }],
  startsAt: '2026-01-01T00:00:00.000Z',
  endsAt: '2026-01-01T00:10:00.000Z',
  comment: 'n1: rolled',
}

test('makes, renews and ends a silence by version 2 of the API', async (t) => {
  const { url, silences, requests } = await alertmanager(t)
  const manager = new Alertmanager(new HttpHooks({}))
  const id = await manager.put({ ...SILENCE, url }, NEVER)
  assert.equal(id, 'id-1')
  assert.deepEqual(silences.get(id), {
    matchers: [{ name: 'instance', value: 'n1', isRegex: false, isEqual: true }],
    startsAt: SILENCE.startsAt,
    endsAt: SILENCE.endsAt,
    createdBy: 'evenkeel',
    comment: 'n1: rolled',
  })
  assert.equal(await manager.put({ ...SILENCE, url, id, endsAt: '2026-01-01T00:20:00.000Z' }, NEVER), id)
  assert.equal(silences.size, 1)
  await manager.expire({ url, headers: SILENCE.headers, id }, NEVER)
  assert.equal(silences.size, 0)
  // What is not there has ended.
  await manager.expire({ url, headers: SILENCE.headers, id }, NEVER)
  assert.deepEqual(requests, [
    'POST /am/api/v2/silences Basic x',
    'POST /am/api/v2/silences Basic x',
    'DELETE /am/api/v2/silence/id-1 Basic x',
    'DELETE /am/api/v2/silence/id-1 Basic x',
  ])
})

test('a real Alertmanager makes, finds and ends silences', requires('prometheus'), async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-silences-'))
  const server = new RealAlertmanager({ enter: (argv) => argv, folder }, await freePort('127.0.0.1', undefined))
  t.after(async () => {
    server.end()
    await rm(folder, { recursive: true, force: true })
  })
  await server.start()
  const manager = new Alertmanager(new HttpHooks({}))
  const nowMs = Date.now()
  const times = { startsAt: new Date(nowMs).toISOString(), endsAt: new Date(nowMs + 60_000).toISOString() }
  const text = {
    url: server.url,
    headers: {},
    matchers: [
      { name: 'instance', value: '10\\.0\\.0\\.1(:[0-9]+)?', isRegex: true },
      { name: 'node', value: 'n "1"', isRegex: false },
    ],
    comment: 'n1: rolled by Even Keel, run run-1',
  }
  const ids = [await manager.put({ ...text, ...times }, NEVER), await manager.put({ ...text, ...times }, NEVER)]
  await manager.put({ ...text, ...times, comment: 'n1: rolled by Even Keel, run run-2' }, NEVER)
  assert.deepEqual(new Set(await manager.find(text, NEVER)), new Set(ids))
  for (const id of ids) await manager.expire({ ...text, id }, NEVER)
  assert.deepEqual(await manager.find(text, NEVER), [])
})

test('says what Alertmanager refuses, and that a silence is gone', async (t) => {
  const { url, goesDown } = await alertmanager(t)
  const manager = new Alertmanager(new HttpHooks({}))
  const refused = {
    code: 'SILENCE_REFUSED',
    message: 'Alertmanager answered 400: silence invalid: at least one matcher required',
  }
  await assert.rejects(manager.put({ ...SILENCE, url, matchers: [] }, NEVER), refused)
  await assert.rejects(manager.put({ ...SILENCE, url, id: 'gone' }, NEVER), { code: 'SILENCE_GONE' })
  goesDown()
  const down = { code: 'SILENCE_UNSURE', message: 'Alertmanager answered 503: not yet joined' }
  await assert.rejects(manager.put({ ...SILENCE, url }, NEVER), down)
  await assert.rejects(manager.expire({ url, headers: {}, id: 'id-1' }, NEVER), down)
  await assert.rejects(manager.put({ ...SILENCE, url: 'http://127.0.0.1:1' }, NEVER), { code: 'HOOK_FAILED' })
})

test('an answer without an id is no silence', async (t) => {
  for (const body of ['{}', '[]', 'ok', '{"silenceID":""}', '{"silenceID":"../x"}']) {
    const server = createServer((_request, response) => response.end(body))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await assert.rejects(new Alertmanager(new HttpHooks({})).put({ ...SILENCE, url }, NEVER), /without the id/)
  }
})
