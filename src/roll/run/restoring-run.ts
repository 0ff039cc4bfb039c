import type { Node } from '../../ground/model/node.ts'
import { restorerOf } from '../../ground/model/slot.ts'
import { type LeftRun, leftRun } from '../decide/resume/left-run.ts'
import { outsideFile } from '../decide/resume/outside-file.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import type { Verdict } from '../model/verdict.ts'
import type { FileOfRun } from './resume-run.ts'
import type { RunState } from './run-state.ts'

/**
 * A run whose journal is lost, which only puts back what that run left out. `nonce` distinguishes this attempt from any other,
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
  effectsBefore: {},
  restoresAs: restorerOf(run, nonce),
  ...(out[0] === undefined ? {} : { underWay: out[0].node.name }),
  ...(out.length < 2 ? {} : { inWorkBefore: out.map(({ node }) => node.name) }),
})

interface LostRun {
  readonly run: string
  readonly file: FileOfRun
  readonly verdict: Verdict
  readonly nonce: string
}

/**
 * The nodes that a run whose journal is lost left out: they are put back by their records, as far as the file has their
 * actuators. Throws UserError where no node has a record, or the file has too little.
 */
export function lostRun(nodes: readonly Node[], { run, file, verdict, nonce }: LostRun): RunState {
  const left = leftRun(nodes, { run, file: file.name })
  const outside = outsideFile(left.out, file.spec)
  if (outside.length > 0) throw file.refusal(outside)
  return restoringRun(left, { spec: file.spec, verdict, nonce })
}
