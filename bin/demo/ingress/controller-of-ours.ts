import { hostname } from 'node:os'
import type { FollowParts } from '../../../src/ground/kube/follow.ts'
import { kubeLeaderLease } from '../../../src/ground/kube/kube-leader-lease.ts'
import { Leader } from '../../../src/ground/loop/leader.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { IngressLoop } from '../../../src/ingress/run/ingress-loop.ts'
import { askAgent } from '../../../src/service/actuators/agent/io/ask-agent.ts'
import type { LoopbackNet } from '../../../src/sim/loopback/loopback-net.ts'
import { openIngressLoop } from '../../controller/open-ingress-loop.ts'
import { QUIET } from './quiet.ts'

const NAMESPACE = 'evenkeel'
/** The default of `evenkeel controller`. */
const LEASE_MS = 15_000

interface ControllerPlace {
  readonly api: FollowParts
  readonly net: LoopbackNet
  readonly agentPort: number
}

/** `evenkeel controller --ingress`, in this process, until aborted: then it rejects with the reason of the signal. */
export async function controllerOfOurs(
  { api: { client, reach }, net, agentPort }: ControllerPlace,
  signal: AbortSignal,
): Promise<void> {
  const identity = `${hostname()}_${random.hex(6)}`
  const lease = { namespace: NAMESPACE, name: 'evenkeel-controller' }
  const leader: Leader = new Leader({
    ...{ cluster: kubeLeaderLease(client), clock, random, lease, identity, durationMs: LEASE_MS },
    onChange: () => loop.wake(),
  })
  const loop: IngressLoop = openIngressLoop({
    ...{ client, reach, leader, identity, lease, log: QUIET },
    options: { grantsNamespace: NAMESPACE },
    ingress: { groups: ['evenkeel.dev'], slotsNamespace: NAMESPACE, agentPort },
    askAgent: async ({ address, port }, limited) => {
      const at = net.locate({ host: address, port })
      return at === undefined ? { error: 'refused' } : askAgent({ address: at.host, port: at.port }, limited)
    },
  })
  const led = async (): Promise<never> => {
    const { text } = await leader.run(signal)
    throw new WorldError(`the controller leads no more: ${text}`, { code: 'DEMO_CONTROLLER', retry: 'never' })
  }
  await Promise.all([loop.run(signal), led()])
}
