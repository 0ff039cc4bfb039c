import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
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
import { EVENTS } from '../../src/sim/world/api-resource.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { ended, start } from './evenkeel-process.ts'

const REBOOT = fileURLToPath(new URL('../../bin/demo/reboot-machine.ts', import.meta.url))
const TOKEN = 'xoxb-very-secret'

interface WrittenEvent {
  readonly reason?: string
  readonly involvedObject?: { readonly name: string }
}

interface Posted {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: Readonly<Record<string, unknown>>
}

test('a roll tells Slack, a webhook and the Events of its nodes, and a receiver that hangs neither stops it nor learns secrets', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-notify-'))
  const net = await LoopbackNet.open()
  const facts = { clock, timers, soon, seed: 'test', token: 'secret', folder, name: 'test', net, darkMs: 200 }
  const cluster = await EmbeddedCluster.open({ ...facts, nodes: [{ name: 'n1' }, { name: 'n2' }] })
  const posted: Posted[] = []
  const receivers = createServer(async (request, response) => {
    const { url: path = '', headers } = request
    posted.push({ path, authorization: headers.authorization, body: JSON.parse(await text(request)) })
    if (path === '/slack') response.end('{"ok":true,"ts":"17.1"}')
    else if (path === '/hook') response.writeHead(204).end()
  })
  receivers.listen(0, '127.0.0.1')
  await once(receivers, 'listening')
  t.after(async () => {
    receivers.closeAllConnections()
    receivers.close()
    cluster.end()
    await net.close()
    await rm(folder, { recursive: true, force: true })
  })
  const place = `http://127.0.0.1:${(receivers.address() as AddressInfo).port}`
  await waitFor({ what: 'nodes', limitMs: 60_000 }, async () => nodesReady(cluster.world, 2) || undefined)
  const state = join(folder, 'state')
  const file = join(folder, 'roll.yaml')
  const command = [process.execPath, REBOOT, cluster.powerSocket, '{node}', '{bootId}']
  const spec = {
    nodes: { all: true, allowUnbalanced: true },
    reboot: { command, resendAfter: '20s', returnLimit: '60s' },
    dns: { check: false },
    settle: { dataPort: false },
    soak: '0s',
    notify: [
      { name: 'slack', slack: { channel: 'C1', token: { env: 'SLACK_TOKEN' }, api: `${place}/slack` } },
      { name: 'pager', webhook: { url: `${place}/hook`, template: '{"summary": "{title}"}' }, on: ['node', 'done'] },
      { name: 'dead', webhook: { urlFrom: { env: 'DEAD_URL' } }, timeout: '200ms', on: ['started'] },
    ],
  }
  await writeFile(
    file,
    stringify({ apiVersion: 'evenkeel.dev/v1alpha1', kind: 'Roll', metadata: { name: 'it' }, spec }),
  )
  const words = ['roll', '-f', file, '--yes', '--no-probe', '--kubeconfig', cluster.kubeconfig, '--state-dir', state]

  const refused = await ended(start(words, { SLACK_TOKEN: TOKEN }))
  assert.equal(refused.code, 2)
  assert.match(refused.err, /error: notify dead: the environment variable DEAD_URL is not set/)
  await assert.rejects(readdir(state), { code: 'ENOENT' })

  const dead = `${place}/hang?key=${TOKEN}`
  const { code, out, err } = await ended(start(words, { SLACK_TOKEN: TOKEN, DEAD_URL: dead }))
  assert.equal(code, 0, err)
  const slack = posted.filter(({ path }) => path === '/slack')
  assert.deepEqual(
    slack.map(({ authorization, body }) => [authorization, String(body.text).split('\n')[0], body.thread_ts]),
    [
      [`Bearer ${TOKEN}`, '*it: the roll of 2 nodes begins*', undefined],
      [`Bearer ${TOKEN}`, '*it: DONE, 2 of 2 nodes back in service*', '17.1'],
    ],
  )
  assert.deepEqual(
    posted.filter(({ path }) => path === '/hook').map(({ body }) => body.summary),
    [
      'it: n1 is back in service (1 of 2)',
      'it: n2 is back in service (2 of 2)',
      'it: DONE, 2 of 2 nodes back in service',
    ],
  )
  assert.match(err, /notification: "it: the roll of 2 nodes begins" did not reach dead: no answer within 200 ms/)
  const events = [...cluster.world.store.all(EVENTS)] as readonly WrittenEvent[]
  assert.deepEqual(
    events
      .map(({ involvedObject, reason }) => `${involvedObject?.name} ${reason}`)
      .filter((text) => text.startsWith('n2 EvenKeel')),
    ['Cordon', 'Detach', 'Drain', 'Reboot', 'Uncordon', 'Attach', 'InService'].map((word) => `n2 EvenKeel${word}`),
  )
  const [run = ''] = (await readdir(state)).filter((name) => name.startsWith('2'))
  const kept = await readFile(join(state, run, 'journal.jsonl'), 'utf8')
  assert.match(kept, /"type":"thread".*"hook":"slack","thread":"17\.1"/)
  for (const text of [kept, out, err]) assert.equal(text.includes(TOKEN), false)
})
