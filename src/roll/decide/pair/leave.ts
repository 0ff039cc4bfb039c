import type { Reason } from '../../../ground/model/reason.ts'
import { journalWritable } from '../guards.ts'
import { beforeLeaving, beforeReboot } from '../requests.ts'
import { actOn, atStep, type HostDecision, holdAt } from './host-decision.ts'
import { mayLeave, othersCarry, pairWhole } from './host-guards.ts'
import { recordOfHost } from './host-memory.ts'
import type { HostSnapshot } from './host-snapshot.ts'
import { addressesHere, addressFaults, silentMachines } from './pair-state.ts'

const TRY_AGAIN_MS = 5000

/**
 * Before the reboot: the addresses go to another machine, and what is connected here ends.
 *
 * Law: a machine is rebooted only once its virtual addresses were seen on another machine, and on it no more.
 */
export function leave(s: HostSnapshot): HostDecision {
  const { memory, evidence, host } = s
  if (memory.isAway !== true) {
    const against = [...mayLeave(s), ...pairWhole(s)]
    return against.length > 0 ? holdAt('detach', against) : (atStep('detach', beforeLeaving(s)) ?? moveAway(s))
  }
  const { moved } = evidence
  if (moved?.to !== 'away') return moveAway(s)
  if (moved.error !== undefined)
    return s.now - moved.at < TRY_AGAIN_MS ? holdAt('detach', [moveFailed(s, moved.error)]) : moveAway(s)
  const unseen = silentMachines(s, moved.at)
  if (unseen.length > 0) return holdAt('detach', unseen)
  const notAway = stillHere(s)
  if (notAway.length > 0) return holdAt('detach', notAway)
  const left = connectionsLeft(s)
  if (left !== undefined) return holdAt('detach', [left])
  const against = [...mayLeave(s), ...othersCarry(s)]
  if (against.length > 0) return holdAt('detach', against)
  const text = `the addresses of ${s.pair.name} are on another machine, and ${endedText(s)}`
  const reason: Reason = { code: 'HostIsOut', object: host.name, text }
  return (
    atStep('reboot', beforeReboot(s)) ??
    actOn('reboot', { kind: 'reboot', bootId: recordOfHost(memory).bootId }, reason)
  )
}

/** Its addresses, as they were read last. Empty: they are where they are to be. */
export function stillHere(s: HostSnapshot): readonly Reason[] {
  const faults = addressFaults(s)
  return faults.length > 0 ? faults : addressesHere(s)
}

export const isAwayNow = (s: HostSnapshot): boolean =>
  s.memory.isAway === true &&
  s.evidence.moved?.to === 'away' &&
  s.evidence.moved.error === undefined &&
  silentMachines(s, s.evidence.moved.at).length === 0 &&
  stillHere(s).length === 0

function connectionsLeft(s: HostSnapshot): Reason | undefined {
  const { connections, evidence, pair, host, now } = s
  const isNews = connections !== undefined && connections.askedAt >= (evidence.awaySince ?? Number.POSITIVE_INFINITY)
  if (isNews && connections.count === 0) return undefined
  if (now - (evidence.awaySince ?? now) >= pair.connectionsLimitMs) return undefined
  if (!isNews)
    return {
      code: 'HostConnectionsLeft',
      object: host.name,
      text: `the connections to ${host.name} are not counted yet`,
    }
  const text = `${connections.count} connections to ${host.name} are left`
  return { code: 'HostConnectionsLeft', object: host.name, text }
}

function endedText({ connections, host }: HostSnapshot): string {
  if (connections?.count === 0) return `no connection to ${host.name} is left`
  return `the limit for connections to ${host.name} is over (${connections?.count ?? 'an unknown number'} left)`
}

/** Also where it is said once more: an act that the journal refuses would have neither a reason nor a limit. */
export function moveAway(s: HostSnapshot): HostDecision {
  const { pair, host } = s
  const unwritten = journalWritable(s)
  if (unwritten.length > 0) return holdAt('detach', unwritten)
  const text = `${pair.addresses.join(', ')} is to be on another machine than ${host.name}`
  return actOn('detach', { kind: 'moveAway' }, { code: 'AddressesToMove', object: host.name, text })
}

export const moveFailed = ({ host }: HostSnapshot, error: string): Reason => ({
  code: 'MoveFailed',
  object: host.name,
  text: `the command that moves the addresses of ${host.name} failed: ${error}`,
})
