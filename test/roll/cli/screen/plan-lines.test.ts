import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainLine } from '../../../../src/ground/text/terminal/style.ts'
import { planLines, toRollText } from '../../../../src/roll/cli/screen/plan-lines.ts'
import { planRefusal } from '../../../../src/roll/cli/screen/plan-refusal.ts'
import type { PlannedNode, RollPlan } from '../../../../src/roll/model/roll-plan.ts'

const node = (name: string, stages: readonly number[], facts: Partial<PlannedNode> = {}): PlannedNode => ({
  node: name,
  role: 'worker',
  address: '10.0.0.11',
  bootId: '6f1c2a40-0000-4000-8000-000000000001',
  detachFrom: [],
  podsToMove: Array.from({ length: stages.reduce((sum, count) => sum + count, 0) }, (_, index) => `shop/pod-${index}`),
  stages,
  ...facts,
})

const PLAN: RollPlan = {
  cluster: 'prod-eu1',
  nodes: [
    node('w-1', [2, 12, 0]),
    node('w-2', [0, 11, 0]),
    node('cp-1', [0, 5, 0], {
      role: 'control plane',
      detachFrom: ['web/cp-1 on lb-1', 'web/cp-1 on lb-2', 'api/cp-1 on lb-1'],
    }),
  ],
  skipped: [],
  unmatchedServers: ['web/old-7 on lb-1'],
  findings: [
    {
      severity: 'hold',
      code: 'BudgetExhausted',
      node: 'w-2',
      text: 'shop/cart-0 cannot be evicted now: budget shop/cart needs 2 healthy pods and has 2 of 3',
    },
    { severity: 'warning', code: 'SingleReplica', text: 'shop/report has 1 replica, which is away while it moves' },
  ],
  load: [
    { name: 'shop', url: 'https://app.example.com/', ratePerSecond: 100, control: false },
    { name: 'control', url: 'http://10.0.0.20/', ratePerSecond: 10, control: true },
  ],
  checksPassed: 42,
}

const shown = (plan: RollPlan, columns = 80, level: 1 | 2 = 1): string =>
  planLines(plan, { level, columns, command: 'evenkeel roll -f roll.yaml' }).map(plainLine).join('\n')

test('the plan names each node, what it has to move, what may hold it and what stops the roll', () => {
  assert.equal(
    shown(PLAN),
    `Plan for prod-eu1: 3 nodes, 1 at a time. Nothing was changed.
  #  node  role           detach from                     move  stages  note
  1  w-1   worker         -                                 14  2 + 12
  2  w-2   worker         -                                 11  0 + 11  may hold [1]
  3  cp-1  control plane  web on lb-1, lb-2; api on lb-1     5  0 + 5
  [1] shop/cart-0 cannot be evicted now: budget shop/cart needs 2 healthy pods
      and has 2 of 3
Steps  slot record cordon detach drain reboot proof uncordon settle attach soak
Load   https://app.example.com/ 100/s; 1 control target
Stops  at the first failed request after the baseline that a control does not
       excuse
Checks 42 passed, 1 warning: shop/report has 1 replica, which is away while it
       moves
Others servers that match no node and are not touched: web/old-7 on lb-1
3 to roll, 0 to skip, 1 expected to hold.  Run it: evenkeel roll -f roll.yaml`,
  )
})

test('without a control any failed request after the baseline stops the roll', () => {
  const load = PLAN.load.filter(({ control }) => !control)
  assert.match(shown({ ...PLAN, load }), /\nStops {2}at the first failed request after the baseline\n/)
})

test('a warning is shown with what to do about it', () => {
  const findings = [{ severity: 'warning', code: 'A', text: 'it is so', fix: 'change it' }] as const
  assert.match(shown({ ...PLAN, findings }), /\nChecks 42 passed, 1 warning: it is so \(change it\)\n/)
})

test('the lock of kured that the roll takes is named', () => {
  const line = 'Kured  the roll takes its lock (DaemonSet kube-system/kured)'
  assert.ok(shown({ ...PLAN, kuredLock: 'kube-system/kured' }).includes(`\n${line}\n`))
})

test('a wide terminal also shows address and boot id; verbose lists the pods', () => {
  assert.equal(
    shown(PLAN, 120).split('\n')[2],
    '  1  w-1   worker         10.0.0.11  6f1c2a40  -                                 14  2 + 12',
  )
  assert.match(shown(PLAN, 80, 2), /\nPods {3}cp-1: shop\/pod-0, shop\/pod-1, shop\/pod-2, shop\/pod-3, shop\/pod-4\n/)
})

test('a large plan shows the first nodes, the last nodes and each node that has a note', () => {
  const names = Array.from({ length: 40 }, (_, index) => `w-${index + 1}`)
  const text = shown({
    ...PLAN,
    nodes: names.map((name) => node(name, [0, 9, 0])),
    findings: [{ severity: 'hold', code: 'B', node: 'w-20', text: 'x' }],
  })
  assert.deepEqual(
    text
      .split('\n')
      .slice(2, 12)
      .map((line) => line.trim().split(/ {2,}/).slice(0, 2).join(' ')),
    [
      '1 w-1',
      '2 w-2',
      '3 w-3',
      '4 w-4',
      '5 w-5',
      '20 w-20',
      '32 more, 9 to 9 pods each, no note; -v lists them',
      '39 w-39',
      '40 w-40',
      '[1] x',
    ],
  )
  assert.equal(
    planLines({ ...PLAN, nodes: names.map((name) => node(name, [9])) }, { level: 2, columns: 80, command: '' }).filter(
      (line) => plainLine(line).includes('worker'),
    ).length,
    40,
  )
})

const MACHINE = { host: 'lb-1', pair: 'edge', instances: ['lb-1'], bootId: 'b', addresses: ['10.0.0.100'] }

test('a plan shows which machines of load balancers are rolled and which are skipped, and why', () => {
  const hosts = [{ ...MACHINE, needs: '/f is there' }]
  const skipped = [
    { node: 'w-9', why: 'needs no reboot: no /f' },
    { node: 'lb-2', why: 'needs no reboot: no /f' },
  ]
  const text = shown({ ...PLAN, hosts, skipped })
  assert.match(text, /^Plan for prod-eu1: 3 nodes, 1 at a time\./)
  assert.match(text, /\nHosts {2}after the nodes, one at a time: lb-1 of edge, which has 10\.0\.0\.100\n/)
  assert.match(text, /\nNeeded lb-1: \/f is there\nSkips {2}w-9, lb-2: needs no reboot: no \/f\n/)
  assert.match(text, /\n4 to roll, 2 to skip, 1 expected to hold\./)
  assert.equal(toRollText({ ...PLAN, hosts }), '3 nodes and 1 machine')
})

test('a plan whose nodes need no reboot has the machine that needs one, and none at all says so', () => {
  const plan = { ...PLAN, nodes: [], findings: [], skipped: [{ node: 'w-9', why: 'no /f' }] }
  const text = shown({ ...plan, hosts: [{ ...MACHINE, needs: '/f is there' }] })
  assert.match(text, /^Plan for prod-eu1: 1 machine, 1 at a time\. Nothing was changed\.\nHosts /)
  assert.match(text, /\n1 to roll, 1 to skip, 0 expected to hold\./)
  assert.match(
    shown({ ...plan, hosts: [] }),
    /^No node and no load balancer machine of prod-eu1 needs a reboot: 1 to skip\.\nNothing is to be rolled\./,
  )
})

test('a third stage is shown where a node has one, and an unmeasured roll says so', () => {
  const text = shown({
    ...PLAN,
    nodes: [node('w-1', [0, 3, 2])],
    load: [],
    findings: [],
    unmatchedServers: [],
    skipped: [{ node: 'w-9', why: 'out by another run' }],
  })
  assert.match(text, / 0 \+ 3 \+ 2\n/)
  assert.match(text, /\nLoad {3}none: nothing measures this roll, and a failed request does not stop it\n/)
  assert.match(text, /\nSkips {2}w-9: out by another run\n1 to roll, 1 to skip, 0 expected to hold\. /)
  assert.doesNotMatch(text, /Stops/)
})

test('a plan with errors is refused with each of them and its fix', () => {
  const broken: RollPlan = {
    ...PLAN,
    findings: [
      {
        severity: 'error',
        code: 'NodeUnknown',
        node: 'w-7',
        text: 'there is no node w-7',
        fix: 'the cluster has: w-1, w-2',
      },
      {
        severity: 'error',
        code: 'PodUnmanaged',
        node: 'w-1',
        text: 'shop/debug has no controller',
        fix: 'set drain.deleteUnmanaged',
      },
    ],
  }
  const refusal = planRefusal(broken)
  assert.equal(
    [...(refusal?.details ?? []), refusal?.message].join('\n'),
    `error: there is no node w-7 (NodeUnknown)
  = fix: the cluster has: w-1, w-2
error: w-1: shop/debug has no controller (PodUnmanaged)
  = fix: set drain.deleteUnmanaged
2 errors in the plan for prod-eu1. Nothing was changed.`,
  )
  assert.match(shown(broken), /0 expected to hold\. {2}2 errors to repair first\.$/)
  assert.equal(planRefusal(PLAN), undefined)
})

test('a block is marked at each of its nodes, with what to do, and counted at the end', () => {
  const text = shown({
    ...PLAN,
    findings: [
      { severity: 'block', code: 'NoRoom', nodes: ['w-1', 'w-2'], text: 'no room for 9 pods', fix: 'add a node' },
      { severity: 'hold', code: 'X', node: 'w-2', text: 'it waits' },
    ],
  })
  assert.match(text, / {2}1 {2}w-1 .* blocks \[1\]\n {2}2 {2}w-2 .* blocks \[1, 2\]\n/)
  assert.match(text, /\n {2}\[1\] no room for 9 pods \(add a node\)\n {2}\[2\] it waits\n/)
  assert.match(text, /2 expected to hold\. {2}1 block to clear first\.$/)
})

test('people are shown twelve notes and twelve warnings, each on a line, and all of them at -v', () => {
  const of = (severity: 'hold' | 'warning') =>
    Array.from({ length: 15 }, (_, i) => ({
      severity,
      code: 'X',
      text: `${severity} ${i + 1} of ${i + 2}`,
      fix: 'do it',
    }))
  const plan = { ...PLAN, findings: [...of('hold'), ...of('warning')] }
  const lines = shown(plan).split('\n')
  assert.equal(lines.filter((line) => /^ {2}\[\d+\] hold \d+ of \d+ \(do it\)$/.test(line)).length, 12)
  assert.equal(lines.filter((line) => /^ {5}- warning \d+ of \d+ \(do it\)$/.test(line)).length, 12)
  assert.equal(lines.filter((line) => line === '  3 more; -v or -o json lists them').length, 2)
  const all = shown(plan, 80, 2).split('\n')
  assert.equal(all.filter((line) => /^ {5}- warning \d+ of \d+ \(do it\)$/.test(line)).length, 15)
})

test('warnings that say the same of several nodes are one line with their names, and no word is cut', () => {
  const of = (name: string) => ({
    severity: 'warning' as const,
    code: 'BalancerNoCheck',
    text: `web/${name} on lb-1 has no check`,
    fix: 'add "check" to its line',
  })
  const long = { severity: 'warning', code: 'DaemonSetBehindService', text: `${'word '.repeat(120)}DaemonSet` } as const
  const findings = ['w-1', 'w-2', 'w-3'].map(of)
  const text = shown({ ...PLAN, findings: [...findings, long] })
  assert.match(
    text,
    /- web\/w-1 on lb-1 has no check \(add "check" to its line\); the same for\n {7}web\/w-2, web\/w-3\n/,
  )
  assert.match(text, /4 warnings:\n/)
  assert.match(text, /word DaemonSet\n/)
  assert.doesNotMatch(text, /\.\.\./)
})

test('a plan names context, API server, user and reason', () => {
  const origin = { context: 'admin@eu1', server: 'https://10.0.0.5:6443', user: 'admin\x1b[2J', reason: 'CVE-2026-1' }
  const text = shown({ ...PLAN, ...origin }, 120)
  assert.match(
    text,
    /^Plan for prod-eu1 on context admin@eu1 \(https:\/\/10\.0\.0\.5:6443\), as user admin\\x1b\[2J: 3 nodes, 1 at a/,
  )
  assert.match(text, /\nReason CVE-2026-1\n/)
})

test('a time is shown as an estimate, with what it goes by', () => {
  const estimate = { ms: 190_000, basis: '1 min for each reboot, by rule' }
  assert.match(
    shown({ ...PLAN, estimate }),
    /\nTime {3}about 3 min 10 s, by estimate: 1 min for each reboot, by rule\n/,
  )
})

test('nodes that need a reboot and nodes that are skipped are named with the reason that they share', () => {
  const nodes = PLAN.nodes.map((node, i) => ({ ...node, needs: i === 1 ? 'osImage is A, and B is wanted' : 'a file' }))
  const why = 'needs no reboot: no \x1b[2J'
  const skipped = Array.from({ length: 30 }, (_, i) => ({ node: `s-${i + 1}`, why }))
  const lines = shown({ ...PLAN, nodes, skipped }, 100).split('\n')
  assert.deepEqual(
    lines.filter((line) => /^(Needed|Skips| {7}w-2)/.test(line)),
    [
      'Needed w-1, cp-1: a file',
      'Needed w-2: osImage is A, and B is wanted',
      'Skips  s-1, s-2, s-3, s-4, s-5, s-6, s-7, s-8 and 22 more: needs no reboot: no \\x1b[2J',
    ],
  )
  assert.match(lines.at(-1) ?? '', /^3 to roll, 30 to skip, 1 expected to hold\./)
  const different = skipped.map(({ node }) => ({ node, why: `kernelVersion is ${node}` }))
  const many = shown({ ...PLAN, skipped: different }, 100).split('\n')
  assert.equal(many.filter((line) => line.startsWith('Skips')).length, 13)
  assert.ok(many.includes('Skips  18 more; -v or -o json lists them'))
  assert.equal(shown({ ...PLAN, skipped: different }, 100, 2).match(/^Skips/gm)?.length, 30)
})

test('a plan without a node to roll says so, and what stands against the answer', () => {
  const none = { ...PLAN, nodes: [], findings: [], skipped: [{ node: 'w-1', why: 'needs no reboot: no file' }] }
  const skips = 'Skips  w-1: needs no reboot: no file'
  assert.equal(
    shown(none),
    `No node of prod-eu1 needs a reboot: 1 to skip. Nothing is to be rolled. Nothing
was changed.\n${skips}`,
  )
  const asUser = { ...none, context: 'eu1', server: 'https://10.0.0.5:6443', user: 'me' }
  assert.match(
    shown(asUser).replaceAll('\n', ' '),
    /^No node of prod-eu1 on context eu1 \(https:\/\/10\.0\.0\.5:6443\) needs a reboot, read as user me: 1 to skip\./,
  )
  const findings = [{ severity: 'error', code: 'Forbidden', text: 'no' }] as const
  assert.match(shown({ ...none, findings }), /: 1 to skip\. 1 error to repair first\. Nothing\nwas changed\.\n/)
})

test('a plan takes fewer nodes at a time where the node budget allows fewer', () => {
  const finding = { severity: 'warning', code: 'ParallelAboveBudget', text: 'the roll takes 1 at a time' } as const
  const head = (findings: RollPlan['findings']): string | undefined =>
    shown({ ...PLAN, parallel: 2, findings }).split('\n')[0]
  assert.match(head([]) ?? '', /up to 2 at a time/)
  assert.match(head([finding]) ?? '', /fewer than 2 at a time/)
})
