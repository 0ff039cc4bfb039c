import assert from 'node:assert/strict'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { FakeApiServer } from '../ground/kube/fake-api-server.ts'
import { kubeconfigOf } from '../ground/kube/kubeconfig-of.ts'
import { aFolder } from '../ground/kube/opened.ts'
import { rollFile } from '../support/roll-bed/roll-file.ts'
import { assertRefused, begun, type UsageRow, withJson } from '../support/roll-input/input-row.ts'
import { ended, start } from './evenkeel-process.ts'

const COMMAND_LINE: readonly UsageRow[] = [
  {
    title: 'the roll has to be confirmed, and there is no terminal to ask at, and no --yes',
    words: (ground) => ['roll', '-f', ground.file()],
    code: 'usage.nobody-to-ask',
    names: ['the roll has to be confirmed, and there is no terminal to ask at'],
    fix: 'add --yes',
  },
  {
    title: 'nothing that measures',
    words: (ground) => begun(ground.file({ probes: undefined })),
    code: 'usage.no-probe',
    names: ['nothing measures this roll, so nothing would stop it at a failed request'],
    fix: 'write spec.probes in the roll file, or roll without a probe: --no-probe',
  },
  {
    title: 'no nodes and no file',
    words: () => ['roll', '--yes'],
    code: 'usage.nodes',
    names: ['no nodes to roll are given'],
    fix: 'evenkeel roll -f roll.yaml, or name nodes, or -l SELECTOR, or --all',
  },
  {
    title: 'nodes by name and all of them',
    words: (ground) => begun(ground.file(), 'n1', '--all'),
    code: 'usage.nodes',
    names: ['nodes are chosen in more than one way'],
    fix: 'give node names, or -l SELECTOR, or --all',
  },
  {
    title: 'machines that cannot be asked whether they need a reboot',
    words: (ground) => begun(ground.file({ reboot: { command: ['x', '{bootId}'] } }), '--only-if-needed'),
    code: 'usage.need',
    names: ['--only-if-needed looks for a file on the machines, which reboot.command cannot do'],
    fix: 'name condition, kernelVersion, kubeletVersion or osImage under reboot.onlyIfNeeded of the file',
  },
  {
    title: 'what can be no name of a node',
    words: (ground) => begun(ground.file(), 'N_1'),
    code: 'usage.nodes',
    names: ['"N_1" is not a node name'],
    fix: 'name nodes as `kubectl get nodes` prints them',
  },
  {
    title: 'a selector that is none',
    words: (ground) => begun(ground.file(), '-l', 'disk in'),
    code: 'usage.selector',
    names: ['-l "disk in": '],
    fix: '-l node-role.kubernetes.io/worker, -l "zone in (a,b)"',
  },
  {
    title: 'live progress where there is no terminal',
    words: (ground) => begun(ground.file(), '--progress', 'live'),
    code: 'usage.progress',
    names: ['--progress live is not possible: stderr is no terminal'],
    fix: '--progress plain',
  },
  {
    title: 'an address for metrics without a port',
    words: (ground) => begun(ground.file(), '--metrics-address', '0.0.0.0'),
    code: 'usage.metrics',
    names: ['--metrics-address is given without a port'],
    fix: 'add --metrics-port PORT',
  },
  {
    title: 'a file for metrics in a directory that is not there',
    words: (ground) => begun(ground.file(), '--metrics-file', '/nowhere/roll.prom'),
    code: 'file.write',
    names: ['cannot write /nowhere/roll.prom: ENOENT'],
    fix: 'name a file that can be written, in a directory that exists',
  },
  {
    title: 'a roll file that is not there',
    words: () => begun('/nowhere/roll.yaml'),
    code: 'file.read',
    names: ['cannot read /nowhere/roll.yaml: no such file or directory (ENOENT)'],
    fix: 'name a file that can be read',
  },
]

const HELP = '(evenkeel --help lists the commands and options)'
const ROLL_HELP = '(evenkeel roll --help lists commands and options)'
/** What the command line itself refuses, before any command runs. */
const UNREADABLE: readonly UsageRow[] = [
  {
    title: 'an option that there is not',
    words: (ground) => begun(ground.file(), '--forse'),
    names: ["error: unknown option '--forse'"],
    fix: ROLL_HELP,
  },
  {
    title: 'a command that there is not',
    words: () => ['rol', '--yes'],
    names: ["error: unknown command 'rol'", '(Did you mean roll?)'],
    fix: HELP,
  },
  {
    title: 'a form of output that there is not',
    words: (ground) => begun(ground.file(), '-o', 'xml'),
    names: ["option '-o, --output <form>' argument 'xml' is invalid", 'Allowed choices are text, json, jsonl'],
    fix: ROLL_HELP,
  },
  {
    title: 'a file for metrics that node_exporter would not read',
    words: (ground) => begun(ground.file(), '--metrics-file', '/tmp/roll.txt'),
    names: ["option '--metrics-file <file>' argument '/tmp/roll.txt' is invalid. Write a name that ends in .prom"],
    fix: ROLL_HELP,
  },
  {
    title: 'a metrics port that is too high',
    words: () => ['roll', 'resume', '--metrics-port', '70000'],
    names: ["option '--metrics-port <port>' argument '70000' is invalid. Write a port from 1 to 65535."],
    fix: '(evenkeel roll resume --help lists the options)',
  },
  {
    title: 'an address for metrics that is a name',
    words: () => ['roll', 'abort', '--metrics-port', '9153', '--metrics-address', 'localhost'],
    names: ["option '--metrics-address <address>' argument 'localhost' is invalid. Write an IP address"],
    fix: '(evenkeel roll abort --help lists the options)',
  },
  {
    title: 'two roll files, of which one would silently count',
    words: (ground) => begun(ground.file(), '--file', '/nowhere/roll.yaml'),
    names: ['--file is given twice'],
    fix: 'give it once',
  },
  {
    title: 'an option without its value',
    words: () => ['roll', 'resume', '--state-dir'],
    names: ["error: option '--state-dir <dir>' argument missing"],
    fix: '(evenkeel roll resume --help lists the options)',
  },
]

const spec = (title: string, lines: readonly string[], said: Pick<UsageRow, 'names' | 'fix'>): UsageRow => ({
  title,
  words: (ground) => {
    const text = ['apiVersion: evenkeel.dev/v1alpha1', 'kind: Roll', 'metadata: {name: prod}', 'spec:', ...lines, '']
    return begun(ground.write('roll.yaml', text.join('\n')))
  },
  code: 'config.roll-file',
  ...said,
})

const one = (first: string, fix: string): Pick<UsageRow, 'names' | 'fix'> => ({
  names: [`error: ${first}`, '1 error in ', 'Nothing was contacted or changed.'],
  fix,
})

const all = '  nodes: {all: true}'
const FILE: readonly UsageRow[] = [
  spec('a file that is no YAML', [all, '  drain: {grace: 5s'], {
    names: ['error: not valid YAML (config.yaml)', '/roll.yaml:7:1', '1 error in '],
    fix: 'check brackets, quotes and indentation here and in the lines above',
  }),
  spec('a field that there is not', [all, '  drain:', '    blokedLimit: 3min'], {
    names: [
      'error: unknown field "blokedLimit" (config.unknown-field)',
      '/roll.yaml:7:5\n7 |     blokedLimit: 3min\n  |     ^^^^^^^^^^^\n',
    ],
    fix: 'write "blockedLimit"',
  }),
  spec('a time without its unit', [all, '  soak: 30'], one('"30" has no unit (config.duration)', 'soak: 30s')),
  spec(
    'a time beyond its bounds',
    [all, '  slots: {leaseDuration: 1s}'],
    one('"1s" is too short (config.range)', 'leaseDuration: 30s'),
  ),
  spec('a value of another kind', [all, '  drain: []'], one('a list is not a section (config.type)', 'drain: {}')),
  spec(
    'a balancer without a way to it',
    [all, '  balancers: [{name: lb, instances: [{name: a}], backends: [web]}]'],
    one('one of socket, tcp, ssh is missing (config.choice)', 'socket: /run/haproxy/admin.sock'),
  ),
  spec(
    'a field that is missing',
    [all, '  probes: [{name: shop}]'],
    one('missing field "url" (config.missing-field)', 'url: https://app.example.com/'),
  ),
  spec(
    'two ways to reboot',
    [all, '  reboot: {ssh: {}, command: [x, "{bootId}"]}'],
    one('"command" beside "ssh": only one may be written (config.choice)', 'keep one of: ssh, command'),
  ),
  spec(
    'a stop rule for a probe that there is not',
    [all, '  probes: [{name: shop, url: http://a/}]', '  stop: {errorBudget: [{probe: shpo, downtime: 10s}]}'],
    one('there is no probe "shpo" (config.stop)', 'probe: shop'),
  ),
  spec(
    'more failed requests of one node than in all',
    [all, '  probes: [{name: shop, url: http://a/}]', '  stop: {failedRequests: {inAll: 1, perNode: 2}}'],
    one('"perNode" allows 2 and "inAll" only 1 (config.stop)', 'perNode: 1'),
  ),
  spec(
    'a latency limit beyond the time-out of its probe',
    [all, '  probes: [{name: shop, url: http://a/}]', '  stop: {latency: [{slowerThan: 3s, share: 1%}]}'],
    one('a request to shop that takes 3 s has failed already (config.stop)', 'slowerThan: 1000ms'),
  ),
  spec('a file that chooses no nodes', ['  soak: 1s'], {
    ...one(
      'the file chooses no nodes (config.no-nodes)',
      'choose them here, or on the command line: evenkeel roll NODE..., -l SELECTOR or --all',
    ),
  }),
  ...[['maxUnavailable: 2', 'maxUnavailable', 'for several nodes at a time, use `parallel`']].map(
    ([line, field, feature]) =>
      spec(
        `${field}, which there is not yet`,
        [all, `  ${line}`],
        one(`not yet: ${feature} (config.not-yet)`, `remove "${field}"`),
      ),
  ),
  spec('everything wrong at once', [all, '  soak: 30', '  maxUnavailable: 2', '  drian: {}'], {
    names: [
      'error: "30" has no unit (config.duration)',
      'error: not yet: for several nodes at a time, use `parallel` (config.not-yet)',
      'error: unknown field "drian" (config.unknown-field)',
      '3 errors in ',
    ],
    fix: 'write "drain"',
  }),
]

/** The command line and the file: no API server and no balancer is asked for anything. */
const USAGE_ROWS: readonly UsageRow[] = [...COMMAND_LINE, ...UNREADABLE, ...FILE]

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
