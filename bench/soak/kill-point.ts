import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import { STEPS } from '../../src/roll/model/step.ts'
import type { RollBed } from '../../test/support/roll-bed/roll-bed.ts'
import type { RollProcess } from '../../test/support/roll-bed/roll-process.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'

/** Where a roll is killed, and which command takes it up. */
export interface KillPoint {
  readonly name: string
  readonly next: 'resume' | 'abort'
  /** Settles when the roll is to be killed. */
  readonly reached: (roll: RollProcess, bed: RollBed, node: string) => Promise<unknown>
}

const intentWritten = (event: StampedEvent): boolean =>
  event.type === 'write' && event.action === 'writeIntent' && event.ok

/** The command has left and took effect, and the process dies before it can hear so. */
async function sentUnheard(roll: RollProcess, { bed }: RollBed, node: string): Promise<void> {
  await roll.until('the intent', intentWritten)
  await waitFor({ what: `${node} to go down`, limitMs: 10_000, everyMs: 20 }, () =>
    bed.exec(node, ['true']).then(
      () => undefined,
      () => true,
    ),
  )
}

export const KILL_POINTS: readonly KillPoint[] = [
  ...STEPS.map(
    (step): KillPoint => ({
      name: step,
      next: 'resume',
      reached: (roll, _, node) => roll.untilStep(step, node),
    }),
  ),
  { name: 'reboot sent, not heard', next: 'resume', reached: sentUnheard },
  { name: 'reboot sent, not heard', next: 'abort', reached: sentUnheard },
]
