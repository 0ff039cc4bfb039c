import { gatesHold } from '../gates/gates-hold.ts'
import { type HostDecision, holdAt } from './host-decision.ts'
import type { HostSnapshot } from './host-snapshot.ts'

/** Before its record, and once more before its addresses leave. */
export function beforeHost(s: HostSnapshot, step: 'record' | 'detach'): HostDecision | undefined {
  const gates = gatesHold(s, 'node')
  return gates.length > 0 ? holdAt(step, gates) : undefined
}

/** Its addresses are away, and nothing else stands against its reboot. */
export function beforeReboot(s: HostSnapshot): HostDecision | undefined {
  const gates = gatesHold(s, 'reboot')
  return gates.length > 0 ? holdAt('reboot', gates) : undefined
}

/** It is as before in all but its addresses. */
export function beforeAttach(s: HostSnapshot): HostDecision | undefined {
  const gates = gatesHold(s, 'attach')
  return gates.length > 0 ? holdAt('settle', gates) : undefined
}
