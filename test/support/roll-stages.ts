import { monoMs } from '../../src/ground/model/time.ts'
import type { RollSnapshot } from '../../src/roll/decide/snapshot.ts'
import { aRecord, detachedEvidence, drained, NEW_BOOT } from './roll-world.ts'

/** n1 as it stands after each part of the ladder: what `aSnapshot` is given. */
export const cordoned = { node: { unschedulable: true }, record: aRecord() }
export const out = { ...cordoned, servers: drained(), evidence: detachedEvidence() }
export const announced = { ...out, announced: true }
export const back = {
  node: { bootId: NEW_BOOT, unschedulable: true },
  record: aRecord(),
  announced: true,
  servers: drained(),
}
/** A heartbeat was seen since: that of `aNode` is another. */
export const beat = { returned: { bootId: NEW_BOOT, at: monoMs(900_000), heartbeat: 'before' } }
export const proven = { ...back, evidence: { ...detachedEvidence(), ...beat } }
export const uncordoned = { ...proven, node: { bootId: NEW_BOOT } }
export const settled = { ...uncordoned, evidence: { ...proven.evidence, settledInARow: 3 } }

/** Its data port answers. */
export function withPort<S extends RollSnapshot>(s: S): S {
  return s.current === undefined ? s : { ...s, current: { ...s.current, dataPorts: { '10.0.0.1:30080': true } } }
}
