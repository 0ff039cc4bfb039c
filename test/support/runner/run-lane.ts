import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { childrenOf } from '../../../testbed/machine/process-identity.ts'
import type { FileEnd } from './closing-lines.ts'
import { COUNT_MARK, type FileCount } from './file-reporter.ts'
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
  return lane.polite === true ? runBehindOthers({ lane, place }) : runBeside(lane, place)
}

/** Like the lanes beside it, and not behind them. */
export const runBeside = (lane: Lane, place: LanePlace): Promise<readonly FileEnd[]> =>
  lane.concurrency === 'oneProcess' ? runTogether(lane, place) : runApart(lane, place)

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
async function runApart(lane: Lane, { root, hasScreen }: LanePlace): Promise<readonly FileEnd[]> {
  const concurrency = lane.concurrency === 'oneProcess' ? 1 : lane.concurrency
  const output: string[] = []
  const queue = lane.files[Symbol.iterator]()
  const ends: FileEnd[] = []
  const work = async (): Promise<void> => {
    for (const file of queue) {
      const { text, end } = await runFile(file, root, lane)
      if (hasScreen) process.stdout.write(text)
      else output.push(text)
      ends.push(end)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  process.stdout.write(output.join(''))
  return ends
}

/** Of a file that ended before its reporter did. */
const NO_COUNT = '{"passed":0,"failed":1,"skips":[],"voids":[],"failures":[]}'
const FILE_REPORTER = new URL('file-reporter.ts', import.meta.url).pathname

/**
 * The file is the program, with a reporter of ours. Node's own `run` takes the events of a file from among what the file
 * prints, and an exception in there ends the runner: https://github.com/nodejs/node/issues/66164.
 */
async function runFile(
  file: string,
  root: string,
  lane: Lane,
): Promise<{ readonly text: string; readonly end: FileEnd }> {
  const startedMs = performance.now()
  const words = [QUIET, `--test-reporter=${FILE_REPORTER}`, '--test-reporter-destination=stdout', file]
  const { output, exit, ranOut } = await outputOf(words, { root, limitMs: lane.limitMs })
  const at = output.lastIndexOf(COUNT_MARK)
  const [counted = '', ...behind] = at === -1 ? [NO_COUNT] : output.slice(at + COUNT_MARK.length).split('\n')
  const text = (at === -1 ? output : output.slice(0, at)) + behind.join('\n')
  const count = JSON.parse(counted) as FileCount
  const isGood = exit === 'code 0' && count.failed === 0 && !ranOut && count.passed + count.skips.length > 0
  const limit = ranOut ? { ranOutOfMs: lane.limitMs } : {}
  const why =
    at === -1 && !ranOut
      ? `${file}: ended by ${exit} and gave no count of its tests: it has none, or one of them ended the process\n`
      : ''
  return { text: text + why, end: { file, ...count, ...limit, isGood, tookMs: performance.now() - startedMs } }
}

interface Ran {
  readonly output: string
  /** `code 1`, or the signal's name. */
  readonly exit: string
  readonly ranOut: boolean
}

interface RunPlace {
  readonly root: string
  readonly limitMs: number
  readonly onText?: (text: string) => void
}

/** Runs Node to its end. What never ends, by a loop for example, is killed at its limit, with all that it has started. */
async function outputOf(words: readonly string[], { root, limitMs, onText }: RunPlace): Promise<Ran> {
  const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const take = (text: string): void => {
    output += text
    onText?.(text)
  }
  child.stdout.setEncoding('utf8').on('data', take)
  child.stderr.setEncoding('utf8').on('data', take)
  let ranOut = false
  const limit = setTimeout(() => {
    ranOut = true
    // What it has started holds its output open, and would go on beside the files behind it.
    for (const pid of [child.pid ?? 0, ...descendants(child.pid ?? 0)]) killed(pid)
  }, limitMs)
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  clearTimeout(limit)
  return { output, exit: signal ?? `code ${code}`, ranOut }
}

/** A list is made before the first of them is killed: children of a process that has ended are not its children any more. */
const descendants = (pid: number): readonly number[] =>
  childrenOf(pid).flatMap((child) => [child, ...descendants(child)])

function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

/** All files in one process, which is not this one: within it they would be tests of it. */
async function runTogether(lane: Lane, { root, hasScreen }: LanePlace): Promise<readonly FileEnd[]> {
  const startedMs = performance.now()
  const words = [QUIET, '--test', '--test-isolation=none', '--test-reporter=spec']
  const onText = (text: string): void => void (hasScreen && process.stdout.write(text))
  const { output, exit, ranOut } = await outputOf([...words, ...lane.files], { root, limitMs: lane.limitMs, onText })
  if (!hasScreen) process.stdout.write(output)
  const count = (what: string): number => Number(new RegExp(`^ℹ ${what} (\\d+)$`, 'm').exec(output)?.[1] ?? 0)
  const [passed, failed] = [count('pass'), count('fail') + count('cancelled')]
  return [
    {
      file: `${lane.files.length} files in one process`,
      passed,
      failed,
      skips: Array.from({ length: count('skipped') }, () => 'left out in the one process'),
      voids: [],
      // What Node's reporter repeats at its end.
      failures: /\n✖ failing tests:\n(.*)/s.exec(output)?.slice(1) ?? [],
      ...(ranOut ? { ranOutOfMs: lane.limitMs } : {}),
      isGood: exit === 'code 0' && passed > 0,
      tookMs: performance.now() - startedMs,
    },
  ]
}
