import assert from 'node:assert/strict'
import type { RollBed } from '../roll-bed/roll-bed.ts'

const HOLDER = ['get', 'lease', 'evenkeel-slot-0', '--namespace', 'evenkeel', '-o', 'jsonpath={.spec.holderIdentity}']

/** Nothing of ours is anywhere: on no node, in no balancer, and no process holds the slot. */
export async function nothingLeft(bed: RollBed): Promise<void> {
  assert.deepEqual([await bed.leftovers(), await bed.bed.kubectl(HOLDER)], [[], ''])
}
