import type { Verdict } from '../model/verdict.ts'
import { gateVerdict } from './gates/gates-held.ts'
import { hookVerdict } from './hooks/hook-verdict.ts'
import type { AnySnapshot } from './subject.ts'

/** The verdict because of a request of the operator: a gate that did not pass, a hook that failed. */
export const requestVerdict = (s: AnySnapshot): Verdict | undefined => gateVerdict(s) ?? hookVerdict(s)
