import type { Verdict } from '../../model/verdict.ts'
import { gateVerdict } from './gates/gates-held.ts'
import type { RollSnapshot } from './snapshot.ts'

/** The verdict by what the operator asked for beside the roll itself: gates that did not pass. */
export const wishVerdict = (s: RollSnapshot): Verdict | undefined => gateVerdict(s)
