import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiPort, hubAddress, nodeAddress, nodeNames, nodesMax } from './addresses.ts'
import { ensureBuilt } from './build.ts'
import { removeBedCgroups } from './machine/cgroups.ts'
import { findCommand } from './machine/find-command.ts'
import type { RunResult } from './machine/run.ts'
import { waitFor } from './machine/wait-for.ts'
import { type HaproxyHandle, startHaproxy } from './owner/haproxy-handle.ts'
import { Identities, type KubeconfigPair, type TokenOptions, type UserOptions } from './owner/identities.ts'
import { type Kubectl, kubectlFor, manifestText } from './owner/kubectl.ts'
import { type RackProcess, startRack } from './owner/rack-process.ts'
import { type BedFolders, registerBed, removeBed, sweepDeadBeds } from './owner/registry.ts'
import { openRelay, type Relay } from './owner/relay.ts'
import { kubeconfig } from './pki/kubeconfig.ts'
import { insideKubeconfigPath, readAuthority, readPair } from './rack/credentials.ts'
import { haproxySocket } from './rack/haproxy.ts'
import { auditLogPath, controlSocket, type RackPlan, type Stacked, stackedNodes, type Taint } from './rack/plan.ts'
import { sshConfigPath } from './rack/ssh-access.ts'
import { apiBalancer } from './rack/stacked/api-balancer.ts'
import { cniFolder, missingForUp } from './requirements.ts'
import { type ControlClient, connectControl } from './wire/control-client.ts'
import type { Ask } from './wire/operations.ts'

interface BedOptions {
  /** Defaults to 3. */
  readonly nodes?: number
  /** No nodes at all: etcd, API server, controller manager and scheduler alone. */
  readonly controlPlaneOnly?: boolean
  /** Kubelets say more often that they live, and a node that falls silent is NotReady after 10 s, not 50 s. */
  readonly fast?: boolean
  /** How long a node may be silent before it is NotReady (node-monitor-grace-period), where not as `fast` has it. */
  readonly monitorGraceSeconds?: number
  /** How long a node that reboots stays dark; defaults to 500. */
  readonly darkMs?: number
  /** Taints that every node registers with. */
  readonly workerTaints?: readonly Taint[]
  /**
   * The first three nodes carry the control plane in static pods, as kubeadm makes them, with three members of etcd; a HAProxy at
   * the API's address leads to their API servers. `tainted`: with kubeadm's taint, so that other pods need other nodes.
   */
  readonly stacked?: Stacked
  /** CoreDNS; defaults to true where there are nodes. */
  readonly addons?: boolean
  /** Defaults to a name that no other bed has. */
  readonly name?: string
  /** Hears how a build goes on, where one is needed. */
  readonly say?: (line: string) => void
}

const READY_LIMIT_MS = 90_000
let bedsOpened = 0

/**
 * Brings a cluster up and resolves when it is Ready. It lives in namespaces of its own, no longer than this process, and
 * any number of beds live side by side. Throws one line where this machine cannot carry a bed.
 */
export async function openBed(options: BedOptions = {}): Promise<Bed> {
  const [lacking] = missingForUp()
  if (lacking !== undefined) throw new Error(lacking)
  const withNodes = options.controlPlaneOnly !== true
  const names = withNodes ? nodeNames(Math.min(options.nodes ?? 3, nodesMax)) : []
  if (options.stacked !== undefined) mustCarryStacked(names)
  sweepDeadBeds()
  const build = await ensureBuilt(options.say ?? (() => undefined), withNodes)
  bedsOpened += 1
  const name = options.name ?? `${process.pid}-${bedsOpened}`
  const folders = registerBed(name)
  const plan: RackPlan = {
    name,
    ...folders,
    programs: build.programs,
    ...(build.imageStore === undefined
      ? {}
      : { nodeParts: { imageStore: build.imageStore, cniFolder: cniFolder() ?? '' } }),
    nodes: names,
    taints: options.workerTaints ?? [],
    ...(options.stacked === undefined ? {} : { stacked: options.stacked }),
    addons: withNodes && options.addons !== false,
    fast: options.fast === true,
    monitorGraceSeconds: options.monitorGraceSeconds ?? (options.fast === true ? 10 : 50),
    darkMs: options.darkMs ?? 500,
  }
  return await bringUp(plan, folders)
}

function mustCarryStacked(nodes: readonly string[]): void {
  if (nodes.length < stackedNodes)
    throw new Error(`a stacked control plane needs ${stackedNodes} nodes, and the bed has ${nodes.length}`)
  if (findCommand('haproxy') === undefined)
    throw new Error('a stacked control plane needs one more package: apt-get install haproxy')
}

async function bringUp(plan: RackPlan, folders: BedFolders): Promise<Bed> {
  const undo: (() => Promise<void>)[] = [() => clear(plan.name, folders.disk)]
  try {
    const rack = await startRack(plan)
    undo.unshift(rack.end)
    const client = await connectControl(controlSocket(plan.runtime), rack.whyGone)
    await client.ask('up', {})
    const apiRelay = await openRelay(await client.ask('passage', { host: hubAddress, port: apiPort }))
    return new Bed({ plan, rack, client, apiRelay })
  } catch (error) {
    for (const step of undo) await step()
    throw error
  }
}

/** The processes are dead; their cgroups are empty as soon as the kernel has noticed. */
async function clear(name: string, disk: string): Promise<void> {
  const wait = { what: `the cgroups of the bed ${name} to empty`, limitMs: 10_000, everyMs: 20 }
  await waitFor(wait, () => (removeBedCgroups(name) ? true : undefined))
  removeBed(name, disk)
}

interface BedParts {
  readonly plan: RackPlan
  readonly rack: RackProcess
  readonly client: ControlClient
  readonly apiRelay: Relay
}

/** A cluster that is up. Names of nodes are n1, n2, … */
export class Bed {
  readonly name: string
  /** Everything of the bed that lies on disk; `log/` and `nodes/NAME/log/` hold the logs. */
  readonly dir: string
  readonly nodes: readonly string[]
  /** The administrator's kubeconfig for programs on the machine; the server is a port of the machine's loopback. */
  readonly kubeconfig: string
  /** The same for programs within the bed's network. */
  readonly insideKubeconfig: string
  /** An ssh configuration that knows n1, n2, …, for use within the bed's network. */
  readonly sshConfig: string
  /**
   * One JSON line per request of any client but the cluster's own components (audit.k8s.io/v1 Event, level Metadata). A
   * stacked bed has no such file: each API server writes its own, `nodes/NAME/log/kubernetes/audit.log` in `dir`.
   */
  readonly auditLog: string
  /** The Runtime API's socket of the HAProxy that leads to the API servers of a stacked bed. */
  readonly apiBalancerSocket: string
  readonly kubectl: Kubectl
  readonly #ask: Ask
  readonly #parts: BedParts
  readonly #relays: Relay[]
  readonly #identities: Identities

  constructor(parts: BedParts) {
    const { plan, client, apiRelay } = parts
    this.#parts = parts
    this.#ask = client.ask
    this.#relays = [apiRelay]
    this.name = plan.name
    this.dir = plan.disk
    this.nodes = plan.nodes
    this.insideKubeconfig = insideKubeconfigPath(plan.disk)
    this.sshConfig = sshConfigPath(plan.disk)
    this.auditLog = auditLogPath(plan.disk)
    this.apiBalancerSocket = haproxySocket(plan.runtime, apiBalancer)
    const outsideServer = `https://127.0.0.1:${apiRelay.port}`
    this.kubeconfig = join(plan.disk, 'kubeconfig')
    const authorityPem = readAuthority(plan.disk).certificatePem
    const user = readPair(plan.disk, 'admin')
    writeFileSync(this.kubeconfig, kubeconfig({ server: outsideServer, authorityPem, user }), { mode: 0o600 })
    this.kubectl = kubectlFor({ programs: plan.programs, kubeconfig: this.kubeconfig, disk: plan.disk })
    this.#identities = new Identities({ disk: plan.disk, outsideServer, kubectl: this.kubectl })
  }

  /** The command that runs a program within the bed's network, and in nothing else of the bed. */
  enter(argv: readonly string[]): readonly string[] {
    return ['nsenter', `--net=${this.network}`, '--', ...argv]
  }

  /** The network that joins the nodes, as a file of this machine. */
  get network(): string {
    return `/proc/${this.#parts.rack.pid}/ns/net`
  }

  async apply(manifest: string | readonly object[]): Promise<void> {
    await this.kubectl(['apply', '-f', '-'], { stdin: manifestText(manifest) })
  }

  /** Resolves once the API server serves these definitions. `kubectl wait` fails where one has no conditions yet. */
  async established(definitions: readonly string[]): Promise<void> {
    const wait = ['wait', '--for=condition=Established', ...definitions, '--timeout=30s']
    await waitFor({ what: `${definitions.join(', ')} to be established`, limitMs: 60_000 }, () =>
      this.kubectl(wait).then(
        () => true,
        () => undefined,
      ),
    )
  }

  nodeAddress(node: string): string {
    return nodeAddress(node)
  }

  /** The id of the node's present boot (or last one, where it is off), from the machine and not from the API. */
  bootId(node: string): Promise<string> {
    return this.#ask('bootId', { node })
  }

  /** Reboots as `systemctl reboot` would, or by a power cycle; resolves when the next boot has begun, long before Ready. */
  async reboot(node: string, options: { readonly hard?: boolean } = {}): Promise<void> {
    await this.#ask('reboot', { node, hard: options.hard === true })
  }

  /** Cuts the power; resolves when nothing of the node is left. */
  async powerOff(node: string): Promise<void> {
    await this.#ask('powerOff', { node })
  }

  /** Resolves when the boot has begun, long before Ready. */
  async powerOn(node: string): Promise<void> {
    await this.#ask('powerOn', { node })
  }

  /** How long the node stays dark at its next reboots. */
  async setDarkMs(node: string, darkMs: number): Promise<void> {
    await this.#ask('setDarkMs', { node, darkMs })
  }

  /** Pulls the network cable; the node lives on. */
  async unplug(node: string): Promise<void> {
    await this.#ask('setPlugged', { node, plugged: false })
  }

  async plug(node: string): Promise<void> {
    await this.#ask('setPlugged', { node, plugged: true })
  }

  /** Runs a program on the node as its root. */
  exec(node: string, argv: readonly string[], stdin?: string): Promise<RunResult> {
    return this.#ask('exec', stdin === undefined ? { node, argv } : { node, argv, stdin })
  }

  /**
   * The API server alone: stopped or killed and started again on the same store. `start` resolves when it is ready. A stacked bed
   * has three, and refuses.
   */
  readonly api = {
    stop: async (): Promise<void> => void (await this.#ask('api', { action: 'stop' })),
    kill: async (): Promise<void> => void (await this.#ask('api', { action: 'kill' })),
    start: async (): Promise<void> => void (await this.#ask('api', { action: 'start' })),
  }

  /** Kubeconfigs of a new user by client certificate. */
  userKubeconfig(name: string, options?: UserOptions): Promise<KubeconfigPair> {
    return Promise.resolve(this.#identities.user(name, options))
  }

  /** Kubeconfigs of a ServiceAccount that exists, with a token. */
  serviceAccountKubeconfig(namespace: string, name: string, options?: TokenOptions): Promise<KubeconfigPair> {
    return this.#identities.serviceAccount(namespace, name, options)
  }

  /** Starts a HAProxy within the bed; `@SOCKET@` in the configuration becomes the path of its Runtime API's socket. */
  haproxy(config: string, options: { readonly name?: string } = {}): Promise<HaproxyHandle> {
    return startHaproxy(this.#ask, options.name ?? 'haproxy', config)
  }

  /** Opens a port on the machine's loopback that leads to an address within the bed. */
  async relay(insideHost: string, insidePort: number): Promise<{ readonly port: number }> {
    const relay = await openRelay(await this.#ask('passage', { host: insideHost, port: insidePort }))
    this.#relays.push(relay)
    return { port: relay.port }
  }

  /** Waits until the API shows every powered node Ready in its present boot, and CoreDNS available. */
  async waitReady(limitMs = READY_LIMIT_MS): Promise<void> {
    await this.#ask('waitReady', { limitMs })
  }

  /** Resolves when the bed is gone, by `close` or by itself. */
  get ended(): Promise<void> {
    return this.#parts.rack.ended
  }

  /** Ends the bed and removes what it has on this machine. */
  async close(): Promise<void> {
    for (const relay of this.#relays) relay.close()
    this.#parts.client.close()
    await this.#parts.rack.end()
    await clear(this.name, this.dir)
  }
}
