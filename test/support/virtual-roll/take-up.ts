import { toIso } from '../../../src/ground/model/time.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { planRefusal } from '../../../src/roll/cli/screen/plan-refusal.ts'
import { loadRollFile } from '../../../src/roll/file/load-roll-file.ts'
import type { RollSpec } from '../../../src/roll/model/roll-spec.ts'
import type { Verdict } from '../../../src/roll/model/verdict.ts'
import { prepare } from '../../../src/roll/run/prepare.ts'
import { lostRun } from '../../../src/roll/run/restoring-run.ts'
import { plannedEntry } from '../../../src/roll/run/run-from-journal.ts'
import { type FileOfRun, takeUp } from '../../../src/roll/run/take-up.ts'
import type { EngineProcess } from './engine-process.ts'
import { MemoryJournal } from './memory-journal.ts'
import type { VirtualRoll } from './virtual-roll.ts'

const NEVER = new AbortController().signal
const CLUSTER_NAME = 'virtual'

/** `evenkeel roll resume -f`: the run goes on by another file. Rejects where that may not be, or cannot be asked now. */
export async function resumeBy(roll: VirtualRoll, file: string): Promise<EngineProcess> {
  const { header, entries } = roll.journal
  const { cluster, balancers, host, clock } = roll.ports()
  const append = (entry: Parameters<MemoryJournal['write']>[0]): Promise<void> =>
    roll.journal.write(entry, (ms) => clock.sleep(ms, NEVER))
  const { run, firstSeq } = await takeUp({
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
export async function putBackLost(roll: VirtualRoll, verdict: Verdict): Promise<EngineProcess | undefined> {
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
