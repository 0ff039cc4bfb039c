import type { LeftRun } from '../../core/roll/takeup/left-run.ts'
import type { RollSpec } from '../../model/roll-spec.ts'
import { restorerOf } from '../../model/slot.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { RunState } from './run-state.ts'

/**
 * A run whose journal is lost, for putting back what it left and nothing else. `nonce` tells this attempt from any other,
 * and from the run's own process, which may live.
 */
export const restoringRun = (
  { run, out }: LeftRun,
  { spec, verdict, nonce }: { readonly spec: RollSpec; readonly verdict: Verdict; readonly nonce: string },
): RunState => ({
  id: run,
  spec,
  order: out.map(({ node }) => node.name),
  resumed: true,
  done: [],
  settledHere: [],
  verdict,
  measuredSince: undefined,
  evictedBefore: {},
  restoresAs: restorerOf(run, nonce),
  ...(out[0] === undefined ? {} : { underWay: out[0].node.name }),
})
