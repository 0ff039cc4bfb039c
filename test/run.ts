/**
 * Runs the tests in the order of their cost: what needs no cluster, then what brings clusters up.
 * `node test/run.ts fast` brings none up; any other word selects the files whose path contains it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const root = new URL('..', import.meta.url).pathname

// Each file is a process, and most of them load the same modules: their types are stripped once, and not for each.
process.env.NODE_COMPILE_CACHE ??= `${root}node_modules/.cache/evenkeel-tests`
const wanted = process.argv.slice(2)

const CLUSTER = ['test/cluster/', 'test/testbed/']

/** The longest first, so that no lane is left with it at the end. Whatever is not named comes after these. */
const LONGEST = [
  'virtual/swarm',
  'contract/real-haproxy',
  'contract/embedded-kubectl',
  'report/page',
  'roll-api-restarts',
  'roll-luck',
  'roll-trouble',
  'roll-with-database',
  'roll-without-database',
  'roll-input',
  'kube-adapter',
  'cluster-contract',
  'agent-install',
]

/**
 * Each has the machine to itself: figures of the first are those of the README, and checks that may take a second are
 * answered too late beside another cluster under as much traffic.
 */
const ALONE = [
  'test/cluster/roll-clean.test.ts',
  'test/cluster/agent-roll.test.ts',
  'test/cluster/agent-outage.test.ts',
]

/** Control planes without nodes, which wait for most of their time; then beds that carry no traffic. */
const LIGHT = ['test/cluster/kube-', 'test/testbed/']

/** They take their time from a clock of their own, so that they may wait for a processor as long as they like. */
const VIRTUAL = 'test/virtual/'

/** They start nothing and share nothing, so that one process does for all of them. */
const PURE = [
  'test/bench/',
  'test/config/',
  'test/controllers/',
  'test/core/',
  'test/model/',
  'test/runtime/',
  'test/sim/actors/',
  'test/sim/balancer/',
  'test/sim/machines/',
  'test/sim/network/',
  'test/sim/plane/',
  'test/sim/traffic/',
  'test/sim/world/',
]

interface Lane {
  readonly files: readonly string[]
  /** Files at a time, each in a process of its own; `oneProcess`: one after the other in the same. */
  readonly concurrency: number | 'oneProcess'
  /** Takes what processor time the others leave. */
  readonly polite?: boolean
}

const place = (file: string): number => {
  const at = LONGEST.findIndex((name) => file.includes(name))
  return at === -1 ? LONGEST.length : at
}

const all = globSync('test/**/*.test.ts', { cwd: root }).toSorted()
const clusters = all.filter((file) => CLUSTER.some((folder) => file.startsWith(folder)))
const virtual = all.filter((file) => file.startsWith(VIRTUAL))
const light = clusters.filter((file) => LIGHT.some((start) => file.startsWith(start)))
const withNodes = clusters.filter((file) => !ALONE.includes(file) && !light.includes(file))
const pure = all.filter((file) => PURE.some((folder) => file.startsWith(folder)))
const others = all.filter((file) => ![...clusters, ...virtual, ...pure].includes(file))

const fast = wanted[0] === 'fast'
const words = fast ? [] : wanted
const chosen = (files: readonly string[]): readonly string[] =>
  files
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .toSorted((left, right) => place(left) - place(right))

/**
 * One after the other; the lanes of each side by side. Half of the time a file waits for something, so that there is room
 * for one more than there are processors. Of clusters under traffic there is none: three of them starve two processors.
 */
const stages: readonly (readonly Lane[])[] = [
  [
    { files: others, concurrency: 3 },
    { files: pure, concurrency: 'oneProcess' },
  ],
  ...(fast
    ? [[{ files: virtual, concurrency: 2 }]]
    : [
        [
          { files: withNodes, concurrency: 2 },
          { files: light, concurrency: 1 },
          { files: virtual, concurrency: 1, polite: true },
        ],
        [{ files: ALONE, concurrency: 1 }],
      ]),
]

/** As `passes`. A process of its own: within this one they would be tests of it. */
async function passTogether(files: readonly string[], hasScreen: boolean): Promise<boolean> {
  const words = ['--disable-warning=ExperimentalWarning', '--test', '--test-isolation=none', '--test-reporter=spec']
  const child = spawn(process.execPath, [...words, ...files], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  let told = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (hasScreen) process.stdout.write(text)
    else told += text
  })
  const [code] = await once(child, 'close')
  process.stdout.write(told)
  return code === 0
}

/** Whether all of them passed; tells of each as it ends, or of all at the end where another lane has the screen. */
async function passes({ files, concurrency, polite }: Lane, hasScreen: boolean): Promise<boolean> {
  if (concurrency === 'oneProcess') return passTogether(files, hasScreen)
  let failed = 0
  const manners = polite === true ? ['--import', `${root}test/support/polite.ts`] : []
  const execArgv = ['--disable-warning=ExperimentalWarning', ...manners]
  const tests = run({ files: [...files], cwd: root, concurrency, execArgv })
  tests.on('test:fail', ({ todo }) => {
    failed += todo === undefined ? 1 : 0
  })
  let told = ''
  for await (const text of tests.compose(spec)) {
    if (hasScreen) process.stdout.write(text)
    else told += text
  }
  process.stdout.write(told)
  return failed === 0
}

for (const stage of stages) {
  const lanes = stage.map((lane) => ({ ...lane, files: chosen(lane.files) })).filter(({ files }) => files.length > 0)
  const passed = await Promise.all(lanes.map((lane, i) => passes(lane, i === 0)))
  if (passed.includes(false)) {
    process.exitCode = 1
    break
  }
}
