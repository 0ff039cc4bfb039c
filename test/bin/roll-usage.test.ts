import assert from 'node:assert/strict'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { FakeApiServer } from '../ground/kube/fake-api-server.ts'
import { kubeconfigOf } from '../ground/kube/kubeconfig-of.ts'
import { aFolder } from '../ground/kube/opened.ts'
import { rollFile } from '../support/roll-bed/roll-file.ts'
import { assertRefused, type UsageRow, withJson } from '../support/roll-input/input-row.ts'
import { USAGE_ROWS } from '../support/roll-input/usage-rows.ts'
import { ended, start } from './evenkeel-process.ts'

/** A roll as people write it, the row's own error apart; and an API server that must not hear of it. */
async function refused(t: TestContext, row: UsageRow): Promise<void> {
  const server = await new FakeApiServer().start()
  t.after(() => server.stop())
  const folder = await aFolder(t)
  const kubeconfig = join(folder, 'kubeconfig')
  await writeFile(kubeconfig, kubeconfigOf(server, { token: 'let-me-in' }))
  const written: Promise<unknown>[] = []
  const write = (name: string, text: string): string => {
    const path = join(folder, name)
    written.push(writeFile(path, text, { mode: 0o600 }))
    return path
  }
  const file = (spec: Readonly<Record<string, unknown>> = {}): string =>
    write('bed.yaml', rollFile({ socket: '/run/haproxy.sock', sshConfig: '/etc/ssh/ssh_config', spec }))
  const words = withJson(row.words({ file, write }))
  await Promise.all(written)
  const state = await mkdtemp(join(folder, 'state-'))
  const { code, out, err } = await ended(start(words, { KUBECONFIG: kubeconfig, XDG_STATE_HOME: state }))
  assertRefused(row, { code, stdout: out, stderr: err })
  assert.deepEqual(server.requests, [])
}

// Two at a time: each is a process, and most of its time is the start of it.
describe('a wrong command line or file ends with exit code 2, says what to do and asks no cluster', {
  concurrency: 2,
}, () => {
  for (const row of USAGE_ROWS) test(row.title, (t) => refused(t, row))
})
