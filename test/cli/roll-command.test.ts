import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runProgram } from '../../src/cli/program.ts'
import type { RollActions, RollIo, RollRequest, RunRequest } from '../../src/cli/roll-actions.ts'
import { addRollCommand } from '../../src/cli/roll-command.ts'
import { Voice } from '../../src/cli/voice.ts'
import type { RollEvent, RollOutcome, StampedEvent } from '../../src/model/roll-event.ts'
import type { RollPlan } from '../../src/model/roll-plan.ts'
import { UserError } from '../../src/model/user-error.ts'
import { type MemoryFacts, memoryContext } from './memory-context.ts'
import { heldStory, load, NODES, RUN, standing } from './roll/roll-story.ts'

const FILE = `apiVersion: evenkeel.dev/v1alpha1
kind: Roll
metadata: {name: prod-eu1}
spec:
  nodes: {all: true}
  probes: [{name: shop, url: 'https://app.example.com/'}]
`

const PLAN: RollPlan = {
  cluster: 'prod-eu1',
  nodes: [
    {
      node: 'w-1',
      role: 'worker',
      address: '10.0.0.1',
      bootId: 'b',
      detachFrom: [],
      podsToMove: [],
      stages: [0, 0, 0],
    },
  ],
  skipped: [],
  unmatchedServers: [],
  findings: [],
  load: [{ name: 'shop', url: 'https://app.example.com/', ratePerSecond: 100, control: false }],
  checksPassed: 3,
}

const stamped = (event: RollEvent, seq: number): StampedEvent => ({
  ...event,
  v: '1.0',
  seq,
  at: '2026-11-21T06:31:11.000Z',
})

const ended = (outcome: RollOutcome, exitCode: number): RollEvent => ({
  type: 'roll.ended',
  outcome,
  exitCode,
  reasons: [],
  standings: NODES.map((node) => standing(node)),
  next: [],
  load: load(187_200),
})

interface Script {
  readonly plan?: RollPlan
  readonly after?: (io: RollIo) => Promise<void>
}

const nothing = (): Promise<void> => Promise.resolve()

/** A world in which rolling means telling the held story and then `last`. */
class ScriptedActions implements RollActions {
  readonly requests: (RollRequest | RunRequest)[] = []
  readonly #plan: RollPlan
  readonly #last: RollEvent
  /** What happens once the story is told; a roll that keeps a node out goes on after its end. */
  readonly #after: (io: RollIo) => Promise<void>

  constructor(last: RollEvent, { plan = PLAN, after = nothing }: Script = {}) {
    this.#last = last
    this.#plan = plan
    this.#after = after
  }

  plan(request: RollRequest): Promise<RollPlan> {
    this.requests.push(request)
    return Promise.resolve(this.#plan)
  }

  async #tell(request: RollRequest | RunRequest, io: RollIo): Promise<void> {
    this.requests.push(request)
    const { events } = heldStory()
    for (const event of events) io.onEvent(event)
    io.onEvent(stamped(this.#last, events.length))
    await this.#after(io)
  }

  roll = (request: RollRequest, io: RollIo): Promise<void> => this.#tell(request, io)
  resume = (request: RunRequest, io: RollIo): Promise<void> => this.#tell(request, io)
  abort = (request: RunRequest, io: RollIo): Promise<void> => this.#tell(request, io)

  history(request: RunRequest) {
    const run = request.run ?? RUN
    return Promise.resolve({ run, events: heldStory().events, running: true, journal: `/state/${run}` })
  }
}

async function evenkeel(line: string, actions: RollActions, facts: MemoryFacts = {}) {
  const made = memoryContext({ files: { 'roll.yaml': FILE }, ...facts })
  const parts = {
    version: '0.0.0',
    context: made.context,
    commands: [addRollCommand(async () => actions, new Voice(made.context.err))],
  }
  const code = await runProgram(parts, line.split(' '))
  return { code, out: made.context.out.text, err: made.context.err.text, ...made }
}

test('a dry run shows the plan on stdout and begins nothing', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  const { code, out, err } = await evenkeel('roll -f roll.yaml --dry-run', actions)
  assert.equal(code, 0)
  assert.match(out, /^Plan for prod-eu1: 1 node, 1 at a time\. Nothing was changed\.\n/)
  assert.match(out, /Run it: evenkeel roll -f roll\.yaml\n$/)
  assert.equal(err, '')
  assert.equal(actions.requests.length, 1)
  const json = await evenkeel('roll -f roll.yaml --dry-run -o json', actions)
  assert.deepEqual(JSON.parse(json.out), PLAN)
})

test('a plan with errors ends with exit 2 before the question', async () => {
  const findings = [
    { severity: 'error', code: 'NodeUnknown', text: 'there is no node w-7', fix: 'the cluster has: w-1' },
  ] as const
  const actions = new ScriptedActions(ended('completed', 0), { plan: { ...PLAN, findings } })
  const { code, err, asked } = await evenkeel('roll -f roll.yaml', actions, { terminal: true, answer: true })
  assert.equal(code, 2)
  assert.match(
    err,
    /error: there is no node w-7 \(NodeUnknown\)\n {2}= fix: the cluster has: w-1\n1 error in the plan for prod-eu1\. Nothing was changed\.\n$/,
  )
  assert.deepEqual(asked, [])
})

test('a dry run of a plan with errors is one document, and exit 2', async () => {
  const findings = [{ severity: 'error', code: 'NoNodes', text: 'no node is selected' }] as const
  const actions = new ScriptedActions(ended('completed', 0), { plan: { ...PLAN, findings } })
  const { code, out, err } = await evenkeel('roll -f roll.yaml --dry-run -o json', actions)
  assert.equal(code, 2)
  assert.deepEqual(JSON.parse(out), { ...PLAN, findings })
  assert.equal(err, 'error: no node is selected (NoNodes)\n1 error in the plan for prod-eu1. Nothing was changed.\n')
})

test('a roll asks on a terminal, and no means nothing was changed', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  const { code, err, asked } = await evenkeel('roll -f roll.yaml --progress plain', actions, { terminal: true })
  assert.deepEqual(asked, ['Roll 1 node of prod-eu1? [y/N] '])
  assert.equal(code, 2)
  assert.match(err, /Nothing was changed\.\n$/)
  assert.equal(actions.requests.length, 1)
})

test('off a terminal there is nobody to ask', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  const { code, err } = await evenkeel('roll -f roll.yaml', actions)
  assert.equal(code, 2)
  assert.equal(err, 'error: nobody to ask (usage.nobody-to-ask)\n  = fix: add --yes\n')
  assert.equal(actions.requests.length, 0)
})

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

test('an unmeasured roll has to be asked for', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  const bare = { files: { 'bare.yaml': FILE.replace(/\n {2}probes.*\n/, '\n') } }
  const refused = await evenkeel('roll -f bare.yaml -y', actions, bare)
  assert.equal(refused.code, 2)
  assert.match(refused.err, /nothing measures this roll/)
  assert.equal((await evenkeel('roll -f bare.yaml -y --no-probe', actions, bare)).code, 0)
  await evenkeel('roll -f roll.yaml -y --no-probe', actions)
  const last = actions.requests.at(-1)
  assert.ok(last !== undefined && 'spec' in last)
  assert.equal(last.spec.probe, undefined)
})

test('Ctrl-C is answered at once; a second one leaves at once', async () => {
  const actions = new ScriptedActions(ended('completed', 0), { after: () => new Promise(() => undefined) })
  const made = memoryContext({ files: { 'roll.yaml': FILE } })
  const { context } = made
  const story = heldStory()
  actions.roll = (_, io) => {
    for (const event of story.events) io.onEvent(event)
    setImmediate(() => {
      assert.equal(context.interrupts.suspendRefused(), 'not suspended: the lease of w-2 needs a heartbeat')
      context.interrupts.press()
      assert.ok(io.interrupt.aborted)
      context.interrupts.press()
    })
    return new Promise(() => undefined)
  }
  const parts = { version: '0', context, commands: [addRollCommand(async () => actions, new Voice(context.err))] }
  assert.equal(await runProgram(parts, ['roll', '-f', 'roll.yaml', '-y']), 130)
  assert.match(
    context.err.text,
    /\n\^C Stopping after the write under way\. Ctrl-C once more leaves at once;\nwhether that write happened, resume will see\.\n$/,
  )
  assert.equal(context.interrupts.suspendRefused(), undefined)
})

test('a node that is kept out is watched until Ctrl-C, which says what a reload would do', async () => {
  const out = standing('w-2', { state: 'out', step: 'proof', text: 'rebooted, cordoned, detached' })
  const made = memoryContext({ files: { 'roll.yaml': FILE } })
  const end: RollEvent = { ...ended('stopped', 1), standings: [out], guarded: ['w-2'] } as RollEvent
  const after = async (io: RollIo): Promise<void> => {
    made.context.interrupts.press()
    assert.ok(io.interrupt.aborted)
  }
  const parts = {
    version: '0',
    context: made.context,
    commands: [addRollCommand(async () => new ScriptedActions(end, { after }), new Voice(made.context.err))],
  }
  assert.equal(await runProgram(parts, ['roll', '-f', 'roll.yaml', '-y']), 1)
  assert.match(made.context.out.text, /until Ctrl-C w-2 is kept out of its balancers/)
  assert.match(
    made.context.err.text,
    /\^C w-2 is no longer watched: from now on a reload of a balancer may send traffic there again\.\n$/,
  )
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
  assert.equal(actions.requests.length, 0)
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
