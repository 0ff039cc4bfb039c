import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { LocalPrograms } from '../../../src/ground/machine/local-programs.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemTimers as timers } from '../../../src/ground/machine/system-timers.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { ObjectAddress, Objects } from '../../../src/ground/ports/objects.ts'
import { HttpHolds } from '../../../src/guard/io/ask-hold.ts'
import { CelRules } from '../../../src/guard/io/cel/object-rules.ts'
import { PrometheusQueries } from '../../../src/roll/io/prometheus-queries.ts'
import type { GateAnswer, GateQuestion } from '../../../src/roll/model/gate-spec.ts'
import type { NodePlace } from '../../../src/roll/ports/gate-source.ts'
import { GateAsker } from '../../../src/roll/run/gates/gate-asker.ts'
import { aGate } from '../../support/gate-and-hook-world.ts'

interface Surroundings {
  readonly object?: unknown
  readonly secret?: string
}

const PLACE: NodePlace = { node: 'n1', address: '10.0.0.1' }

/** By real HTTP, real child processes and the real CEL; the objects are as they are given. */
function ask(question: GateQuestion, { object, secret }: Surroundings = {}, place = PLACE): Promise<GateAnswer> {
  const objects: Pick<Objects, 'get'> = {
    get: <T>({ name }: ObjectAddress<T>) => {
      if (object === 'refused')
        return Promise.reject(new WorldError('the API refuses', { code: 'KUBE_FORBIDDEN', retry: 'never' }))
      return Promise.resolve((name === 'of-n1' ? object : undefined) as T | undefined)
    },
  }
  const asker = new GateAsker({
    holds: new HttpHolds({ timers }),
    metrics: new PrometheusQueries({ timers }),
    programs: new LocalPrograms(clock),
    objects,
    rules: new CelRules(clock),
    secret: async () => {
      if (secret === undefined) throw new UserError('the environment variable T is not set', { code: 'notify.secret' })
      return secret
    },
    clock,
  })
  return asker.ask(aGate({ question, timeoutMs: 2_000 }), place, new AbortController().signal)
}

async function server(t: TestContext, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const http = createServer(answer)
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  t.after(() => {
    http.closeAllConnections()
    http.close()
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

const node = (script: string, ...args: readonly string[]): GateQuestion => ({
  kind: 'command',
  argv: [process.execPath, '-e', script, '--', ...args],
})

const COMMANDS: readonly (readonly [what: string, question: GateQuestion, kind: GateAnswer['kind'], text: RegExp])[] = [
  ['that succeeds', node(''), 'passes', /ended with exit code 0$/],
  ['that fails', node('console.log("osd.3 is down\\n"); process.exit(2)'), 'fails', /exit code 2: osd\.3 is down$/],
  [
    'that prints a secret and controls',
    node('console.error("password=hunter2 \\u001b[2J"); process.exit(1)'),
    'fails',
    /exit code 1: password=\[removed\]/,
  ],
  [
    'with the node in its arguments, and no shell',
    node('process.exit(process.argv[1] === "n1/10.0.0.1;$(id)" ? 0 : 1)', '{node}/{address};$(id)'),
    'passes',
    /code 0$/,
  ],
  ['that hangs', node('setInterval(() => {}, 1000)'), 'unknown', /did not end within 2000 ms$/],
  ['that is killed', node('process.kill(process.pid, "SIGKILL")'), 'unknown', /was killed by SIGKILL$/],
  ['that is not there', { kind: 'command', argv: ['/no/such/program'] }, 'unknown', /could not be started: .*ENOENT/],
]

for (const [what, question, kind, text] of COMMANDS)
  test(`law: a gate that cannot be asked never passes; a command ${what} ${kind}`, async () => {
    const answer = await ask(question)
    assert.equal(answer.kind, kind, answer.text)
    assert.match(answer.text, text)
    assert.doesNotMatch(answer.text, /hunter2|\u001b/)
  })

const http = (url: string, change: Partial<Extract<GateQuestion, { kind: 'http' }>> = {}): GateQuestion => ({
  kind: 'http',
  url,
  expectStatus: [200, 299],
  headers: [],
  ...change,
})

test('law: a gate that cannot be asked never passes; by HTTP, the status, the body, a value and a header count', async (t) => {
  const seen: unknown[] = []
  const url = await server(t, (request, response) => {
    seen.push([request.url, request.headers.authorization])
    if (request.url === '/moved') response.writeHead(302, { location: '/n1' }).end()
    else if (request.url === '/busy') response.writeHead(503).end('busy')
    else response.end('{"status":"green","why":"all is well"}')
  })
  const headers = [{ name: 'authorization', value: { env: 'T' } }]
  const rows = [
    [http(`${url}/{node}`), 'passes', /answered 200$/],
    [http(`${url}/n1`, { contains: 'all is well' }), 'passes', /answered 200$/],
    [http(`${url}/n1`, { contains: 'red' }), 'fails', /its body does not contain red$/],
    [http(`${url}/n1`, { jsonPath: '$.status', equals: 'green' }), 'passes', /\$\.status is green$/],
    [http(`${url}/n1`, { jsonPath: '$.status', equals: 'red' }), 'fails', /\$\.status is green, not red$/],
    [http(`${url}/n1`, { jsonPath: '$.none', equals: 'red' }), 'unknown', /\$\.none is absent$/],
    [http(`${url}/busy`), 'fails', /answered 503$/],
    [http(`${url}/busy`, { expectStatus: [503, 503] }), 'passes', /answered 503$/],
    [http(`${url}/moved`), 'fails', /answered 302, which points to .*it is not followed$/],
    [http('http://127.0.0.1:1/'), 'unknown', /ECONNREFUSED/],
    [http('http://169.254.169.254/'), 'unknown', /metadata address/],
  ] as const
  for (const [question, kind, text] of rows) {
    const answer = await ask(question)
    assert.equal(answer.kind, kind, answer.text)
    assert.match(answer.text, text)
  }
  assert.equal((await ask(http(`${url}/n1`, { headers }), { secret: 'Bearer s' })).kind, 'passes')
  assert.deepEqual(seen.at(-1), ['/n1', 'Bearer s'])
  const unset = await ask(http(`${url}/n1`, { headers }))
  assert.deepEqual(unset, { kind: 'unknown', text: 'the environment variable T is not set' })
  const homeless = await ask(http(`${url}/{address}`), {}, { node: 'n1' })
  assert.deepEqual(homeless, { kind: 'unknown', text: 'n1 has no internal address' })
})

test('law: a gate that cannot be asked never passes; a query compares its one value', async (t) => {
  const asked: unknown[] = []
  let body: unknown
  const url = await server(t, (request, response) => {
    asked.push(new URL(request.url ?? '', url).searchParams.get('query'))
    response.end(JSON.stringify(body))
  })
  const question = (operator: '<' | '==' | '!=' | '>=', value: number): GateQuestion => ({
    kind: 'prometheus',
    url,
    query: 'osds_down{host="{node}"}',
    expect: { operator, value },
    headers: [],
  })
  const value = (...values: readonly string[]) => ({
    status: 'success',
    data: { resultType: 'vector', result: values.map((text) => ({ metric: {}, value: [1_700_000_000, text] })) },
  })
  body = value('1')
  assert.deepEqual(await ask(question('==', 0)), { kind: 'fails', text: 'the value is 1, not == 0' })
  assert.deepEqual(await ask(question('>=', 1)), { kind: 'passes', text: 'the value is 1' })
  assert.deepEqual((await ask(question('<', 1))).kind, 'fails')
  body = value()
  assert.equal((await ask(question('==', 0))).kind, 'unknown')
  body = value('NaN')
  assert.equal((await ask(question('!=', 0))).kind, 'unknown')
  assert.deepEqual(asked[0], 'osds_down{host="n1"}')
})

test('law: a gate that cannot be asked never passes; an object is asked by CEL', async () => {
  const question = (passWhen: string): GateQuestion => ({
    kind: 'object',
    group: '',
    version: 'v1',
    resource: 'storages',
    object: 'of-{node}',
    passWhen,
  })
  const object = { status: { health: 'OK', conditions: [{ type: 'Ready', status: 'True' }] } }
  const ready = "object.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')"
  assert.equal((await ask(question(ready), { object })).kind, 'passes')
  assert.deepEqual(await ask(question("object.status.health == 'BAD'"), { object }), {
    kind: 'fails',
    text: "storages of-n1: not object.status.health == 'BAD'",
  })
  assert.equal((await ask(question(ready), { object: {} })).kind, 'unknown')
  assert.deepEqual(await ask(question(ready)), { kind: 'unknown', text: 'storages of-n1 is not there' })
  assert.deepEqual(await ask(question(ready), { object: 'refused' }), { kind: 'unknown', text: 'the API refuses' })
})
