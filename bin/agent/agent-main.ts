import process from 'node:process'
import manifest from '../../package.json' with { type: 'json' }
import { AGENT_HELP, type AgentOptions, agentOptions, MACHINE_ITSELF } from '../../src/agent/cli/agent-options.ts'
import { type AgentPorts, agentBeside } from '../../src/agent/io/agent-beside.ts'
import { openAgentCheckDoor } from '../../src/agent/io/agent-check-door.ts'
import { FileAgentStore } from '../../src/agent/io/file-agent-store.ts'
import { kubeGrantsFeed } from '../../src/agent/io/kube-grants-feed.ts'
import { kubeNodeFeed } from '../../src/agent/io/kube-node-feed.ts'
import { OwnProbes } from '../../src/agent/io/own-probes.ts'
import { ProcConnections } from '../../src/agent/io/proc-connections.ts'
import { TrackedConnections } from '../../src/agent/io/tracked-connections.ts'
import type { AgentBeside } from '../../src/agent/ports/agent-beside.ts'
import { Agent } from '../../src/agent/run/agent.ts'
import type { AgentStatus } from '../../src/agent/run/agent-status.ts'
import { ConnectionCount } from '../../src/agent/run/connection-count.ts'
import { dataPages } from '../../src/agent/run/data-pages.ts'
import { statusPages } from '../../src/agent/run/status-pages.ts'
import { takeOver } from '../../src/agent/run/take-over.ts'
import { ApiClient } from '../../src/ground/kube/api-client.ts'
import { ApiReach } from '../../src/ground/kube/api-reach.ts'
import { lineLog } from '../../src/ground/machine/line-log.ts'
import { ownAddresses } from '../../src/ground/machine/own-addresses.ts'
import { ownBootId } from '../../src/ground/machine/own-boot-id.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { systemTimers } from '../../src/ground/machine/system-timers.ts'
import { TcpDataPort } from '../../src/ground/machine/tcp-data-port.ts'
import { canonicalAddress } from '../../src/ground/model/ip-address.ts'
import { present } from '../../src/ground/model/present.ts'
import { openHttpDoor } from '../../src/ground/net/http-door.ts'
import type { DoorParts, OpenDoor } from '../../src/ground/net/open-door.ts'
import { apiCredentials } from '../process/api-credentials.ts'
import { ownNamespace, SERVICE_ACCOUNT } from '../process/own-namespace.ts'
import { untilStopped } from '../process/until-stopped.ts'
import { ingressAnswers } from './ingress-answers.ts'
import { runIngressPod } from './ingress-pod.ts'

/** How long the first answer of the API is waited for before checks are answered, where nothing is remembered. */
const FIRST_ANSWER_MS = 2_000

const log = lineLog(process.stderr, clock)

/** Runs until `stop`; 1 where another agent should go on instead. Rejects with UserError where it cannot begin. */
async function runAgent(options: AgentOptions, stop: AbortSignal): Promise<0 | 1> {
  const { node, port, statusPort, agentCheckPort, address, dialect } = options
  const bootId = (await ownBootId(stop)) ?? ''
  const { memoryDir, keepDir, dataPort } = options
  const probes = new OwnProbes(clock)
  const api = { client: await apiClient(options), reach: new ApiReach(clock), clock, random, log }
  const store = new FileAgentStore({ memoryDir, keepDir })
  if (options.ingressOnly !== undefined) return runIngressPod({ options, api, store, bootId }, stop)
  const namespace = await grantsNamespace(options)
  const doors: OpenDoor[] = []
  const own = () => doors.map((door) => door.port)
  const ingress = options.ingress ? ingressAnswers({ options, api, store, bootId, own }) : undefined
  const agent = new Agent({
    node,
    spec: { ...options, hasDataPort: dataPort !== undefined },
    feed: kubeNodeFeed(api, node),
    ...(namespace === undefined ? {} : { grants: kubeGrantsFeed(api, namespace) }),
    store,
    onDecision: (decision) => ingress?.watch.nodeAnswers(decision),
    checkers: { checkers: options.checkers, intervalMs: options.checkerIntervalMs },
    bootId,
    clock,
    log,
    ...(dataPort === undefined ? {} : { dataPort: asked(dataPort, options, probes) }),
  })
  await Promise.all([agent.begin(stop), ingress?.watch.begin(stop)])
  const at = (there: number): DoorParts => ({
    place: { ...present({ host: address }), reusePort: true, port: there },
    timers: systemTimers,
  })
  const running = Promise.all([agent.run(stop), ingress?.watch.run(stop)])
  const status = (): AgentStatus => ({
    ...agent.status(),
    ...(ingress === undefined ? {} : { ingress: ingress.status() }),
  })
  // The kubelet counts from the start of the process.
  const limitMs = options.takeoverLimitMs - performance.now()
  let other: AgentBeside | undefined
  const beside = async () => {
    other = await agentBeside(placesOf(options), clock, stop)
    return other
  }
  const begun = takeOver({ beside, status, limitMs, clock }, stop)
  if ((await Promise.race([begun, running])) === 'late') {
    const reasons = whyLate(status(), other)
    log.warn('not ready in time to replace the other agent, which goes on; see --takeover-limit', { node, reasons })
    return 1
  }
  await agent.takeOver(stop)
  ingress?.watch.takeOver()
  const isOpen = (): boolean => doors.length > 1 && (ingress?.ports.isSettled ?? true)
  const pages = { status, connections: counted(dataPort, probes), isOpen }
  doors.push(await openHttpDoor(at(statusPort), statusPages(pages)))
  await Promise.race([agent.known(FIRST_ANSWER_MS, stop), running])
  const answerTo = agent.asked.bind(agent)
  doors.push(await openHttpDoor(at(port), dataPages({ node, dialect, answerTo })))
  if (agentCheckPort !== undefined)
    doors.push(await openAgentCheckDoor(at(agentCheckPort), (caller) => agent.agentCheckLine(caller)))
  log.warn('the agent answers', { node, ports: doors.map((door) => door.port), dialect, grants: namespace ?? 'none' })
  try {
    await Promise.all([running, ingress?.ports.run(stop)])
    return 0
  } finally {
    // The last answer stays until the end: either the process that replaces this one answers already, or none should.
    await Promise.all([...doors.map((door) => door.close()), ingress?.ports.close()])
  }
}

const asked = (
  at: NonNullable<AgentOptions['dataPort']>,
  { dataEveryMs, fall, rise }: AgentOptions,
  probes: OwnProbes,
) => ({
  dataPort: new TcpDataPort((from) => probes.connectedFrom(from)),
  at,
  everyMs: dataEveryMs,
  limitMs: dataEveryMs,
  fall,
  rise,
})

function placesOf({ node, port, statusPort, agentCheckPort, address }: AgentOptions): AgentPorts {
  const ports = { node, port, statusPort }
  return {
    ...ports,
    ...present({ agentCheckPort, host: address }),
  }
}

/** What the agent does not know of its node, or why its answer differs from that of the other agent. */
function whyLate(status: AgentStatus, other: AgentBeside | undefined): readonly string[] {
  const { heard, isKeptKnown, isDataPortAsked, decision, trouble, ingress } = status
  const missing = [
    ...(other?.silentPort === undefined ? [] : [`the process on port ${other.silentPort} does not answer as an agent`]),
    ...(heard ? [] : ['the API server has not shown the node']),
    ...((ingress?.heard ?? true) ? [] : ['the API server has not shown the IngressDaemonSets of the node']),
    ...(isDataPortAsked ? [] : ['its data port was not asked often enough']),
    ...(isKeptKnown ? [] : ['the disk cannot be read, so a request may be kept there', ...trouble]),
  ]
  return missing.length > 0 ? missing : decision.reasons.map(({ text }) => text)
}

/** Without an address the agent asks the machine itself, which does not show where clients connect. */
function counted(at: AgentOptions['dataPort'], probes: OwnProbes): () => Promise<number | undefined> {
  if (at === undefined) return async () => undefined
  const { port, address } = at
  const isOwn = probes.has.bind(probes)
  const place = address === MACHINE_ITSELF ? { port } : { port, address: canonicalAddress(address) }
  const sockets = new ProcConnections({ ...place, isOwn })
  const tracked = new TrackedConnections({
    port,
    isOwn,
    lastOwnPorts: () => probes.lastPorts(),
    addresses: ownAddresses,
    clock,
  })
  const count = new ConnectionCount({ sockets, tracked, clock })
  return () => count.now()
}

/** Outside of a pod the namespace is not known. */
const grantsNamespace = async (options: AgentOptions): Promise<string | undefined> =>
  options.grantsNamespace ??
  (options.kubeconfig === undefined ? await ownNamespace(SERVICE_ACCOUNT, 'AGENT_OPTIONS') : undefined)

async function apiClient({ kubeconfig }: AgentOptions): Promise<ApiClient> {
  return new ApiClient({
    credentials: await apiCredentials(kubeconfig, 'AGENT_OPTIONS'),
    clock,
    userAgent: `evenkeel-agent/${manifest.version}`,
  })
}

/** Exit code 0 once it was stopped, 1 for a failure at its start, 2 for wrong options. */
export function agentMain(args: readonly string[]): Promise<number> {
  return untilStopped(async (signal) => {
    const options = agentOptions(args, process.env)
    if (options === undefined) {
      process.stdout.write(AGENT_HELP)
      return 0
    }
    return runAgent(options, signal)
  })
}
