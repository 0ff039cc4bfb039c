import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import type { TestsToRun } from './node-test-runner.ts'

const here = (name: string): string => new URL(name, import.meta.url).pathname

/** Those that run in one process and start nothing, and so are over in milliseconds. */
const TESTS: readonly string[] = [
  'test/*/{decide,actuators}/**/*.test.ts',
  'test/ground/loop/**/*.test.ts',
  'test/ground/model/duration.test.ts',
  'test/roll/{run,probe}/*.test.ts',
  'test/agent/run/brake/*.test.ts',
  'test/agent/run/{agent-beside,connection-count,take-over}.test.ts',
]

/** A mutant that survives is tried with every test that reaches it, so that one slow test makes a day of an hour. */
const SLOW: readonly string[] = [
  'probe/control-outage',
  'run/blocked-limit',
  'run/gone-nodes',
  'run/inspect-hosts',
  'run/put-back',
  'run/reload-watch',
  'run/restoring-run',
]

/** The sample is of code that speaks to the world: what it is tried with may take seconds, and use loopback. */
const TESTS_OF_SAMPLE: readonly string[] = [
  ...TESTS,
  'test/ground/{kube,net,machine}/**/*.test.ts',
  'test/*/{run,io}/**/*.test.ts',
]

/** They take many seconds, most of them for processes that they start, in which no mutant is. */
const SLOW_IN_SAMPLE: readonly string[] = [
  'agent-hostile',
  'agent-process',
  'agent-upgrade',
  'controller-process',
  'io/real-coredns',
  'io/real-counters',
  'run/dialects',
  'probe/control-outage',
]

const testsFor = (sample: Sample | undefined): readonly string[] => {
  const slow = sample === undefined ? SLOW : SLOW_IN_SAMPLE
  return globSync([...(sample === undefined ? TESTS : TESTS_OF_SAMPLE)])
    .filter((file) => !slow.some((name) => file.includes(name)))
    .toSorted()
}

/** Names the tests of the sample that failed without a mutant. */
export const LEFT_OUT_FILE = '.cache/mutants/left-out'

interface WhatToTry {
  readonly sources: readonly string[]
  /** What was found so far, and where what is found now is written: JSON of Stryker. */
  readonly resultsFile: string
  readonly sample?: Sample
}

/** About one mutant in `oneIn`, drawn by `seed`. */
export interface Sample {
  readonly seed: number
  readonly oneIn: number
}

/** A limit by the clock would count patience on a busy machine: loops are ended by `processor-limit.ts`, far sooner. */
const LONGEST_MS = 10 * 60_000

/** A file of options as `stryker run` reads it. */
export const strykerOptions = ({ sources, resultsFile, sample }: WhatToTry): object => ({
  mutate: sources,
  testRunner: 'node-test',
  nodeTest: {
    files: testsFor(sample),
    ...(sample === undefined ? {} : { leftOutFile: resolve(LEFT_OUT_FILE) }),
  } satisfies TestsToRun,
  plugins: [here('node-test-runner.ts'), here('drawn-mutants.ts')],
  testRunnerNodeArgs: ['--disable-warning=ExperimentalWarning'],
  ...(sample === undefined
    ? {}
    : { checkers: ['drawn'], checkerNodeArgs: ['--disable-warning=ExperimentalWarning'], sample }),
  coverageAnalysis: 'perTest',
  incremental: true,
  incrementalFile: resultsFile,
  concurrency: 1,
  ignorePatterns: [
    '**',
    ...['src', 'test', 'bin', 'bench', 'deploy', 'testbed'].map((folder) => `!${folder}/**`),
    '!*.json',
  ],
  tempDirName: '.cache/mutants/sandbox',
  disableTypeChecks: false,
  timeoutMS: LONGEST_MS,
  dryRunTimeoutMinutes: 20,
  reporters: ['progress-append-only'],
  allowConsoleColors: false,
  allowEmpty: true,
  warnings: false,
})
