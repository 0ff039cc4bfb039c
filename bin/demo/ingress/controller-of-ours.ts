import { hostname } from 'node:os'
import { askAgent } from '../../../src/adapters/http/ask-agent.ts'
import type { FollowParts } from '../../../src/adapters/kube/follow.ts'
import { kubeLeaderLease } from '../../../src/adapters/kube/kube-leader-lease.ts'
import { systemClock as clock } from '../../../src/adapters/node/system-clock.ts'
import { systemRandom as random } from '../../../src/adapters/node/system-random.ts'
import type { IngressLoop } from '../../../src/controllers/ingress/ingress-loop.ts'
import { WorldError } from '../../../src/model/world-error.ts'
import { Leader } from '../../../src/runtime/leader.ts'
import type { LoopbackNet } from '../../../src/sim/loopback/loopback-net.ts'
import { openIngressLoop } from '../../controller/open-ingress-loop.ts'
import { QUIET } from './quiet.ts'

const NAMESPACE = 'evenkeel'
/** As `evenkeel controller` has it where nothing else is said. */
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
