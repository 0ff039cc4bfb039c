import type { Verdict } from '../model/verdict.ts'
import { gateVerdict } from './gates/gates-held.ts'
import { hookVerdict } from './hooks/hook-verdict.ts'
import type { HostSnapshot } from './hosts/host-snapshot.ts'
import type { RollSnapshot } from './snapshot.ts'

/** The verdict by what the operator asked for beside the roll itself: gates that did not pass, hooks that failed. */
export const wishVerdict = (s: RollSnapshot | HostSnapshot): Verdict | undefined => gateVerdict(s) ?? hookVerdict(s)
