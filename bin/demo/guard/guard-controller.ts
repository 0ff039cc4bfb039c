import { hostname } from 'node:os'
import type { FollowParts } from '../../../src/ground/kube/follow.ts'
import { kubeLeaderLease } from '../../../src/ground/kube/kube-leader-lease.ts'
import { Leader } from '../../../src/ground/loop/leader.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { GuardLoop } from '../../../src/guard/run/guard-loop.ts'
import { openGuardLoop } from '../../controller/open-guard-loop.ts'
import { QUIET } from '../ingress/quiet.ts'

const NAMESPACE = 'evenkeel'
/** The default of `evenkeel controller`. */
const LEASE_MS = 15_000

/** `evenkeel controller --guard`, in this process, until aborted: then it rejects with the reason of the signal. */
export async function guardController({ client, reach }: FollowParts, signal: AbortSignal): Promise<never> {
  const identity = `${hostname()}_${random.hex(6)}`
  const lease = { namespace: NAMESPACE, name: 'evenkeel-controller' }
  const leader: Leader = new Leader({
    ...{ cluster: kubeLeaderLease(client), clock, random, lease, identity, durationMs: LEASE_MS },
    onChange: () => loop.wake(),
  })
  const loop: GuardLoop = openGuardLoop({
    ...{ client, reach, leader, identity, lease, log: QUIET },
    options: { grantsNamespace: NAMESPACE },
    guard: { slotsNamespace: NAMESPACE },
  })
  const led = async (): Promise<never> => {
    const { text } = await leader.run(signal)
    throw new WorldError(`the controller leads no more: ${text}`, { code: 'DEMO_CONTROLLER', retry: 'never' })
  }
  await Promise.all([loop.run(signal), led()])
  throw signal.reason
}
