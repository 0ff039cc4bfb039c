import type { Verdict } from '../../../src/roll/model/verdict.ts'
import type { RollEnd } from '../../../src/roll/run/roll-end.ts'
import { runFromJournal } from '../../../src/roll/run/run-from-journal.ts'
import type { EngineProcess } from './engine-process.ts'
import type { VirtualRoll } from './virtual-roll.ts'

interface Operating {
  readonly roll: VirtualRoll
  readonly first: EngineProcess
  /** From the end of one process to the start of the next. */
  readonly pauseMs: () => number
  /** What is said to it after each end: go on, or put back what is out. */
  readonly word: (ends: number) => 'resume' | 'abort'
  /** The next process, where it is not begun by a plain resume; undefined: nothing is left to take up. */
  readonly resumeRun?: (verdict: Verdict | undefined) => Promise<EngineProcess | undefined>
  /** Of each process that begins, the first among them. */
  readonly onProcess?: (process: EngineProcess) => void
}

export const ABORTED: Verdict = {
  kind: 'aborted',
  keepOut: false,
  reasons: [{ code: 'Aborted', text: 'somebody asked for it' }],
}
const ENDS_MAX = 60

/**
 * Acts as an operator who was told to get it done: answers every end of a process but success with the same word again.
 * Returns how many processes it took.
 */
export async function operateRoll({ roll, first, pauseMs, word, resumeRun, onProcess }: Operating): Promise<number> {
  let running = first
  for (let ends = 1; ends <= ENDS_MAX; ends += 1) {
    onProcess?.(running)
    const end = await endOf(running, () => sleep(roll, pauseMs()))
    const nextWord = word(ends)
    if (end !== 'died' && isDone(roll, end)) return ends
    await sleep(roll, pauseMs())
    const verdict = nextWord === 'abort' ? ABORTED : undefined
    const next = resumeRun === undefined ? roll.resume(verdict) : await resumeRun(verdict)
    if (next === undefined) return ends
    running = next
  }
  throw new Error(`the roll is not done after ${ENDS_MAX} processes`)
}

const sleep = ({ cluster }: VirtualRoll, ms: number): Promise<void> =>
  cluster.time.sleep(ms, new AbortController().signal)

/** A process that keeps a node out is interrupted, as it asks to be, after a while. */
async function endOf(running: EngineProcess, pause: () => Promise<void>): Promise<RollEnd | 'died'> {
  const end = await running.reported
  if (end !== 'guards') return end
  await Promise.race([pause(), running.ended])
  running.interrupt()
  return running.ended
}

/** Nothing is left for another process: all nodes are through, or everything was put back as was asked for. */
function isDone(roll: VirtualRoll, { outcome, standings }: RollEnd): boolean {
  const { header, entries } = roll.journal
  if (outcome === 'completed' || outcome === 'aborted') return true
  // A node whose record could not be taken off is through by the journal, and the next process finishes it.
  return standings.every(({ state }) => state !== 'out') && runFromJournal({ header, entries }).ended
}
