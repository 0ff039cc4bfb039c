import type { Verdict } from '../model/verdict.ts'
import { gateVerdict } from './gates/gates-held.ts'
import { hookVerdict } from './hooks/hook-verdict.ts'
import type { AnySnapshot } from './subject.ts'

/** The verdict by what the operator asked for beside the roll itself: gates that did not pass, hooks that failed. */
export const requestVerdict = (s: AnySnapshot): Verdict | undefined => gateVerdict(s) ?? hookVerdict(s)
