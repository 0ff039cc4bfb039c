import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { nodesReady } from '../../bin/demo/settling.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemSoon as soon } from '../../src/ground/machine/system-soon.ts'
import { systemTimers as timers } from '../../src/ground/machine/system-timers.ts'
import { EmbeddedCluster } from '../../src/sim/loopback/embedded-cluster.ts'
import { LoopbackNet } from '../../src/sim/loopback/loopback-net.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { ended, start } from './evenkeel-process.ts'

const REBOOT = fileURLToPath(new URL('../../bin/demo/reboot-machine.ts', import.meta.url))
const TOKEN = 'very-secret-token'

test('a roll asks Prometheus, a command and the API before it goes on, runs its hooks, and silences alerts', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-gates-'))
  const net = await LoopbackNet.open()
  const facts = { clock, timers, soon, seed: 'test', token: 'secret', folder, name: 'test', net, darkMs: 200 }
  const cluster = await EmbeddedCluster.open({ ...facts, nodes: [{ name: 'n1' }, { name: 'n2' }] })
  const queries: string[] = []
  const silences = new Map<string, { readonly matchers: readonly { readonly value: string }[] }>()
  const silenced: string[] = []
  const servers = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    if (pathname === '/api/v1/query') {
      queries.push(`${searchParams.get('query')} ${request.headers.authorization}`)
      // The first answer is bad luck: the server has just started.
      if (queries.length === 1) response.writeHead(503).end('starting')
      else
        response.end(
          JSON.stringify({
            status: 'success',
            data: { resultType: 'vector', result: [{ metric: {}, value: [1, '0'] }] },
          }),
        )
    } else if (request.method === 'DELETE') {
      silences.delete(pathname.split('/').at(-1) ?? '')
      response.writeHead(200).end()
    } else {
      const silence = JSON.parse(await text(request))
      const id = silence.id ?? `s-${silenced.length}`
      if (silence.id === undefined) silenced.push(silence.matchers[0].value)
      silences.set(id, silence)
      response.end(JSON.stringify({ silenceID: id }))
    }
  })
  servers.listen(0, '127.0.0.1')
  await once(servers, 'listening')
  t.after(async () => {
    servers.closeAllConnections()
    servers.close()
    cluster.end()
    await net.close()
    await rm(folder, { recursive: true, force: true })
  })
  const place = `http://127.0.0.1:${(servers.address() as AddressInfo).port}`
  await waitFor({ what: 'nodes', limitMs: 60_000 }, async () => nodesReady(cluster.world, 2) || undefined)
  const [state, file, log, hook] = ['state', 'roll.yaml', 'hooks.log', 'hook'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ]
  await writeFile(hook, `#!/bin/sh\necho "$@" >> ${log}\necho "did $1 for $2, password=$TOKEN"\n`)
  await chmod(hook, 0o755)
  const often = { timesInARow: 2, interval: '500ms', limit: '1min' }
  const spec = {
    nodes: { all: true, allowUnbalanced: true },
    reboot: {
      command: [process.execPath, REBOOT, cluster.powerSocket, '{node}', '{bootId}'],
      resendAfter: '20s',
      returnLimit: '60s',
    },
    dns: { check: false },
    settle: { dataPort: false },
    soak: '0s',
    gates: [
      {
        ...often,
        name: 'storage',
        before: ['node', 'attach'],
        prometheus: {
          url: place,
          query: 'down{host="{node}"}',
          expect: '== 0',
          headers: [{ name: 'Authorization', valueFrom: { env: 'TOKEN' } }],
        },
      },
      { ...often, name: 'log', before: 'reboot', command: ['grep', '-q', 'begin {node}', log] },
      {
        ...often,
        name: 'ready',
        before: 'node',
        object: { version: 'v1', resource: 'nodes', name: '{node}', condition: 'Ready' },
      },
    ],
    hooks: [
      { name: 'outer', at: 'beforeNode', run: [hook, 'begin', '{node}'], undo: [hook, 'end', '{node}'] },
      { name: 'noout', at: 'beforeReboot', run: [hook, 'set', '{node}'], undo: [hook, 'unset', '{node}'] },
      { name: 'over', at: 'afterRoll', run: [hook, 'over'] },
    ],
    silences: [{ name: 'am', url: place, matchers: [{ name: 'node', value: '{node}' }] }],
  }
  const write = (changed: object): Promise<void> =>
    writeFile(
      file,
      stringify({
        apiVersion: 'evenkeel.dev/v1alpha1',
        kind: 'Roll',
        metadata: { name: 'it' },
        spec: { ...spec, ...changed },
      }),
    )
  const words = ['roll', '-f', file, '--yes', '--no-probe', '--kubeconfig', cluster.kubeconfig, '--state-dir', state]

  const [object] = spec.gates.slice(-1)
  for (const [changed, why] of [
    [
      { hooks: [{ name: 'x', at: 'afterRoll', run: ['no-such-program'] }] },
      /hook x: there is no command no-such-program/,
    ],
    [
      { gates: [{ ...object, object: { version: 'v1', resource: 'nodes', name: 'a', passWhen: 'object.' } }] },
      /gate ready: passWhen cannot be used/,
    ],
  ] as const) {
    await write(changed)
    const refused = await ended(start(words, { TOKEN }))
    assert.equal(refused.code, 2, refused.err)
    assert.match(refused.err, why)
  }
  await write({})
  const unset = await ended(start(words))
  assert.equal(unset.code, 2)
  assert.match(unset.err, /gate storage: the environment variable TOKEN is not set/)
  await assert.rejects(readdir(state), { code: 'ENOENT' })

  const { code, out, err } = await ended(start(words, { TOKEN }))
  assert.equal(code, 0, err)
  const of = (node: string) => [`begin ${node}`, `set ${node}`, `unset ${node}`, `end ${node}`]
  assert.deepEqual((await readFile(log, 'utf8')).trim().split('\n'), [...of('n1'), ...of('n2'), 'over'])
  assert.deepEqual([silenced, silences.size], [['n1', 'n2'], 0])
  assert.equal(queries[0], `down{host="n1"} ${TOKEN}`)
  // One query that failed, and two before each node and before each attach.
  assert.ok(queries.length >= 9, `${queries.length}`)
  assert.match(err + out, /gate storage has no answer: GET http:\/\/127\.0\.0\.1:\d+\/api\/v1\/query answered 503/)
  const [run = ''] = (await readdir(state)).filter((name) => name.startsWith('2'))
  const kept = await readFile(join(state, run, 'journal.jsonl'), 'utf8')
  assert.match(kept, /"text":"[^"]*exit code 0: did set for n1, password=\[removed\]","type":"hook"/)
  for (const shown of [kept, out, err]) assert.equal(shown.includes(TOKEN), false)
})
