import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UserError } from '../../../src/ground/model/user-error.ts'
import type { RunRequest } from '../../../src/roll/cli/roll-actions.ts'
import { RUN } from './screen/roll-story.ts'
import { ended, evenkeel, FILE, ScriptedActions } from './scripted-roll.ts'

const MENDED = FILE.replace('spec:', 'spec:\n  reboot: {ssh: {user: ops}}')
const UNMEASURED = FILE.replace(/\n {2}probes.*\n/, '\n')
const files = { 'mended.yaml': MENDED, 'bare.yaml': UNMEASURED, 'wrong.yaml': MENDED.replace('user:', 'usr:') }

/** What the last command asked to be done. */
const asked = (actions: ScriptedActions): RunRequest => {
  const last = actions.requests.at(-1)
  assert.ok(last !== undefined && !('spec' in last))
  return last
}

test('resume -f goes on by the file that it is given', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  const { code } = await evenkeel(`roll resume ${RUN} -f mended.yaml`, actions, { files })
  assert.equal(code, 0)
  const { run, file } = asked(actions)
  assert.deepEqual([run, file?.name, file?.spec.reboot.kind], [RUN, 'mended.yaml', 'ssh'])
  assert.deepEqual(file?.spec.reboot.kind === 'ssh' && file.spec.reboot.user, 'ops')
})

test('a file with a mistake is told at its line before anything is looked at', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  for (const name of ['resume', 'abort']) {
    const { code, err } = await evenkeel(`roll ${name} -f wrong.yaml`, actions, { files })
    assert.equal(code, 2)
    assert.match(err, /^error: unknown field "usr" \(config\.unknown-field\)\n --> wrong\.yaml:5:18\n/)
    assert.match(err, /1 error in wrong\.yaml\. Nothing was contacted or changed\.\n$/)
  }
  assert.deepEqual(actions.requests, [])
})

test('what the run has against a file is told at its line, with exit 2, and as the document of -o json', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  actions.resume = ({ file }) => {
    assert.ok(file)
    const findings = [{ path: ['spec', 'nodes'], text: 'n2 is out for this run', fix: 'choose n2 as well' }]
    return Promise.reject(file.refusal(findings))
  }
  const { code, err } = await evenkeel('roll resume -f mended.yaml', actions, { files })
  assert.equal(code, 2)
  assert.match(err, /^error: n2 is out for this run \(config\.begun\)\n --> mended\.yaml:6:3\n/)
  assert.match(err, /\n1 error in mended\.yaml\. Nothing was changed\.\n$/)
  const json = await evenkeel('roll resume -f mended.yaml -o json', actions, { files })
  assert.match(JSON.parse(json.out).error.details[0], /\(config\.begun\)/)
})

test('a resume by a file without probes has to ask for it; without a file it cannot', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  const refused = await evenkeel('roll resume -f bare.yaml', actions, { files })
  assert.deepEqual(
    [refused.code, refused.err.split('\n')[0]],
    [2, 'error: nothing measures this roll, so nothing would stop it at a failed request (usage.no-probe)'],
  )
  assert.equal((await evenkeel('roll resume --no-probe', actions, { files })).code, 2)
  assert.deepEqual(actions.requests, [])
  assert.equal((await evenkeel('roll resume -f bare.yaml --no-probe', actions, { files })).code, 0)
  await evenkeel('roll resume -f mended.yaml --no-probe', actions, { files })
  assert.equal(asked(actions).file?.spec.probe, undefined)
})

test('abort -f needs no journal: the nodes tell which run it is; it ends with 1', async () => {
  const actions = new ScriptedActions(ended('aborted', 1))
  actions.history = () => Promise.reject(new UserError('there is no journal', { code: 'journal.none' }))
  assert.equal((await evenkeel('roll abort', actions, { files })).code, 2)
  const { code, out } = await evenkeel('roll abort -f bare.yaml', actions, { files })
  assert.equal(code, 1)
  assert.match(out, /^ABORTED/)
  assert.deepEqual([asked(actions).run, asked(actions).file?.name], [RUN, 'bare.yaml'])
})

test('an abort ends with 1, also where nothing failed', async () => {
  assert.equal((await evenkeel(`roll abort ${RUN}`, new ScriptedActions(ended('aborted', 1)))).code, 1)
})
