import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { ScriptedGuard } from '../guard/cli/scripted-guard.ts'
import { grantedBy, type RbacManifest } from '../support/granted-rights.ts'
import { requestedBy } from '../support/requested-rights.ts'

const manifests = parseAllDocuments(readFileSync(new URL('../../deploy/guard-rbac.yaml', import.meta.url), 'utf8')).map(
  (document) => document.toJS() as RbacManifest,
)

const grantedTo = (...roles: readonly string[]): readonly string[] =>
  grantedBy(manifests.filter(({ metadata }) => roles.includes(metadata.name))).toSorted()

const LOOKS = [
  'status',
  'status ng/storage',
  'status ng/storag',
  'explain ng/storage --node n1',
  'explain ng/storage --node n9',
]
const WRITES = ['release ng/storage --node n1 --for 10min --yes', 'hold ng/storage --node n1']

/** `verb group resource namespace name`, as `grantedBy` has them: a role of the cluster names neither of the last two. */
async function askedBy(lines: readonly string[]): Promise<readonly string[]> {
  const scripted = new ScriptedGuard()
  for (const line of lines) await scripted.run(line)
  scripted.api.time.later(2_000, () => scripted.context.interrupts.press())
  await scripted.run('status ng/storage --watch')
  const rights = scripted.api.requests.flatMap((request) => {
    const [method = '', url = ''] = request.split(' ')
    const { pathname: path, searchParams: query } = new URL(url, 'http://api')
    return requestedBy({ method, path, query })
  })
  const ofAll = rights.map((right) => [...right.split(' ').slice(0, 3), '*', '*'].join(' '))
  return [...new Set(ofAll)].toSorted()
}

test('the shipped role for looking grants what status and explain ask for, and nothing else', async () => {
  assert.deepEqual(await askedBy(LOOKS), grantedTo('evenkeel-guard-view', 'evenkeel-guard-nodes'))
})

test('the shipped role for writing grants what all commands of guards ask for, and nothing else', async () => {
  assert.deepEqual(await askedBy([...LOOKS, ...WRITES]), grantedTo('evenkeel-guard', 'evenkeel-guard-nodes'))
})
