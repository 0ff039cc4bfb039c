import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import type { RollPlan } from '../../src/roll/model/roll-plan.ts'
import { EDGE_FRONT, WHOAMI_FRONT } from '../../test/support/roll-bed/lb-config.ts'
import type { RollBed } from '../../test/support/roll-bed/roll-bed.ts'
import type { RollProcess } from '../../test/support/roll-bed/roll-process.ts'

/** How a roll of ours ended. */
export interface RollEnd {
  readonly code: number | null
  readonly stderr: string
  /** What the plan warned of, one code each. */
  readonly warnings: readonly string[]
  /** As the roll itself counted them. */
  readonly strays: number
  readonly rebooted: number
  readonly leftovers: readonly string[]
  /** What happened, where it did not end well. */
  readonly events: readonly StampedEvent[]
}

interface RollOfOurs {
  /** Whether the roll file names the DaemonSet that other nodes send to. */
  readonly stage: boolean
}

/** Plans, then rolls. Without its stage, the edge service is in no probe of the roll: the roll file does not name it. */
export async function evenkeelRoll(bed: RollBed, { stage }: RollOfOurs): Promise<RollEnd> {
  const file = stage
    ? bed.file({ urls: [WHOAMI_FRONT, EDGE_FRONT] })
    : bed.file({ urls: [WHOAMI_FRONT], spec: { drain: {} } })
  const planned = await bed.roll('-f', file, '--dry-run').ended()
  const plan = JSON.parse(planned.stdout) as RollPlan
  const before = await bed.bootIds()
  const roll = bed.roll('-f', file, '--yes')
  await released(roll)
  const { code, stderr } = await roll.ended()
  const after = await bed.bootIds()
  return {
    code,
    stderr,
    warnings: plan.findings.filter(({ severity }) => severity === 'warning').map((finding) => finding.code),
    strays: roll.events.reduce((sum, event) => sum + (event.type === 'stray' ? event.count : 0), 0),
    rebooted: Object.keys(before).filter((node) => before[node] !== after[node]).length,
    leftovers: await bed.leftovers(),
    events: code === 0 ? [] : roll.events.filter(({ type }) => type !== 'load.tick'),
  }
}

/** A roll that stopped with a node out guards it until it is interrupted. */
async function released(roll: RollProcess): Promise<void> {
  // A roll that was refused ends without that event, and its exit code tells why.
  const event = await roll.until('its end', ({ type }) => type === 'roll.ended').catch(() => undefined)
  if (event?.type === 'roll.ended' && (event.guarded ?? []).length > 0) roll.kill('SIGINT')
}
