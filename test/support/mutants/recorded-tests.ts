/**
 * Stands in for `node:test` where one process runs the same tests once for each mutant: a test is kept, with its file, and
 * run as often as wanted. It knows what the tests of pure modules use, and no more.
 */
import type { TestContext, TestFn, TestOptions } from 'node:test'

export interface RecordedTest {
  readonly id: string
  readonly file: string
  readonly title: string
  /** Rejects where the test fails. */
  run(): Promise<void>
}

const recorded: RecordedTest[] = []
let loading = ''
const groups: string[] = []

/** Imports a test file and returns the tests it has. */
export async function recordTests(file: string, url: string): Promise<readonly RecordedTest[]> {
  const before = recorded.length
  loading = file
  await import(url)
  return recorded.slice(before)
}

const contextOf = (title: string, after: (() => unknown)[], signal: AbortSignal): TestContext => {
  const context: Pick<TestContext, 'name' | 'signal' | 'after' | 'diagnostic'> = {
    name: title,
    signal,
    after: (hook) => void after.push(hook as () => unknown),
    diagnostic: () => undefined,
  }
  return context as TestContext
}

async function runOnce(title: string, body: TestFn): Promise<void> {
  const ended = new AbortController()
  const after: (() => unknown)[] = []
  try {
    await body(contextOf(title, after, ended.signal), () => undefined)
  } finally {
    for (const hook of after) await hook()
    ended.abort()
  }
}

export function test(title: string, ...rest: readonly [TestFn] | readonly [TestOptions, TestFn]): void {
  const [options, body] = rest.length === 1 ? [{}, rest[0]] : rest
  if (options.skip !== undefined && options.skip !== false) return
  const file = loading
  const whole = [...groups, title].join(' > ')
  recorded.push({ id: `${file} ${whole}`, file, title: whole, run: () => runOnce(title, body) })
}

/** A group gives its tests a title to stand under. */
export function describe(title: string, body: () => void): void {
  groups.push(title)
  try {
    body()
  } finally {
    groups.pop()
  }
}
