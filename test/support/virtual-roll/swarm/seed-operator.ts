import { toIso } from '../../../../src/ground/model/time.ts'
import { UserError } from '../../../../src/ground/model/user-error.ts'
import { WorldError } from '../../../../src/ground/model/world-error.ts'
import { planRefusal } from '../../../../src/roll/cli/screen/plan-refusal.ts'
import { loadRollFile } from '../../../../src/roll/file/load-roll-file.ts'
import type { RollSpec } from '../../../../src/roll/model/roll-spec.ts'
import type { Verdict } from '../../../../src/roll/model/verdict.ts'
import { prepare } from '../../../../src/roll/run/prepare.ts'
import { lostRun } from '../../../../src/roll/run/restoring-run.ts'
import { type FileOfRun, resumeRun } from '../../../../src/roll/run/resume-run.ts'
import { plannedEntry } from '../../../../src/roll/run/run-from-journal.ts'
import type { Scene } from '../checkers/scene.ts'
import type { EngineProcess } from '../engine-process.ts'
import { MemoryJournal } from '../memory-journal.ts'
import { ABORTED, operateRoll } from '../operate-roll.ts'
import type { VirtualRoll } from '../virtual-roll.ts'

const CLUSTER_NAME = 'virtual'

/** `evenkeel roll resume -f`: the run goes on by another file. Rejects where that may not be, or cannot be asked now. */
async function resumeBy(roll: VirtualRoll, file: string): Promise<EngineProcess> {
  const { header, entries } = roll.journal
  const { cluster, balancers, host, clock } = roll.ports()
  const append = (entry: Parameters<MemoryJournal['write']>[0]): Promise<void> =>
    roll.journal.write(entry, (ms) => clock.sleep(ms, NEVER))
  const { run, firstSeq } = await resumeRun({
    journal: { run: header.run, header, entries, append },
    amending: {
      file: fileOf(loadRollFile({ file: 'roll.yaml', text: file })),
      at: toIso(clock.wallMs()),
      nodes: () => cluster.list('nodes', NEVER),
      plan: (rest) => prepare({ ...rest, clusterName: CLUSTER_NAME, cluster, balancers, host }, NEVER),
      refusal: planRefusal,
      warn: () => undefined,
    },
  })
  return roll.process(run, firstSeq)
}

/**
 * `evenkeel roll abort -f` of a run whose journal is lost: what it left out is put back by the records on the nodes.
 * Undefined: no node bears one.
 */
async function putBackLost(roll: VirtualRoll, verdict: Verdict): Promise<EngineProcess | undefined> {
  const { cluster, random, clock } = roll.ports()
  const nodes = await cluster.list('nodes', NEVER)
  try {
    const run = lostRun(nodes, { run: roll.run, file: fileOf(roll.spec), verdict, nonce: random.hex(4) })
    const at = toIso(clock.wallMs())
    const { disk } = roll.journal
    roll.journal = new MemoryJournal({ at, type: 'journal', v: 1, run: run.id, cluster: 'uid', tool: '0' })
    roll.journal.disk = disk
    roll.journal.append(plannedEntry(run, { at, clusterName: CLUSTER_NAME }))
    return roll.process(run, 0)
  } catch (error) {
    if (error instanceof UserError) return undefined
    throw error
  }
}

const fileOf = (spec: RollSpec): FileOfRun => ({
  name: 'roll.yaml',
  spec,
  refusal: (findings) => new UserError(findings.map(({ text }) => text).join('; '), { code: 'roll-file.invalid' }),
})

interface SeedOperatorParts {
  readonly scene: Scene
  readonly roll: VirtualRoll
  /** Another roll by the same file, for what is left when the journal of the first is lost. */
  readonly rollAgain: () => VirtualRoll
  /** The file of `resume -f`. */
  readonly amendedFile: string
  readonly pauseMs: () => number
  readonly word: (ends: number) => 'resume' | 'abort'
  readonly onProcess: (roll: VirtualRoll, process: EngineProcess) => void
}

const AGAIN_AFTER_MS = 5_000
const NEVER = new AbortController().signal

/** People who see the first roll of a seed through, whatever becomes of its processes and of its journal. */
export class SeedOperator {
  readonly #parts: SeedOperatorParts
  #roll: VirtualRoll
  #running: EngineProcess | undefined
  #next: 'resume' | 'amended' | 'journalLost' = 'resume'
  #wasLost = false

  constructor(parts: SeedOperatorParts) {
    this.#parts = parts
    this.#roll = parts.roll
  }

  kill(next: 'resume' | 'amended' | 'journalLost'): void {
    if (next !== 'resume' && this.#running !== undefined) this.#next = next
    this.#running?.kill()
  }

  async operate(first: EngineProcess): Promise<void> {
    await this.#operate(first)
    while (this.#wasLost) {
      this.#wasLost = false
      this.#roll = this.#parts.rollAgain()
      await this.#operate(await begunInTheEnd(this.#roll, this.#parts.scene))
    }
  }

  async #operate(first: EngineProcess): Promise<void> {
    const { pauseMs, word, onProcess } = this.#parts
    const roll = this.#roll
    await operateRoll({
      roll,
      first,
      pauseMs,
      word,
      onProcess: (process) => {
        this.#running = process
        onProcess(roll, process)
      },
      resumeRun: (verdict) => this.#resumeRun(roll, verdict),
    })
    this.#running = undefined
  }

  async #resumeRun(roll: VirtualRoll, verdict: Verdict | undefined): Promise<EngineProcess | undefined> {
    const next = this.#next
    this.#next = 'resume'
    if (next === 'journalLost') {
      this.#wasLost = true
      this.#parts.scene.lostRuns.add(roll.restoresAs ?? roll.run)
      return answered(roll, () => putBackLost(roll, ABORTED))
    }
    // What was begun to put back a lost run can only be ended.
    if (this.#wasLost) return roll.resume(ABORTED)
    if (next === 'resume' || verdict !== undefined) return roll.resume(verdict)
    try {
      return await resumeBy(roll, this.#parts.amendedFile)
    } catch (error) {
      if (!(error instanceof UserError || error instanceof WorldError)) throw error
      return roll.resume()
    }
  }
}

/** Begins as soon as no error stands in the plan. */
export async function begunInTheEnd(roll: VirtualRoll, scene: Scene): Promise<EngineProcess> {
  const first = await answered(roll, () => roll.begun())
  scene.rolls += 1
  return first
}

/** Asked again until it is answered: by an API that cannot be reached, or by a plan with errors in it. */
async function answered<T>({ cluster }: VirtualRoll, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof UserError || error instanceof WorldError)) throw error
      await cluster.time.sleep(AGAIN_AFTER_MS, NEVER)
    }
  }
}
