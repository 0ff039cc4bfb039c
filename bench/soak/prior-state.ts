import type { RollBed } from '../../test/support/roll-bed/roll-bed.ts'

/** Sets an operator's own cordon and `maint`, which no roll may lift; says what `leftovers` shows of them. */
export async function prepareSoak(bed: RollBed): Promise<readonly string[]> {
  await bed.settled()
  await bed.bed.kubectl(['cordon', 'n3'])
  await bed.lbSet('edge/n2', 'maint')
  return ['edge/n2 maint', 'n3 cordoned', 'n3 taint node.kubernetes.io/unschedulable']
}
