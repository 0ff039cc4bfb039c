/**
 * The test runner that Stryker loads into its process: it imports the test files once and calls their tests for each mutant
 * again, with `node:test` replaced by `recorded-tests.ts`. A process for each test file and mutant, as Stryker's own runner
 * for TAP starts it, takes a hundred times as long.
 */
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
import { settledOrIdle } from './idle-watch.ts'
import { ImportGraph } from './import-graph.ts'
import type { RecordedTest } from './recorded-tests.ts'

/** The name under which instrumented code finds the active mutant; as in `INSTRUMENTER_CONSTANTS`. */
const instrumented: { __stryker__?: InstrumenterContext } = globalThis as never

const RECORDED = new URL('recorded-tests.ts', import.meta.url).href

const PROPERTY_MS = 500

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 500)

class NodeTestRunner implements TestRunner {
  readonly #files: readonly string[]
  readonly #context: InstrumenterContext
  readonly #graph = new ImportGraph()
  #tests: readonly RecordedTest[] | undefined
  /** How long each took when it ran last: the shortest go first, since most mutants are seen by several. */
  readonly #tookMs = new Map<string, number>()
  #stray: unknown

  constructor(files: readonly string[]) {
    this.#files = files
    instrumented.__stryker__ ??= {}
    this.#context = instrumented.__stryker__
  }

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: false }
  }

  async init(): Promise<void> {
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
    for (const test of await this.#load(this.#files)) tests.push(await this.#run(test))
    this.#graph.write()
    const { mutantCoverage } = this.#context
    return { status: DryRunStatus.Complete, tests, ...(mutantCoverage === undefined ? {} : { mutantCoverage }) }
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, testFilter, hitLimit } = options
    // Active while modules are loaded: this one is in what a module does then, and the process is new.
    if (options.mutantActivation === 'static') this.#context.activeMutant = activeMutant.id
    const files = testFilter === undefined ? this.#filesThatLoad(options.sandboxFileName) : this.#files
    const wanted = new Set(testFilter)
    const loaded = await this.#load(files)
    const tests =
      testFilter === undefined
        ? loaded
        : loaded.filter(({ id }) => wanted.has(id)).toSorted((left, right) => this.#took(left) - this.#took(right))
    this.#context.activeMutant = activeMutant.id
    this.#context.hitCount = 0
    if (hitLimit !== undefined) this.#context.hitLimit = hitLimit
    let nrOfTests = 0
    for (const test of tests) {
      const result = await this.#run(test)
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
    return this.#tookMs.get(id) ?? 0
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
    for (const file of files) tests.push(...(await recordTests(file, pathToFileURL(resolve(file)).href)))
    this.#tests = tests
    return tests
  }

  async #run(test: RecordedTest): Promise<TestResult> {
    const { id, title: name, file: fileName } = test
    this.#stray = undefined
    this.#context.currentTestId = id
    const began = performance.now()
    const failureMessage = await settledOrIdle(test.run()).then(
      (end) => (end === 'idle' ? 'The test waits for what never comes' : undefined),
      textOf,
    )
    delete this.#context.currentTestId
    const timeSpentMs = performance.now() - began
    this.#tookMs.set(id, timeSpentMs)
    const failure = failureMessage ?? (this.#stray === undefined ? undefined : textOf(this.#stray))
    const ran = { id, name, fileName: resolve(fileName), timeSpentMs }
    return failure === undefined
      ? { ...ran, status: TestStatus.Success }
      : { ...ran, status: TestStatus.Failed, failureMessage: failure }
  }
}

const makeRunner = (options: StrykerOptions): TestRunner =>
  new NodeTestRunner((options as unknown as { nodeTest: { files: readonly string[] } }).nodeTest.files)
makeRunner.inject = tokens(commonTokens.options)

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'node-test', makeRunner)]
