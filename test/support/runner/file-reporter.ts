/**
 * The reporter of a test file that runs in a process of its own: prints its tests as Node's `spec` reporter does, and in the
 * last line, behind a mark, what came of them; the runner reads that line.
 */
import { spec as Spec, type TestEvent } from 'node:test/reporters'

export interface FileCount {
  passed: number
  failed: number
  readonly skips: string[]
  readonly voids: string[]
  readonly failures: string[]
}

/** No test prints it. */
export const COUNT_MARK = '\u0000count '

/** The counts at the end of a run, which here is a run of one file. */
const COUNTS = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const reporter = new Spec()
  const printed: string[] = []
  reporter.on('data', (text: Buffer) => void printed.push(String(text)))
  const count: FileCount = { passed: 0, failed: 0, skips: [], voids: [], failures: [] }
  for await (const event of events) {
    if (isOfWholeRun(event)) continue
    reporter.write(event)
    countIn(count, event)
    yield* printed.splice(0)
  }
  const ended = Promise.withResolvers<void>()
  reporter.on('end', ended.resolve).end()
  await ended.promise
  yield* printed
  yield `\n${COUNT_MARK}${JSON.stringify(count)}\n`
}

const isOfWholeRun = ({ type, data }: TestEvent): boolean =>
  type === 'test:summary' || (type === 'test:diagnostic' && data.nesting === 0 && COUNTS.test(data.message))

/** A story of a whole roll can stand in an error; the output above has all of it. */
const FAILURE_CHARS = 1500

function failureText({ name, details }: Extract<TestEvent, { type: 'test:fail' }>['data']): string {
  const { cause, message } = details.error
  const text = cause instanceof Error ? cause.message : message
  return `${name}: ${text.length > FAILURE_CHARS ? `${text.slice(0, FAILURE_CHARS)} …` : text}`
}

function countIn(count: FileCount, { type, data }: TestEvent): void {
  if (type === 'test:diagnostic' && data.message.startsWith('void')) count.voids.push(data.message)
  if (type !== 'test:pass' && type !== 'test:fail') return
  if (type === 'test:fail') {
    count.failed += 1
    count.failures.push(failureText(data))
  } else if (data.skip !== undefined && data.skip !== false) count.skips.push(String(data.skip))
  else if (data.details.type !== 'suite') count.passed += 1
}
