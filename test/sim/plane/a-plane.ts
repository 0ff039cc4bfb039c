import type { Destination, Network } from '../../../src/sim/network/network.ts'
import type { AppBehaviour } from '../../../src/sim/plane/app-behaviour.ts'
import type { PodProcess } from '../../../src/sim/plane/data-plane.ts'
import { VirtualDataPlane } from '../../../src/sim/plane/virtual-data-plane.ts'
import { aNetwork } from '../network/a-network.ts'

const NODES = ['n1', 'n2', 'n3'] as const
export const NODE_PORT = 30_080
export const GRACEFUL: AppBehaviour = { startMs: 0, stop: 'graceful', graceMs: 3_000, answerMs: 0 }
export const IMMEDIATE: AppBehaviour = { ...GRACEFUL, stop: 'immediate' }

export const addressOf = (node: string): string => `10.77.0.1${node.slice(1)}`

/** Three nodes, five pods on them in turn, and rules on each node that lead to all five. */
export function aPlane(app: AppBehaviour = GRACEFUL) {
  const parts = aNetwork('plane')
  const { network, time, random } = parts
  const plane = new VirtualDataPlane({ network, timers: time, random: random.fork('plane') })
  for (const node of NODES) plane.addNode(node, addressOf(node))
  const start = (name: string, node: string): PodProcess =>
    plane.startPod({ uid: name, name, namespace: 'default', node, port: 8_080, app })
  const pods = new Map<string, PodProcess>()
  for (const [i, name] of ['p1', 'p2', 'p3', 'p4', 'p5'].entries()) pods.set(name, start(name, NODES[i % 3] ?? 'n1'))
  const offer = (names: readonly string[]): void => {
    for (const node of NODES) plane.setRules(node, [{ nodePort: NODE_PORT, endpoints: names.map(endpoint) }])
  }
  const pod = (name: string): PodProcess => {
    const found = pods.get(name)
    if (found === undefined) throw new Error(`no pod ${name}`)
    return found
  }
  const endpoint = (name: string): Destination => ({ host: pod(name).address, port: 8_080 })
  offer([...pods.keys()])
  return { ...parts, plane, start, pod, offer, endpoint }
}

export type Plane = ReturnType<typeof aPlane>

interface Asking {
  readonly network: Network
  readonly time: Plane['time']
}

/** One request over a connection of its own, heard within two seconds: the body of the answer, or what became of the request. */
export async function askedAt({ network, time }: Asking, to: Destination, path = '/'): Promise<string> {
  let heard = 'no answer'
  network.dial(to, (dialled) => {
    if (dialled.kind !== 'open') heard = dialled.kind
    else dialled.connection.send({ path }, (reply) => (heard = reply === 'broken' ? reply : reply.body.trim()))
  })
  await time.advance(2_000)
  return heard
}
