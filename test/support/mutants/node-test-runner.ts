/**
 * The test runner that Stryker loads into its process: it imports the test files once and calls their tests for each mutant
 * again, with `node:test` replaced by `recorded-tests.ts`. A process for each test file and mutant, as Stryker's own runner
 * for TAP starts it, takes a hundred times as long.
 */
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { InstrumenterContext, StrykerOptions } from '@stryker-mutator/api/core'
import { commonTokens, declareFactoryPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin'
import {
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
} from '@stryker-mutator/api/test-runner'
import fc from 'fast-check'
import { limitProcessor } from '../processor-limit.ts'
import { settledOrIdle } from './idle-watch.ts'
import { ImportGraph } from './import-graph.ts'
import type { RecordedTest } from './recorded-tests.ts'
import { noteTimes, noteUnderWay, readTimes, type TestTimes, wasUnderWay } from './sandbox-notes.ts'

/** The name under which instrumented code finds the active mutant; as in `INSTRUMENTER_CONSTANTS`. */
const instrumented: { __stryker__?: InstrumenterContext } = globalThis as never

const RECORDED = new URL('recorded-tests.ts', import.meta.url).href

const PROPERTY_MS = 500

/** Of processor time: what a test takes beyond it is a loop. */
const LOOP_MS = 8_000

/** For a test that waits while sockets or timers are open: without a mutant, and what it has besides three times that. */
const FIRST_WAIT_MS = 120_000
const WAIT_MS = 5_000

/** On a busy machine a test over sockets fails now and then: without a mutant each is run so often at most. */
const ATTEMPTS = 3

export interface TestsToRun {
  readonly files: readonly string[]
  /**
   * For tests over sockets and in real time, which a busy machine makes fail: then what fails counts where it fails twice,
   * and what fails without a mutant is left out and named in this file. Without it such a failure ends the run.
   */
  readonly leftOutFile?: string
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 500)

class NodeTestRunner implements TestRunner {
  readonly #files: readonly string[]
  readonly #leftOutFile: string | undefined
  readonly #context: InstrumenterContext
  readonly #graph = new ImportGraph()
  #tests: readonly RecordedTest[] | undefined
  /** How long each took without a mutant: the shortest go first, since most mutants are seen by several. */
  #tookMs: TestTimes | undefined
  #stray: unknown
  /** Says that a piece of work begins which may use the processor for some seconds. */
  #begin: () => void = () => undefined
  /** A test is left behind that may go on at any time. */
  #isSpent = false

  constructor({ files, leftOutFile }: TestsToRun) {
    this.#files = files
    this.#leftOutFile = leftOutFile
    instrumented.__stryker__ ??= {}
    this.#context = instrumented.__stryker__
  }

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: false }
  }

  async init(): Promise<void> {
    this.#begin = limitProcessor(LOOP_MS)
    registerHooks({
      resolve: (specifier, context, next) => {
        const { parentURL } = context
        if (specifier === 'node:test' && parentURL !== RECORDED) {
          return { url: RECORDED, format: 'module-typescript', shortCircuit: true }
        }
        const resolved = next(specifier, context)
        if (parentURL !== undefined) this.#graph.add(parentURL, resolved.url)
        return resolved
      },
    })
    // The same cases for every mutant, as many as are tried in this time, and no search for the smallest that fails.
    fc.configureGlobal({ seed: 1, endOnFailure: true, interruptAfterTimeLimit: PROPERTY_MS })
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        this.#stray ??= error
      })
    }
  }

  async dryRun(): Promise<DryRunResult> {
    const tests: TestResult[] = []
    for (const test of await this.#load(this.#files)) tests.push(await this.#runUpTo(ATTEMPTS, test))
    this.#tookMs = new Map(tests.map(({ id, timeSpentMs }) => [id, timeSpentMs]))
    noteTimes(this.#tookMs)
    this.#graph.write()
    const { mutantCoverage } = this.#context
    if (this.#leftOutFile !== undefined) this.#leaveOut(tests, this.#leftOutFile)
    return { status: DryRunStatus.Complete, tests, ...(mutantCoverage === undefined ? {} : { mutantCoverage }) }
  }

  /** Those that fail reach no mutant. */
  #leaveOut(tests: TestResult[], file: string): void {
    const failed = new Set(tests.filter(({ status }) => status === TestStatus.Failed).map(({ id }) => id))
    tests.splice(0, tests.length, ...tests.filter(({ id }) => !failed.has(id)))
    for (const id of failed) delete this.#context.mutantCoverage?.perTest[id]
    writeFileSync(file, [...failed].join('\n'))
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, testFilter, hitLimit } = options
    if (this.#isSpent) throw new Error('A test was left behind: the next mutant is tried in a new process')
    if (this.#tests === undefined && wasUnderWay(activeMutant.id)) {
      return { status: MutantRunStatus.Timeout, reason: 'it ended its process, or that was ended for it' }
    }
    noteUnderWay(activeMutant.id)
    this.#tookMs ??= readTimes()
    // Active while modules are loaded: this one is in what a module does then, and the process is new.
    if (options.mutantActivation === 'static') this.#context.activeMutant = activeMutant.id
    const files = testFilter === undefined ? this.#filesThatLoad(options.sandboxFileName) : this.#files
    const wanted = new Set(testFilter)
    const loaded = await this.#load(files).catch(textOf)
    if (typeof loaded === 'string') {
      return { status: MutantRunStatus.Killed, killedBy: [], failureMessage: loaded, nrOfTests: 0 }
    }
    const tests =
      testFilter === undefined
        ? loaded
        : loaded.filter(({ id }) => wanted.has(id)).toSorted((left, right) => this.#took(left) - this.#took(right))
    this.#context.activeMutant = activeMutant.id
    this.#context.hitCount = 0
    if (hitLimit !== undefined) this.#context.hitLimit = hitLimit
    let nrOfTests = 0
    for (const test of tests) {
      const result = await this.#runUpTo(this.#leftOutFile === undefined ? 1 : 2, test)
      nrOfTests += 1
      const limit = determineHitLimitReached(this.#context.hitCount, hitLimit)
      if (limit !== undefined) return { status: MutantRunStatus.Timeout, reason: limit.reason ?? '' }
      if (result.status === TestStatus.Failed) {
        return { status: MutantRunStatus.Killed, killedBy: [test.id], failureMessage: result.failureMessage, nrOfTests }
      }
    }
    return { status: MutantRunStatus.Survived, nrOfTests }
  }

  #took({ id }: RecordedTest): number {
    return this.#tookMs?.get(id) ?? 0
  }

  /** Those of the same folder first. */
  #filesThatLoad(source: string): readonly string[] {
    const graph = ImportGraph.read()
    const url = pathToFileURL(source).href
    const folder = dirname(relative('src', source))
    return this.#files
      .filter((file) => graph.reached(pathToFileURL(resolve(file)).href).has(url))
      .toSorted((left, right) => Number(right.includes(folder)) - Number(left.includes(folder)))
  }

  async #load(files: readonly string[]): Promise<readonly RecordedTest[]> {
    if (this.#tests !== undefined) return this.#tests
    const { recordTests }: typeof import('./recorded-tests.ts') = await import(RECORDED)
    const tests: RecordedTest[] = []
    for (const file of files) {
      this.#begin()
      tests.push(...(await recordTests(file, pathToFileURL(resolve(file)).href)))
    }
    this.#tests = tests
    return tests
  }

  /** As it ends, where it succeeds or fails so often. */
  async #runUpTo(attempts: number, test: RecordedTest): Promise<TestResult> {
    const result = await this.#run(test)
    return result.status === TestStatus.Failed && attempts > 1 && !this.#isSpent
      ? this.#runUpTo(attempts - 1, test)
      : result
  }

  async #run(test: RecordedTest): Promise<TestResult> {
    const { id, title: name, file: fileName } = test
    this.#stray = undefined
    this.#context.currentTestId = id
    const began = performance.now()
    this.#begin()
    const waitMs = this.#tookMs === undefined ? FIRST_WAIT_MS : WAIT_MS + 3 * this.#took(test)
    const failureMessage = await settledOrIdle(test.run(), waitMs).then((end) => {
      if (end === 'late') this.#isSpent = true
      return end === 'settled' ? undefined : 'The test waits for what never comes'
    }, textOf)
    delete this.#context.currentTestId
    const timeSpentMs = performance.now() - began
    const failure = failureMessage ?? (this.#stray === undefined ? undefined : textOf(this.#stray))
    const ran = { id, name, fileName: resolve(fileName), timeSpentMs }
    return failure === undefined
      ? { ...ran, status: TestStatus.Success }
      : { ...ran, status: TestStatus.Failed, failureMessage: failure }
  }
}

const makeRunner = (options: StrykerOptions): TestRunner =>
  new NodeTestRunner((options as unknown as { nodeTest: TestsToRun }).nodeTest)
makeRunner.inject = tokens(commonTokens.options)

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'node-test', makeRunner)]
