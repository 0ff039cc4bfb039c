import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { runProgram } from '../../../../src/cli/program.ts'
import type { BalancerRequest, InitActions } from '../../../../src/explain/cli/init/init-actions.ts'
import { addInitCommand } from '../../../../src/explain/cli/init-command.ts'
import type { InitSnapshot } from '../../../../src/explain/decide/init/init-snapshot.ts'
import type { KuredSettings } from '../../../../src/ground/model/kured-settings.ts'
import { readRollFile } from '../../../../src/roll/file/read-roll-file.ts'
import { CTRL_C, type MemoryFacts, memoryContext } from '../../../cli/memory-context.ts'
import { aPod } from '../../../support/roll-world.ts'
import { backend, FACTS, instance, server } from '../../decide/init/init-world.ts'

interface World {
  readonly facts?: Partial<InitSnapshot>
  readonly there?: readonly string[]
  /** What answers at sockets that are named. */
  readonly named?: InitSnapshot['instances']
  /** Further kureds of the cluster. */
  readonly more?: readonly KuredSettings[]
}

/** `evenkeel init` in a process and a world that are in memory. */
async function init(
  words: readonly string[],
  memory: MemoryFacts = {},
  { facts = {}, there = [], named, more = [] }: World = {},
) {
  const { instances, noBalancer: _, kured, ...cluster } = { ...FACTS, ...facts }
  const files = new Map<string, string>()
  const looked: BalancerRequest[] = []
  const actions: InitActions = {
    readCluster: async () => cluster,
    findKured: async () => (kured === undefined ? [] : [kured, ...more]),
    readBalancers: async (request) => {
      looked.push(request)
      return { instances: request.sockets.length > 0 && named !== undefined ? named : instances }
    },
    whichExist: async (paths) => paths.filter((path) => there.includes(path)),
    place: async (placed) => {
      for (const { path, text } of placed) files.set(path, text)
      return placed.map(({ path }) => ({ path, ...(there.includes(path) ? { kept: `${path}.bak` } : {}) }))
    },
    absolute: (path) => `/here/${path}`,
  }
  const { context, asked } = memoryContext(memory)
  const parts = { version: '0', context, commands: [addInitCommand(async () => actions)] }
  const code = await runProgram(parts, ['init', ...words])
  return { code, out: context.out.text, err: context.err.text, files, asked, looked }
}

const unfolded = (text: string): string => text.replaceAll(/\s+/g, ' ')

test('with --yes the defaults are taken and said, and two files are written', async () => {
  const { code, out, err, files, asked } = await init(['--yes'])
  assert.deepEqual([code, err, asked], [0, '', []])
  assert.deepEqual([...files.keys()], ['roll-rights.yaml', 'roll.yaml'])
  assert.match(out, /^WRITTEN {2}roll\.yaml for context prod /)
  assert.match(unfolded(out), /assumed reboot a node by: ssh URLs to probe: not known/)
  assert.match(out, /\n {2}next +kubectl apply -f roll-rights\.yaml\n +evenkeel roll -f roll\.yaml --dry-run\n$/)
})

test('without a terminal and without --yes it refuses, and looks at nothing', async () => {
  const { code, err, files, looked } = await init([])
  assert.deepEqual([code, files.size, looked], [2, 0, []])
  assert.match(err, /no terminal to ask at \(usage\.nobody-to-ask\)\n {2}= fix: add --yes/)
})

test('on a terminal each question says why, Enter is the default, and a wrong answer is asked again', async () => {
  const lines = ['ssh a b', 'ssh ops', '']
  const { code, err, files, asked } = await init([], { terminal: true, lines })
  assert.equal(code, 0)
  assert.equal(asked.length, 3)
  assert.match(err, /\nThe cluster does not say how its machines are rebooted\.\nanswer "ssh" or "ssh USER"/)
  assert.match(files.get('roll.yaml') ?? '', /\n {6}user: ops\n/)
})

test('an answer leads to the next question', async () => {
  const pods = { is: 'found', value: [aPod('cache', 'n1', { usesEmptyDir: true })] } as const
  const { asked, files } = await init(
    ['--reboot', 'ssh', '--probe', 'http://a/'],
    { terminal: true, lines: ['y'] },
    { facts: { pods } },
  )
  assert.deepEqual(asked, ['May the roll evict these pods? y or n [n] '])
  assert.match(files.get('roll.yaml') ?? '', /\n {4}deleteEmptyDirData: true\n/)
})

test('interrupted in a question it ends with 130, and nothing is written', async () => {
  const { code, files } = await init([], { terminal: true, lines: ['ssh', CTRL_C] })
  assert.deepEqual([code, files.size], [130, 0])
})

test('at the end of the input nothing is written', async () => {
  const { code, err, files } = await init([], { terminal: true, lines: ['ssh'] })
  assert.deepEqual([code, files.size], [2, 0])
  assert.match(err, /\nNothing was written\.\n$/)
})

test('a file that is there is refused before anything is asked, and kept with --overwrite', async () => {
  for (const path of ['roll.yaml', 'roll-rights.yaml']) {
    const { code, err, files, looked } = await init(['--yes'], {}, { there: [path] })
    assert.deepEqual([code, files.size, looked], [2, 0, []])
    assert.ok(err.startsWith(`error: ${path} is there already, and nothing was written (init.exists)\n`), err)
  }
  const { code, out } = await init(['--yes', '--overwrite'], {}, { there: ['roll.yaml'] })
  assert.equal(code, 0)
  assert.match(out, /\n {2}kept +roll\.yaml as it was: roll\.yaml\.bak\n/)
})

test('-o yaml prints both files as one stream, writes none, and says the rest on stderr', async () => {
  const { code, out, err, files } = await init(['--yes', '-o', 'yaml'], {}, { there: ['roll.yaml'] })
  assert.deepEqual([code, files.size], [0, 0])
  const kinds = parseAllDocuments(out).map((document) => document.toJS().kind)
  assert.deepEqual(kinds.slice(0, 4), ['Roll', 'Namespace', 'ServiceAccount', 'ClusterRole'])
  assert.match(err, /^PRINTED {2}roll file and rights for context prod/)
})

test('-o json prints one document', async () => {
  const { out } = await init(['--yes', '-o', 'json', '-f', 'a b.yml'])
  const { file, rights, isComplete, next, answers } = JSON.parse(out)
  assert.deepEqual([file, rights, isComplete], ['a b.yml', 'a b-rights.yaml', true])
  assert.deepEqual(next, ["kubectl apply -f 'a b-rights.yaml'", "evenkeel roll -f 'a b.yml' --dry-run"])
  assert.deepEqual(answers[0], { about: 'reboot a node by', answer: 'ssh', by: 'default' })
})

test('where no HAProxy is found, a person names its sockets, with quotes around spaces', async () => {
  const named = [instance('lb-1', [backend('web', [server(1), server(2), server(3)])])]
  const lines = ["ftp://a '/run/a", "'/run/a b.sock' ops@lb:/run/x.sock ./c.sock", 'ssh', '']
  const { code, err, looked, files } = await init([], { terminal: true, lines }, { facts: { instances: [] }, named })
  assert.equal(code, 0)
  assert.match(err, /\na quote is not closed\n/)
  assert.deepEqual(looked.at(-1)?.sockets, [
    { kind: 'unix', path: '/run/a b.sock' },
    { kind: 'ssh', host: 'ops@lb', path: '/run/x.sock' },
    { kind: 'unix', path: '/here/./c.sock' },
  ])
  assert.match(files.get('roll.yaml') ?? '', /\n +- web\n/)
})

for (const [way, field] of [
  ['health-check', 'healthCheck'],
  ['agent', 'healthEndpoint'],
  ['annotation', 'annotation'],
  ['commands', 'commands'],
] as const) {
  test(`where no HAProxy is found, ${way} writes an example that is a valid balancer once its comment is taken away`, async () => {
    const memory = { terminal: true, lines: [way, 'ssh', 'http://a/'] }
    const { code, out, asked, files } = await init([], memory, { facts: { instances: [] } })
    assert.equal(code, 0)
    assert.match(unfolded(asked[0] ?? ''), /health-check .* agent .* annotation .* commands .* none if there is none/)
    assert.match(unfolded(out), /missing The plan needs nodes and a balancer/)
    const text = files.get('roll.yaml') ?? ''
    assert.doesNotMatch(text, /^ *allowUnbalanced/m)
    const [example = ''] = /^ {2}# balancers:\n(?: {2}# .*\n)+/m.exec(text) ?? []
    const { spec } = readRollFile({
      file: 'roll.yaml',
      text: text.replace(example, example.replaceAll(/^ {2}# /gm, '  ')),
    })
    assert.deepEqual(
      spec.balancers.map(({ name }) => name),
      ['edge'],
    )
    assert.ok(example.includes(`${field}:`), example)
  })
}

test('with no HAProxy it says what is missing, and what to type once there is one', async () => {
  const { code, out } = await init(['--yes', '--probe', "http://a/it's"], {}, { facts: { instances: [] } })
  assert.equal(code, 0)
  assert.match(unfolded(out), /missing The plan needs nodes and a balancer/)
  assert.match(out, /evenkeel init --overwrite -f roll\.yaml --probe 'http:\/\/a\/it'\\''s'\n/)
})

test('wrong options are refused with the form that is right', async () => {
  const wrong: readonly (readonly [string[], RegExp])[] = [
    [
      ['--haproxy-socket', 'admin.sock'],
      /"admin\.sock" is not a socket \(usage\.socket\)\n {2}= fix: write PATH, HOST:PORT or/,
    ],
    [['--reboot', 'ipmi {node}'], /--reboot: a command must get \{bootId\}/],
    [['--probe', 'app.example.com'], /--probe: app\.example\.com is not an http or https URL/],
  ]
  for (const [words, said] of wrong) {
    const { code, err, files } = await init(['--yes', ...words])
    assert.deepEqual([code, files.size], [2, 0])
    assert.match(err, said)
  }
})

const KURED: KuredSettings = {
  namespace: 'ops',
  name: 'kured',
  flags: [
    { name: 'start-time', value: '2:00' },
    { name: 'end-time', value: '4:00' },
    { name: 'period', value: '1h' },
  ],
  mounts: [],
}

test('--from kured takes over the kured of the cluster, and a table says what became of each flag', async () => {
  const { code, out, files } = await init(['--yes', '--from', 'kured'], {}, { facts: { kured: KURED } })
  assert.equal(code, 0)
  assert.match(
    files.get('roll.yaml') ?? '',
    /\n {2}window:\n {4}zone: UTC\n {4}open:\n {6}- cron: 0 2 \* \* \*\n {8}duration: 2h\n/,
  )
  assert.match(files.get('roll.yaml') ?? '', /\n {4}kuredLock:\n {6}namespace: ops\n {6}daemonSet: kured\n/)
  assert.match(files.get('roll-rights.yaml') ?? '', /evenkeel-roll-kured/)
  assert.match(
    unfolded(out),
    /FLAG OF KURED VALUE IN THE ROLL FILE WHY --start-time 2:00 window the same times.* --period 1h - a roll works/,
  )
  const json = await init(['--yes', '--from', 'kured', '-o', 'json'], {}, { facts: { kured: KURED } })
  assert.deepEqual(
    (JSON.parse(json.out) as { kured: { flag: string }[] }).kured.map(({ flag }) => flag),
    ['--start-time', '--end-time', '--period'],
  )
})

const MANIFEST = `kind: ServiceAccount
---
kind: List
items:
  - kind: DaemonSet
    metadata: { name: proxy }
    spec: { template: { spec: { containers: [{ name: proxy, image: proxy }] } } }
  - kind: DaemonSet
    metadata: { name: reboots, namespace: kured }
    spec: { template: { spec: { containers: [{ name: a, image: "ghcr.io/kubereboot/kured:1.20.0", args: [--concurrency=2] }] } } }
---
`

test('--from kured=FILE reads a manifest, and names what is wrong with another file', async () => {
  const read = (text: string) => init(['--yes', '--from', 'kured=kured.yaml'], { files: { 'kured.yaml': text } })
  const { code, files } = await read(MANIFEST)
  assert.equal(code, 0)
  assert.match(files.get('roll.yaml') ?? '', /\n {2}parallel: 2\n/)
  assert.match(files.get('roll.yaml') ?? '', /\n {6}daemonSet: reboots\n/)
  const wrong: readonly (readonly [string, RegExp])[] = [
    ['', /there is no DaemonSet of kured in kured\.yaml \(init\.no-kured\)\n {2}= fix: name a manifest of it/],
    ['configuration: {period: 1h}', /there is no DaemonSet of kured in kured\.yaml/],
    ['a: [', /kured\.yaml is no YAML/],
    ['kind: DaemonSet\nspec: 1', /kured\.yaml is no manifest of kured: kured\.yaml\.spec is not an object/],
  ]
  for (const [text, says] of wrong) {
    const { code: refused, err, files: written } = await read(text)
    assert.deepEqual([refused, written.size], [2, 0], text)
    assert.match(err, says)
  }
})

test('with --schedule a RollSchedule and values of the chart are written too, and the last commands use them', async () => {
  const words = ['--yes', '--from', 'kured', '--schedule', '-f', 'my.yaml', '--context', 'prod']
  const { code, out, files } = await init(words, {}, { facts: { kured: KURED } })
  assert.equal(code, 0)
  assert.deepEqual([...files.keys()], ['my-rights.yaml', 'my-values.yaml', 'my-schedule.yaml', 'my.yaml'])
  assert.match(files.get('my-schedule.yaml') ?? '', /\nkind: RollSchedule\n/)
  assert.match(unfolded(out), /; a RollSchedule: my-schedule\.yaml, with values of the chart: my-values\.yaml/)
  const [install, apply] = out.match(/(helm upgrade|kubectl --context prod apply -f my-schedule).*/g) ?? []
  assert.equal(
    install,
    'helm upgrade --install evenkeel-agent deploy/chart/evenkeel -n evenkeel --create-namespace --kube-context prod -f my-values.yaml',
  )
  assert.match(apply ?? '', /my-schedule\.yaml/)
  const there = await init(words, {}, { facts: { kured: KURED }, there: ['my-values.yaml'] })
  assert.match(there.err, /my-values\.yaml is there already, and nothing was written/)
  const alone = await init(['--yes', '--schedule'])
  assert.deepEqual([alone.code, alone.files.size], [2, 0])
  assert.match(alone.err, /no program says when rolls are to begin \(usage\.schedule\)\n {2}= fix: add --from kured/)
})

test('without a kured, with two of them, or from another program nothing is written', async () => {
  const none = await init(['--yes', '--from', 'kured'])
  assert.match(none.err, /there is no DaemonSet of kured in the cluster/)
  const two = await init(
    ['--yes', '--from', 'kured'],
    {},
    { facts: { kured: KURED }, more: [{ ...KURED, namespace: 'b' }] },
  )
  assert.match(two.err, /there are 2 DaemonSets of kured: ops\/kured, b\/kured/)
  const other = await init(['--yes', '--from', 'fleetlock'])
  assert.match(other.err, /--from: "fleetlock" is not known \(usage\.from\)\n {2}= fix: write --from kured/)
  assert.deepEqual(
    [none, two, other].map(({ code, files }) => [code, files.size]),
    [
      [2, 0],
      [2, 0],
      [2, 0],
    ],
  )
})
