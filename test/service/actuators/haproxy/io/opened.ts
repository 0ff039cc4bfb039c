import type { TestContext } from 'node:test'
import { systemClock } from '../../../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../../../src/ground/machine/system-random.ts'
import type { Clock } from '../../../../../src/ground/ports/clock.ts'
import { HaproxyBalancer } from '../../../../../src/service/actuators/haproxy/io/haproxy-balancer.ts'
import type { SocketLimits } from '../../../../../src/service/actuators/haproxy/io/runtime-socket.ts'
import type { ServerReading, ServerRef } from '../../../../../src/service/model/balancer.ts'
import type { InstanceAddress } from '../../../../../src/service/model/balancer-spec.ts'
import { waitFor } from '../../../../../testbed/machine/wait-for.ts'

export const never = new AbortController().signal

interface Opening {
  readonly address: InstanceAddress
  readonly masterSocket?: string
  readonly backends: readonly string[]
  readonly limits?: SocketLimits
  readonly sshConfigFile?: string
  readonly clock?: Clock
}

/** A balancer `edge` with the one instance `lb-1`. */
export function opened(t: TestContext, { address, masterSocket, backends, ...more }: Opening): HaproxyBalancer {
  const instances = [{ name: 'lb-1', address, ...(masterSocket === undefined ? {} : { masterSocket }) }]
  const balancer = new HaproxyBalancer({
    clock: systemClock,
    random: systemRandom,
    spec: { name: 'edge', instances, backends },
    ...more,
  })
  t.after(() => balancer.close())
  return balancer
}

/** `web/a` as a server of `lb-1`. */
export function ref(path: string): ServerRef {
  const [backend = '', server = ''] = path.split('/')
  return { instance: 'lb-1', backend, server }
}

export async function serverOf(balancer: HaproxyBalancer, path: string): Promise<ServerReading> {
  const { servers } = await balancer.read('lb-1', never)
  const found = servers.find((server) => `${server.ref.backend}/${server.ref.server}` === path)
  if (found === undefined) throw new Error(`${path} is not among ${servers.map((it) => it.ref.server).join(', ')}`)
  return found
}

/** Reads until the server is as wanted. */
export function serverOnce(
  balancer: HaproxyBalancer,
  path: string,
  isWanted: (server: ServerReading) => boolean,
): Promise<ServerReading> {
  let last = ''
  return waitFor({ what: `${path} to be as wanted`, limitMs: 10_000, everyMs: 20, explain: () => last }, async () => {
    const server = await serverOf(balancer, path)
    last = JSON.stringify(server)
    return isWanted(server) ? server : undefined
  })
}
