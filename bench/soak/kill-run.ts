import { BootCounter } from '../../test/support/roll-bed/boot-counter.ts'
import { isVoid } from '../../test/support/roll-bed/judge.ts'
import type { RollBed } from '../../test/support/roll-bed/roll-bed.ts'
import type { KillPoint } from './kill-point.ts'

export interface KillRun {
  readonly killedIn: string
  readonly next: KillPoint['next']
  readonly node: string
  readonly exitCode: number
  readonly sentRequests: number
  readonly failedRequests: number
  readonly boots: number
  readonly void: boolean
  /** In full where something is wrong; empty: as it is to be. */
  readonly wrong: readonly string[]
}

/** Rolls one node, kills the roll with SIGKILL where the point says, takes it up, and looks at what came of it. */
export async function killRun(
  bed: RollBed,
  { point, node, prior }: { readonly point: KillPoint; readonly node: string; readonly prior: readonly string[] },
): Promise<KillRun> {
  const boots = new BootCounter(bed.bed)
  const judge = bed.judge()
  const roll = bed.roll('-f', bed.file({ spec: { nodes: { names: [node] } } }), '--yes')
  await point.reached(roll, bed, node)
  roll.kill('SIGKILL')
  await roll.ended()
  const second = bed.roll(point.next)
  const end = await second.ended()
  const judged = await judge.verdict()
  const booted = (await boots.stop())[node] ?? 0
  const expected = point.next === 'resume' ? 0 : 1
  const left = (await bed.leftovers()).toSorted()
  const attachedAt = second.events.find((event) => event.type === 'write' && event.text.endsWith(' to ready'))?.seq
  const provenAt = second.events.find((event) => event.type === 'step.ended' && event.step === 'proof')?.seq
  const early = attachedAt !== undefined && (provenAt === undefined || provenAt > attachedAt)
  const wrong = [
    ...(end.code === expected ? [] : [`${point.next} exits with ${end.code}: ${end.stderr.slice(-1000)}`]),
    ...(judged.failedRequests === 0 ? [] : [`windows ${JSON.stringify(judged.windows)}`]),
    ...(booted === 1 ? [] : [`${booted} boots`]),
    ...(early ? ['attached before its proof'] : []),
    ...(JSON.stringify(left) === JSON.stringify(prior) ? [] : [`left ${left.join(', ')}`]),
  ]
  return {
    killedIn: point.name,
    next: point.next,
    node,
    exitCode: end.code ?? -1,
    sentRequests: judged.sentRequests,
    failedRequests: judged.failedRequests,
    boots: booted,
    void: isVoid(judged),
    wrong,
  }
}
