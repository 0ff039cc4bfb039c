import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { run } from 'node:test'
import { spec as Spec, type TestEvent } from 'node:test/reporters'
import type { FileEnd } from './closing-lines.ts'
import type { PoliteEnds, PoliteLane } from './lane-process.ts'
import type { Lane } from './lanes.ts'

export interface LanePlace {
  readonly root: string
  /** Prints each result as it comes; otherwise all of them at the end, since another lane prints. */
  readonly hasScreen: boolean
}

const QUIET = '--disable-warning=ExperimentalWarning'

/** Runs every file of the lane, whatever becomes of the ones before it. */
export function runLane(lane: Lane, place: LanePlace): Promise<readonly FileEnd[]> {
  if (lane.concurrency === 'oneProcess') return runTogether(lane, place)
  return lane.polite === true ? runBehindOthers({ lane, place }) : runApart(lane, place)
}

const LANE_PROCESS = new URL('lane-process.ts', import.meta.url).pathname

async function runBehindOthers(polite: PoliteLane): Promise<readonly FileEnd[]> {
  const child = fork(LANE_PROCESS, { detached: true, execArgv: [QUIET] })
  const { promise, resolve, reject } = Promise.withResolvers<PoliteEnds>()
  child.on('message', (ends) => resolve(ends as PoliteEnds)).on('error', reject)
  child.on('exit', (code, signal) => reject(new Error(`the lane ended without an answer: ${signal ?? code}`)))
  child.send(polite)
  return promise
}

/** Each file in a process of its own, as many at a time as the lane says. */
export async function runApart(lane: Lane, { root, hasScreen }: LanePlace): Promise<readonly FileEnd[]> {
  const concurrency = lane.concurrency === 'oneProcess' ? 1 : lane.concurrency
  const reporter = new Spec()
  const output: string[] = []
  reporter.on('data', (text: Buffer) => void (hasScreen ? process.stdout.write(text) : output.push(String(text))))
  const queue = lane.files[Symbol.iterator]()
  const ends: FileEnd[] = []
  const work = async (): Promise<void> => {
    for (const file of queue) ends.push(await runFile(file, { root, lane, reporter }))
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  reporter.end()
  await once(reporter, 'end')
  process.stdout.write(output.join(''))
  return ends
}

interface FileRun {
  readonly root: string
  readonly lane: Lane
  readonly reporter: InstanceType<typeof Spec>
}

async function runFile(file: string, { root, lane, reporter }: FileRun): Promise<FileEnd> {
  const startedMs = performance.now()
  // A file that never ends, by a loop for example, is killed: the runner's own time limit ends no process.
  const signal = AbortSignal.timeout(lane.limitMs)
  const count = { passed: 0, failed: 0, skips: [] as string[], voids: [] as string[] }
  for await (const event of run({ files: [file], cwd: root, execArgv: [QUIET], signal })) {
    if (isOfWholeRun(event)) continue
    reporter.write(event)
    countIn(count, event)
  }
  return {
    file,
    ...count,
    ...(signal.aborted ? { ranOutOfMs: lane.limitMs } : {}),
    isGood: count.failed === 0 && !signal.aborted && count.passed + count.skips.length > 0,
    tookMs: performance.now() - startedMs,
  }
}

/** The counts at the end of a run, which here is a run of one file. */
const isOfWholeRun = ({ type, data }: TestEvent): boolean =>
  type === 'test:summary' || (type === 'test:diagnostic' && data.file === undefined)

function countIn(count: { passed: number; failed: number; skips: string[]; voids: string[] }, event: TestEvent): void {
  const { type, data } = event
  if (type === 'test:diagnostic' && data.message.startsWith('void')) count.voids.push(data.message)
  if (type !== 'test:pass' && type !== 'test:fail') return
  if (type === 'test:fail') count.failed += 1
  else if (data.skip !== undefined && data.skip !== false) count.skips.push(String(data.skip))
  // A file without a test passes as a test by the name of the file.
  else if (data.details.type !== 'suite' && data.file?.endsWith(data.name) !== true) count.passed += 1
}

/** All files in one process, which is not this one: within it they would be tests of it. */
async function runTogether(lane: Lane, { root, hasScreen }: LanePlace): Promise<readonly FileEnd[]> {
  const startedMs = performance.now()
  const words = [QUIET, '--test', '--test-isolation=none', '--test-reporter=spec']
  const signal = AbortSignal.timeout(lane.limitMs)
  const child = spawn(process.execPath, [...words, ...lane.files], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
    killSignal: 'SIGKILL',
  })
  const { promise: closed, resolve } = Promise.withResolvers<number | null>()
  // Its end is heard of once its output is read to the end, also where it was killed, which is an error, too.
  child.on('error', () => undefined).on('close', resolve)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (hasScreen) process.stdout.write(text)
  })
  const code = await closed
  if (!hasScreen) process.stdout.write(output)
  const count = (what: string): number => Number(new RegExp(`^ℹ ${what} (\\d+)$`, 'm').exec(output)?.[1] ?? 0)
  const ranOut = signal.aborted ? { ranOutOfMs: lane.limitMs } : {}
  const [passed, failed] = [count('pass'), count('fail') + count('cancelled')]
  return [
    {
      file: `${lane.files.length} files in one process`,
      passed,
      failed,
      skips: Array.from({ length: count('skipped') }, () => 'left out in the one process'),
      voids: [],
      ...ranOut,
      isGood: code === 0 && passed > 0,
      tookMs: performance.now() - startedMs,
    },
  ]
}
