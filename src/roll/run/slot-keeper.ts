import { slotRef } from '../../ground/model/slot.ts'
import { LeaseKeeper } from '../../service/run/lease-keeper.ts'
import type { RunState } from './run-state.ts'

type KeeperParts = Pick<
  ConstructorParameters<typeof LeaseKeeper>[0],
  'cluster' | 'clock' | 'random' | 'onChange' | 'siblings'
>

/** Holds one of the slots that a run may have, for one lane. */
export const keeperOf = ({ spec: { slots }, ...run }: RunState, parts: KeeperParts): LeaseKeeper =>
  new LeaseKeeper({
    ...parts,
    slot: (index) => slotRef(slots.namespace, index),
    run: run.restoresAs ?? run.id,
    nonce: parts.random.hex(4),
    durationMs: slots.leaseDurationMs,
  })
