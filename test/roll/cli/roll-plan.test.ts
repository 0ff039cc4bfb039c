import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ended, evenkeel, FILE, PLAN, ScriptedActions } from './scripted-roll.ts'

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

test('a plan with a block ends with exit 3 before the question, unless it is to be rolled all the same', async () => {
  const findings = [
    { severity: 'block', code: 'NoRoom', text: 'no other node takes shop/cart-0', fix: 'add a node' },
  ] as const
  const actions = new ScriptedActions(ended('completed', 0), { plan: { ...PLAN, findings } })
  const terminal = { terminal: true, answer: true }
  const { code, err, asked } = await evenkeel('roll -f roll.yaml', actions, terminal)
  assert.deepEqual([code, asked], [3, []])
  assert.match(
    err,
    /blocked: no other node takes shop\/cart-0 \(NoRoom\)\n {2}= fix: add a node\n1 finding blocks the roll of prod-eu1\. Nothing was changed\. To roll all the same: --even-if-blocked\n$/,
  )
  const json = await evenkeel('roll -f roll.yaml --yes -o json', actions)
  assert.equal(json.code, 3)
  assert.equal(JSON.parse(json.out).error.code, 'plan.blocked')
  const dry = await evenkeel('roll -f roll.yaml --dry-run', actions)
  assert.equal(dry.code, 3)
  assert.match(dry.out, / {2}1 block to clear first\.\n$/)
  const begun = actions.requests.length
  assert.equal((await evenkeel('roll -f roll.yaml --even-if-blocked', actions, terminal)).code, 0)
  assert.equal(actions.requests.length, begun + 2)
})

test('an error goes before a block, and has its exit code', async () => {
  const findings = [
    { severity: 'block', code: 'NoRoom', text: 'no room' },
    { severity: 'error', code: 'NoNodes', text: 'no node is selected' },
  ] as const
  const actions = new ScriptedActions(ended('completed', 0), { plan: { ...PLAN, findings } })
  const { code, err } = await evenkeel('roll -f roll.yaml --even-if-blocked', actions, { terminal: true, answer: true })
  assert.equal(code, 2)
  assert.match(err, /1 error in the plan for prod-eu1/)
})

test('a roll asks on a terminal, and no means nothing was changed', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  const { code, err, asked } = await evenkeel('roll -f roll.yaml --progress plain', actions, { terminal: true })
  assert.deepEqual(asked, ['Roll 1 node of prod-eu1? [y/N] '])
  assert.equal(code, 2)
  assert.match(err, /Nothing was changed\.\n$/)
  assert.equal(actions.requests.length, 1)
})

test('off a terminal there is the roll has to be confirmed, and there is no terminal to ask at', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  const { code, err } = await evenkeel('roll -f roll.yaml', actions)
  assert.equal(code, 2)
  assert.equal(
    err,
    'error: the roll has to be confirmed, and there is no terminal to ask at (usage.nobody-to-ask)\n  = fix: add --yes\n',
  )
  assert.equal(actions.requests.length, 0)
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

test('where no node needs a reboot the roll is done at once: exit 0, nothing asked, nothing begun', async () => {
  const why = 'needs no reboot: no /var/run/reboot-required'
  const plan = { ...PLAN, nodes: [], skipped: [{ node: 'w-1', why }] }
  const actions = new ScriptedActions(ended('completed', 0), { plan })
  const { code, out, err, asked } = await evenkeel('roll -f roll.yaml --only-if-needed', actions, { terminal: true })
  assert.deepEqual([code, asked, actions.requests.length], [0, [], 1])
  assert.equal(out, 'DONE  no node needs a reboot; 1 skipped, nothing was changed\n')
  assert.match(
    err,
    /No node of prod-eu1 needs a reboot: 1 to skip\. [^:]*\nSkips {2}w-1: needs no reboot: no \/var\/run\//,
  )
  const [request] = actions.requests
  assert.ok(request !== undefined && 'spec' in request)
  assert.deepEqual(request.spec.reboot.onlyIfNeeded, { sentinel: '/var/run/reboot-required', versions: {} })
  const json = await evenkeel('roll -f roll.yaml --yes -o json', actions)
  const { outcome, skipped, needed, nodes } = JSON.parse(json.out)
  assert.deepEqual([json.code, outcome, skipped, needed, nodes], [0, 'completed', plan.skipped, [], []])
  const lines = (await evenkeel('roll -f roll.yaml --yes -o jsonl', actions)).out.trim().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ type, seq }) => `${seq} ${type}`),
    ['0 nodes.chosen', '1 roll.ended'],
  )
  const dry = await evenkeel('roll -f roll.yaml --dry-run', actions)
  assert.deepEqual([dry.code, dry.err], [0, ''])
  assert.equal(actions.requests.length, 4)
})

test('an error that many nodes share is said once, with their names', async () => {
  const nodes = Array.from({ length: 40 }, (_, at) => `w-${at + 1}`)
  const findings = nodes.map((node, at) => ({
    severity: 'error' as const,
    code: 'HOST_UNREACHABLE',
    node,
    text: `ssh ${node}: ssh: connect to host 10.0.0.${at + 1} port 22: Connection refused`,
    fix: `make "ssh -o BatchMode=yes ${node} true" succeed`,
  }))
  const other = {
    severity: 'error',
    code: 'HostMayNotReboot',
    node: 'w-1',
    text: 'w-1 cannot be rebooted this way',
    fix: 'allow it in sudoers',
  } as const
  const actions = new ScriptedActions(ended('completed', 0), { plan: { ...PLAN, findings: [...findings, other] } })
  const { code, err } = await evenkeel('roll -f roll.yaml --dry-run', actions)
  assert.equal(code, 2)
  assert.equal(
    err,
    `error: ssh w-1: ssh: connect to host 10.0.0.1 port 22: Connection refused (HOST_UNREACHABLE)
  = fix: make "ssh -o BatchMode=yes w-1 true" succeed
  = note: the same for w-2, w-3, w-4, w-5, w-6 and 34 more
error: w-1 cannot be rebooted this way (HostMayNotReboot)
  = fix: allow it in sudoers
41 errors in the plan for prod-eu1. Nothing was changed.
`,
  )
})

test('a roll that begins at once does not say how to begin it', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  const { err } = await evenkeel('roll -f roll.yaml --yes', actions)
  assert.match(err, /1 to roll, 0 to skip, 0 expected to hold\.\n/)
  assert.ok(!err.includes('Run it:'), err)
})

test('a roll that nothing measures: the plan is shown and refused as the roll is, unless that was asked for', async () => {
  const files = { 'roll.yaml': FILE.replace(/ {2}probes.*\n/, '') }
  const actions = new ScriptedActions(ended('completed', 0))
  const text = 'nothing measures this roll, so nothing would stop it at a failed request'
  const dry = await evenkeel('roll -f roll.yaml --dry-run', actions, { files })
  assert.equal(dry.code, 2)
  assert.ok(!dry.out.includes('Run it:'), dry.out)
  assert.match(dry.err, new RegExp(`error: ${text} \\(NoProbe\\)\n {2}= fix: [^]*--no-probe\n1 error in the plan`))
  const json = await evenkeel('roll -f roll.yaml --dry-run -o json', actions, { files })
  assert.deepEqual([json.code, JSON.parse(json.out).findings[0].code], [2, 'NoProbe'])
  const rolled = await evenkeel('roll -f roll.yaml --yes', actions, { files })
  assert.equal(rolled.code, 2)
  assert.ok(rolled.err.includes(text), rolled.err)
  const meant = await evenkeel('roll -f roll.yaml --dry-run --no-probe', actions, { files })
  assert.deepEqual([meant.code, meant.err], [0, ''])
  assert.match(meant.out, /Run it: evenkeel roll -f roll\.yaml --no-probe\n$/)
})

test('flags say whether machines are asked, whatever the file says', async () => {
  const needed = FILE.replace('spec:\n', 'spec:\n  reboot: {onlyIfNeeded: {osImage: A}}\n')
  const files = { 'roll.yaml': FILE, 'needed.yaml': needed }
  const asked = async (words: string) => {
    const actions = new ScriptedActions(ended('completed', 0))
    assert.equal((await evenkeel(`roll ${words} --dry-run`, actions, { files })).code, 0)
    const [request] = actions.requests
    assert.ok(request !== undefined && 'spec' in request)
    return request.spec.reboot.onlyIfNeeded
  }
  const bySentinel = { sentinel: '/var/run/reboot-required', versions: {} }
  assert.equal(await asked('-f roll.yaml'), undefined)
  assert.deepEqual(await asked('-f roll.yaml --only-if-needed'), bySentinel)
  assert.deepEqual(await asked('w-1 --only-if-needed --no-probe'), bySentinel)
  assert.deepEqual(await asked('-f needed.yaml'), { versions: { osImage: 'A' } })
  assert.deepEqual(await asked('-f needed.yaml --only-if-needed'), { versions: { osImage: 'A' } })
  assert.equal(await asked('-f needed.yaml --no-only-if-needed'), undefined)
})
