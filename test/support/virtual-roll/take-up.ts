import { planRefusal } from '../../../src/cli/roll/plan-refusal.ts'
import { loadRollFile } from '../../../src/config/load-roll-file.ts'
import { amendRun } from '../../../src/controllers/roll/amend-run.ts'
import { prepare } from '../../../src/controllers/roll/prepare.ts'
import { restoringRun } from '../../../src/controllers/roll/restoring-run.ts'
import { runFromJournal } from '../../../src/controllers/roll/run-from-journal.ts'
import { leftRun } from '../../../src/core/roll/takeup/left-run.ts'
import { restOfPlan } from '../../../src/core/roll/takeup/rest-of-plan.ts'
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
  const { journal } = roll
  const { header, entries } = journal
  const { run, firstSeq } = runFromJournal({ header, entries })
  const { cluster, balancers, host, clock } = roll.ports()
  const amended = await amendRun({
    run,
    wanted: loadRollFile({ file: 'roll.yaml', text: file }),
    nodes: await cluster.list('nodes', NEVER),
    journal: { run: header.run, append: (entry) => journal.write(entry, (ms) => clock.sleep(ms, NEVER)) },
    at: toIso(clock.wallMs()),
    refusal: (findings) => new UserError(findings.map(({ text }) => text).join('; '), { code: 'roll-file.invalid' }),
    plan: async (spec, underWay) => {
      const plan = await prepare({ spec, clusterName: CLUSTER_NAME, cluster, balancers, host }, NEVER)
      const refusal = planRefusal(restOfPlan(plan, underWay))
      if (refusal !== undefined) throw refusal
    },
  })
  return roll.process(amended.run, firstSeq)
}

/**
 * `evenkeel roll abort -f` of a run whose journal is lost: what it left out is put back by the records on the nodes.
 * Undefined: no node bears one.
 */
export async function putBackLost(roll: VirtualRoll, verdict: Verdict): Promise<EngineProcess | undefined> {
  const { cluster, random, clock } = roll.ports()
  const nodes = await cluster.list('nodes', NEVER)
  try {
    const left = leftRun(nodes, { run: roll.run, file: 'roll.yaml' })
    const run = restoringRun(left, { spec: roll.spec, verdict, nonce: random.hex(4) })
    const at = toIso(clock.wallMs())
    const { disk } = roll.journal
    roll.journal = new MemoryJournal({ at, type: 'journal', v: 1, run: run.id, cluster: 'uid', tool: '0' })
    roll.journal.disk = disk
    const { spec, order, restoresAs } = run
    roll.journal.append({ at, type: 'planned', spec, order, clusterName: CLUSTER_NAME, restoresAs })
    return roll.process(run, 0)
  } catch (error) {
    if (error instanceof UserError) return undefined
    throw error
  }
}
