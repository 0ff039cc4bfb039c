import { join } from 'node:path'
import { FileAgentStore } from '../../../src/agent/io/file-agent-store.ts'
import { kubeNodeFeed } from '../../../src/agent/io/kube-node-feed.ts'
import { Agent } from '../../../src/agent/run/agent.ts'
import { dataPages } from '../../../src/agent/run/data-pages.ts'
import { statusPages } from '../../../src/agent/run/status-pages.ts'
import type { FollowParts } from '../../../src/ground/kube/follow.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemTimers as timers } from '../../../src/ground/machine/system-timers.ts'
import { TcpDataPort } from '../../../src/ground/machine/tcp-data-port.ts'
import { openHttpDoor } from '../../../src/ground/net/http-door.ts'
import type { OpenDoor } from '../../../src/ground/net/open-door.ts'
import type { DataPort } from '../../../src/ground/ports/data-port.ts'
import type { PageOf } from '../../../src/ground/ports/http-door.ts'
import type { EmbeddedCluster } from '../../../src/sim/loopback/embedded-cluster.ts'
import type { LoopbackNet } from '../../../src/sim/loopback/loopback-net.ts'
import { QUIET } from './quiet.ts'
import type { RolloutPorts } from './rollout-workloads.ts'

interface AgentPlace {
  readonly cluster: EmbeddedCluster
  readonly net: LoopbackNet
  readonly api: FollowParts
  readonly node: { readonly name: string; readonly address: string }
  readonly ports: RolloutPorts
  /** Private to the demo. */
  readonly folder: string
}

interface NodeAgent {
  /** Rejects only with the reason of the signal. */
  readonly running: Promise<void>
  close(): Promise<void>
}

/** A closed port refuses at once; a busy machine answers late. */
const DATA_PORT = { everyMs: 200, limitMs: 2_000, fall: 3, rise: 1 }

/** `evenkeel agent --node NAME --data-port PORT`, in this process: the same agent, on the address of the node. */
export async function openNodeAgent(place: AgentPlace, signal: AbortSignal): Promise<NodeAgent> {
  const { cluster, net, api, node, ports, folder } = place
  const directory = join(folder, node.name)
  const agent = new Agent({
    node: node.name,
    spec: { cordonGraceMs: 0, upDelayMs: 0, hasDataPort: true },
    checkers: { checkers: {}, intervalMs: 1_000 },
    feed: kubeNodeFeed(api, node.name),
    store: new FileAgentStore({ memoryDir: directory, keepDir: directory }),
    bootId: cluster.machines.get(node.name)?.bootId ?? '',
    dataPort: { dataPort: locatedDataPort(net), at: { address: node.address, port: ports.node }, ...DATA_PORT },
    clock,
    log: QUIET,
  })
  await agent.begin(signal)
  const running = agent.run(signal)
  running.catch(() => undefined)
  await agent.takeOver(signal)
  const status = agent.status.bind(agent)
  const pages = { status, connections: async () => undefined, isOpen: () => true }
  const doors = [
    await openAt(place, ports.agentStatus, statusPages(pages)),
    await openAt(
      place,
      ports.agent,
      dataPages({ node: node.name, dialect: 'plain', answerTo: agent.asked.bind(agent) }),
    ),
  ]
  return { running, close: async () => void (await Promise.all(doors.map((door) => door.close()))) }
}

async function openAt({ cluster, net, node }: AgentPlace, port: number, pages: PageOf): Promise<OpenDoor> {
  const at = { host: node.address, port }
  const door = await openHttpDoor({ place: net.placeOf(at), timers }, pages)
  net.listens(at, door.port)
  cluster.plane.addOwnPort(node.name, port)
  return door
}

/** If nodes are ports of 127.0.0.1, a node port has another port each time that it opens. */
function locatedDataPort(net: LoopbackNet): DataPort {
  const real = new TcpDataPort()
  return {
    answers: async ({ address, port }, signal) => {
      const at = net.locate({ host: address, port })
      return at !== undefined && real.answers({ address: at.host, port: at.port }, signal)
    },
  }
}
