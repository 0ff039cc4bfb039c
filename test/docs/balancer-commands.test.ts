import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { parseStatus } from '../../src/service/actuators/commands/io/parse-status.ts'
import { LocalHaproxy } from '../support/local-haproxy.ts'
import { root } from '../support/repository-files.ts'
import { requires } from '../support/requires.ts'

const run = promisify(execFile)

test('the script for HAProxy in docs/balancer-commands.md moves and tells the servers of a real one', {
  ...requires('haproxy'),
}, async (t) => {
  const page = await readFile(join(root, 'docs/balancer-commands.md'), 'utf8')
  const [, script] = /```js\n([\s\S]*?)```/.exec(page) ?? []
  assert.ok(script)
  const haproxy = await LocalHaproxy.start(t, {
    sections: () =>
      'backend web\n  server n1 127.0.0.1:9\n  server n2 127.0.0.1:9\nbackend api\n  server n9 127.0.0.1:9\n',
  })
  const path = join(haproxy.directory, 'lb.mjs')
  await writeFile(path, script)
  const env = { ...process.env, HAPROXY_SOCKET: haproxy.socket }
  const lb = async (...words: readonly string[]) => (await run(process.execPath, [path, ...words], { env })).stdout
  const status = async (node: string) => parseStatus(await lb('status', node), node)

  assert.deepEqual(await status('n1'), { state: 'in', sessions: 0, total: 0 })
  for (const _ of ['once', 'twice']) await lb('detach', 'n1')
  assert.deepEqual(await status('n1'), { state: 'out', sessions: 0, total: 0 })
  assert.deepEqual(await status('n2'), { state: 'in', sessions: 0, total: 0 })
  for (const _ of ['once', 'twice']) await lb('attach', 'n1')
  assert.deepEqual(await status('n1'), { state: 'in', sessions: 0, total: 0 })
  assert.deepEqual(await status('n9'), { state: 'none', sessions: 'unknown' })
  await assert.rejects(lb('detach', 'n9'), 'HAProxy has no such server')
})
