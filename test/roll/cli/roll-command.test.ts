import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'
import type { RollOutcome } from '../../../src/roll/model/roll-event.ts'
import { formatRecord } from '../../../src/service/model/node-record.ts'
import { aNode, aRecord } from '../../support/roll-world.ts'
import { heldStory, RUN } from './screen/roll-story.ts'
import { ended, evenkeel, PLAN, ScriptedActions, stamped } from './scripted-roll.ts'

test('progress goes to stderr, the verdict to stdout, and the roll gets the plan that was agreed to', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  const { code, out, err } = await evenkeel('roll -f roll.yaml --yes w-1', actions)
  assert.equal(code, 0)
  assert.match(out, /^DONE {2}8 of 8 nodes in 16 min 32 s; 0 failed of 187,200 requests, no strays\n/)
  assert.match(err, /06:18:45Z w-1 {4}done {6}4:06/)
  const [, request] = actions.requests
  assert.ok(request !== undefined && 'spec' in request)
  assert.deepEqual(request.spec.nodes.names, ['w-1'])
  assert.equal(request.plan, PLAN)
})

const OUTCOMES: readonly (readonly [RollOutcome, number])[] = [
  ['completed', 0],
  ['stopped', 1],
  ['aborted', 1],
  ['held', 3],
  ['interrupted', 130],
]

test('the outcome is the exit code and the document of -o json', async () => {
  for (const [outcome, exitCode] of OUTCOMES) {
    const { code, out } = await evenkeel('roll -f roll.yaml -y -o json', new ScriptedActions(ended(outcome, exitCode)))
    assert.equal(code, exitCode)
    const document = JSON.parse(out)
    assert.deepEqual([document.outcome, document.failedRequests, document.sentRequests], [outcome, 0, 187_200])
  }
})

test('-o jsonl and --events stream the same events, the end last', async () => {
  const actions = new ScriptedActions(ended('held', 3))
  const { code, out, opened } = await evenkeel('roll -f roll.yaml -y -o jsonl --events e.jsonl', actions)
  assert.equal(code, 3)
  assert.equal(opened.get('e.jsonl')?.text, out)
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ seq }) => seq),
    [...lines.keys()],
  )
  assert.equal(lines.at(-1).type, 'roll.ended')
})

test('resume goes on with the counts of the journal', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  const { code, out } = await evenkeel(`roll resume ${RUN} --state-dir /state`, actions)
  assert.equal(code, 0)
  assert.match(out, /^DONE/)
  assert.deepEqual(actions.requests, [{ stateDir: '/state', run: RUN }])
  assert.equal((await evenkeel('roll abort -q', new ScriptedActions(ended('aborted', 1)))).code, 1)
})

test('status and report read the journal and begin nothing', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  const status = await evenkeel('roll status', actions)
  assert.match(status.out, /^RUNNING {2}prod-eu1: 1 of 8 nodes done/)
  const report = await evenkeel('roll report', actions)
  assert.match(report.out, /\n {2}w-1 {4}4:06 {3}0:32 {3}0:50 {2}0:41 {4}2:03 /)
  assert.match(report.out, /\/state\/20261121T061439Z-1f0e\n$/)
  const json = await evenkeel('roll status -o json', actions)
  assert.equal(JSON.parse(json.out).outcome, 'running')
  actions.running = false
  for (const command of ['roll status -o json', 'roll report -o json'])
    assert.equal(JSON.parse((await evenkeel(command, actions)).out).outcome, 'interrupted', command)
  assert.equal(actions.requests.length, 0)
})

test('the status of a run whose process is gone says what the Node in work shows now', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  actions.running = false
  const now = async (nodes?: readonly Node[]) => {
    actions.nodes = nodes
    const { out } = await evenkeel('roll status', actions)
    return out.replaceAll(/\s+/g, ' ').match(/ now (.*?) next /)?.[1]
  }
  const annotations = { 'evenkeel.dev/record': formatRecord(aRecord({ run: RUN })) }
  assert.equal(
    await now([aNode('w-2')]),
    'w-2 is not cordoned, and its Node bears no record: nothing of this run is left on it',
  )
  assert.equal(
    await now([aNode('w-2', { unschedulable: true, annotations })]),
    'w-2 is cordoned, and its Node bears the record of this run: it is not put back',
  )
  assert.equal(await now([]), 'w-2 is no Node of the cluster any more')
  assert.equal(await now(), 'w-2 as the journal has it: the cluster cannot be asked: connect ECONNREFUSED')
})

test('what an action refuses comes out as it is, with exit 2; a bug with its stack and exit 1', async () => {
  const refusing = new ScriptedActions(ended('completed', 0))
  refusing.plan = () =>
    Promise.reject(new UserError('there is no kubeconfig', { code: 'KUBECONFIG_MISSING', fix: 'name one' }))
  const { code, err } = await evenkeel('roll -f roll.yaml -y', refusing)
  assert.deepEqual([code, err], [2, 'error: there is no kubeconfig (KUBECONFIG_MISSING)\n  = fix: name one\n'])
  const json = await evenkeel('roll -f roll.yaml -y -o json', refusing)
  assert.deepEqual(JSON.parse(json.out), {
    error: { code: 'KUBECONFIG_MISSING', message: 'there is no kubeconfig', fix: 'name one' },
  })
  refusing.plan = () => Promise.reject(new RangeError('oops'))
  const bug = await evenkeel('roll -f roll.yaml -y', refusing)
  assert.equal(bug.code, 1)
  assert.match(bug.err, /^error: this is a bug in evenkeel/)
})

test('help for an unknown command is an error, and an error of a subcommand names the help of that subcommand', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  const help = await evenkeel('help rol', actions)
  assert.deepEqual([help.code, help.out], [2, ''])
  assert.equal(help.err, 'error: there is no command "rol" (usage.command)\n  = fix: evenkeel help roll\n')
  const wrong = await evenkeel('roll status --wrong', actions)
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /\(evenkeel roll status --help lists the options\)/)
})

test('the question names the context and the API server, not only the file', async () => {
  const origin = { context: 'eu1', server: 'https://10.0.0.5:6443', user: 'me' }
  const actions = new ScriptedActions(ended('completed', 0), { plan: { ...PLAN, ...origin } })
  const { asked } = await evenkeel('roll -f roll.yaml', actions, { terminal: true, answer: true })
  assert.deepEqual(asked, ['Roll 1 node of context eu1 (https://10.0.0.5:6443)? [y/N] '])
})

test('roll list says that a state directory has no runs', async () => {
  const { code, out } = await evenkeel('roll list', new ScriptedActions(ended('completed', 0)))
  assert.deepEqual([code, out], [0, 'No rolls in /state.\n'])
})

test('a run that was begun for a key is continued by its journal, and not asked about', async () => {
  const begun = { 'job-1': heldStory().events }
  const actions = new ScriptedActions(ended('completed', 0), { begun })
  const { code, err } = await evenkeel('roll -f gone.yaml --once job-1 --pod evenkeel/roll-a --no-probe -y', actions)
  assert.equal(code, 0, err)
  assert.match(err, new RegExp(`^Run ${RUN} was begun for this key and is not over: it goes on\\.`))
  assert.deepEqual(actions.requests, [{ run: RUN, pod: 'evenkeel/roll-a', keepsVerdict: true }])
})

test('a run of a key that is over is not begun again, and its end is the exit code', async () => {
  for (const [outcome, exitCode] of OUTCOMES.filter(([each]) => each !== 'interrupted')) {
    const before = heldStory().events
    const begun = { 'job-1': [...before, stamped(ended(outcome, exitCode), before.length)] }
    const actions = new ScriptedActions(ended('completed', 0), { begun })
    const { code, out, err } = await evenkeel('roll -f roll.yaml --once job-1 -y -o json', actions)
    assert.deepEqual([code, actions.requests], [exitCode, []], err)
    assert.equal(JSON.parse(out).outcome, outcome)
    assert.match(err, /is over: nothing is done\./)
  }
})

test('another key begins another run, which keeps the key', async () => {
  const actions = new ScriptedActions(ended('completed', 0), { begun: { 'job-1': heldStory().events } })
  await evenkeel('roll -f roll.yaml --once job-2 --pod evenkeel/roll-a -y', actions)
  assert.deepEqual(
    actions.requests.map((request) => 'once' in request && [request.once, request.pod]),
    [
      ['job-2', 'evenkeel/roll-a'],
      ['job-2', 'evenkeel/roll-a'],
    ],
  )
})

test('a pod that is no namespace and name is wrong usage', async () => {
  for (const pod of ['roll-a', 'evenkeel/', '/', 'Evenkeel/roll', '$(POD_NAMESPACE)/$(POD_NAME)', 'evenkeel/a b']) {
    const actions = new ScriptedActions(ended('completed', 0))
    const { code } = await evenkeel(`roll -f roll.yaml -y --pod=${pod.replaceAll(' ', '\u00a0')}`, actions)
    assert.deepEqual([code, actions.requests], [2, []], pod)
  }
})

test('a run of a key that was aborted is no roll that is done, though its abort put everything back', async () => {
  const end = stamped(ended('aborted', 0), 99)
  const begun = { 'job-1': [...heldStory().events.filter(({ type }) => type !== 'roll.ended'), end] }
  const actions = new ScriptedActions(ended('completed', 0), { begun })
  const { code, err } = await evenkeel('roll -f roll.yaml --once job-1 -y', actions)
  assert.deepEqual([code, actions.requests], [1, []], err)
  assert.match(err, /was begun for this key and is over: nothing is done/)
})

test('while the journals cannot be asked for the key, nothing is begun, and a Job tries again', async () => {
  for (const [code, exitCode] of [
    ['KUBE_UNREACHABLE', 1],
    ['journal.state-dir', 2],
  ] as const) {
    const actions = new ScriptedActions(ended('completed', 0))
    actions.begunFor = () => Promise.reject(new UserError('no', { code }))
    const seen = await evenkeel('roll -f roll.yaml --once job-1 -y', actions)
    assert.deepEqual([seen.code, actions.requests], [exitCode, []], seen.err)
  }
})

test('a run of a key fails with exit 1 for what passes, so that a Job tries again, and with exit 2 for wrong input', async () => {
  const TABLE: readonly (readonly [code: string, exitCode: number])[] = [
    ['KUBE_UNREACHABLE', 1],
    ['KUBE_TIMEOUT', 1],
    ['journal.in-use', 1],
    ['usage.own-pod', 1],
    ['KUBE_UNAUTHORIZED', 2],
    ['journal.other-cluster', 2],
  ]
  for (const [code, exitCode] of TABLE) {
    const after = () => Promise.reject(new UserError('no', { code }))
    const actions = new ScriptedActions(ended('completed', 0), { begun: { 'job-1': heldStory().events }, after })
    const shown = await evenkeel('roll -f roll.yaml --once job-1 -y', actions)
    assert.equal(shown.code, exitCode, code)
    assert.ok(shown.err.includes(`error: no (${code})`), shown.err)
  }
})
