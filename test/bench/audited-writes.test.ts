import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { AuditedWrites } from '../../bench/ingress/audited-writes.ts'

const USER = 'system:serviceaccount:evenkeel:controller'

interface Asked {
  readonly verb?: string
  readonly username?: string
  readonly resource?: string
  readonly name?: string
}

const line = ({ verb = 'patch', username = USER, resource = 'nodes', name = 'n1' }: Asked = {}): string =>
  `${JSON.stringify({ verb, user: { username }, objectRef: { resource, name } })}\n`

function newLog(t: TestContext): { readonly log: string; readonly writes: AuditedWrites } {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-audit-'))
  const log = join(folder, 'audit.log')
  writeFileSync(log, '')
  const writes = new AuditedWrites(log, USER)
  t.after(async () => {
    await writes.close()
    rmSync(folder, { recursive: true })
  })
  return { log, writes }
}

test('writes of the one user are counted, and neither reads, nor the Lease of the leader, nor those of others', async (t) => {
  const { log, writes } = newLog(t)
  const leases = { resource: 'leases', verb: 'update' }
  appendFileSync(log, ['create', 'update', 'patch', 'delete'].map((verb) => line({ verb })).join(''))
  appendFileSync(log, ['get', 'list', 'watch'].map((verb) => line({ verb })).join(''))
  appendFileSync(log, line({ ...leases, name: 'evenkeel-controller' }) + line({ username: `${USER}-2` }))
  assert.equal(await writes.count(), 4)
  appendFileSync(log, line({ ...leases, name: 'evenkeel-slot-1' }))
  assert.equal(await writes.count(), 5, 'a slot is a Lease as well')
})

test('a line counts once it is whole, and once', async (t) => {
  const { log, writes } = newLog(t)
  const text = line()
  appendFileSync(log, text + text.slice(0, 20))
  assert.equal(await writes.count(), 1)
  assert.equal(await writes.count(), 1)
  appendFileSync(log, text.slice(20))
  assert.equal(await writes.count(), 2)
})

test('a log that is renamed and begun anew is counted to its end, and then the new one', async (t) => {
  const { log, writes } = newLog(t)
  appendFileSync(log, line())
  assert.equal(await writes.count(), 1)
  appendFileSync(log, line())
  renameSync(log, `${log}.1`)
  assert.equal(await writes.count(), 2, 'the new one is not there yet')
  appendFileSync(`${log}.1`, line())
  writeFileSync(log, line() + line())
  assert.equal(await writes.count(), 5)
})
