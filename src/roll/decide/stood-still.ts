import { type MonoMs, monoMs } from '../../ground/model/time.ts'
import { type AnySnapshot, isOfMachine } from './subject.ts'

interface Passing {
  readonly now: MonoMs
  readonly evidence: { readonly passedAt?: MonoMs }
}

/** The beginning of a wait, later by the time since the last pass: that time does not count for its limit. */
export const stoodStill = ({ now, evidence: { passedAt = now } }: Passing, since: MonoMs): MonoMs =>
  monoMs(since + now - passedAt)

/** Nothing can be known of the cluster, and nothing be done to it. */
export const isUnheard = (s: AnySnapshot): boolean => (isOfMachine(s) ? s.clusterUnknown : s.cluster.staleForMs > 0)

/** These waits go on from where they were once the API server is back: none of them ends while it is away. */
export function pausedUnheard<Key extends string>(
  s: AnySnapshot & Passing,
  sinces: Readonly<Partial<Record<Key, MonoMs | undefined>>>,
): Partial<Record<Key, MonoMs>> {
  if (!isUnheard(s)) return {}
  const known = Object.entries<MonoMs | undefined>(sinces).flatMap(([key, since]) =>
    since === undefined ? [] : [[key, stoodStill(s, since)] as const],
  )
  return Object.fromEntries(known) as Partial<Record<Key, MonoMs>>
}

/** While it serves, the attach is waited for no longer. The time while the API server is away was taken off already. */
export function attachStandsStill(s: AnySnapshot & Passing, evidence: AttachWait): Pick<AttachWait, 'attachDueSince'> {
  const { attachingSince = s.now, attachDueSince = attachingSince } = evidence
  return { attachDueSince: isUnheard(s) ? attachDueSince : stoodStill(s, attachDueSince) }
}

interface AttachWait {
  readonly attachingSince?: MonoMs
  readonly attachDueSince?: MonoMs | undefined
}
