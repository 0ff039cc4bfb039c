import { type MonoMs, monoMs } from '../../ground/model/time.ts'

interface Passing {
  readonly now: MonoMs
  readonly evidence: { readonly passedAt?: MonoMs }
}

/** The beginning of a wait, later by the time since the last pass: that time does not count for its limit. */
export const stoodStill = ({ now, evidence: { passedAt = now } }: Passing, since: MonoMs): MonoMs =>
  monoMs(since + now - passedAt)
