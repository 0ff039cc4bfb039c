import { planRefusal } from '../../../src/cli/roll/plan-refusal.ts'
import { loadRollFile } from '../../../src/config/load-roll-file.ts'
import { prepare } from '../../../src/controllers/roll/prepare.ts'
import { lostRun } from '../../../src/controllers/roll/restoring-run.ts'
import { plannedEntry } from '../../../src/controllers/roll/run-from-journal.ts'
import { type FileOfRun, takeUp } from '../../../src/controllers/roll/take-up.ts'
import type { RollSpec } from '../../../src/model/roll-spec.ts'
import { toIso } from '../../../src/model/time.ts'
import { UserError } from '../../../src/model/user-error.ts'
import type { Verdict } from '../../../src/model/verdict.ts'
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
