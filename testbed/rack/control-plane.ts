import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hubAddress } from '../addresses.ts'
import { logTail } from '../machine/log-tail.ts'
import { waitFor } from '../machine/wait-for.ts'
import type { ApiClient } from './api-client.ts'
import { auditPolicy } from './audit-policy.ts'
import { type Component, startComponent } from './component.ts'
import { apiServerFlags, controllerManagerFlags } from './component-flags.ts'
import { credentialsFolder } from './credentials.ts'
import { keepRunning } from './keep-running.ts'
import { auditLogPath, logPath, type RackPlan } from './plan.ts'

/** Watches of kubelets hold a polite stop up for many seconds; the store is a scratch one. */
const STOP_LIMIT_MS = 1_500
const READY_LIMIT_MS = 60_000
const ETCD = 'http://127.0.0.1:2379'
const ETCD_PEER = 'http://127.0.0.1:2380'

/** etcd, API server, controller manager and scheduler of a bed that has them beside its nodes. */
export class ControlPlane {
  readonly #plan: RackPlan
  readonly #api: ApiClient
  #etcd: Component | undefined
  #server: Component | undefined

  constructor(plan: RackPlan, api: ApiClient) {
    this.#plan = plan
    this.#api = api
  }

  async start(): Promise<void> {
    mkdirSync(join(this.#plan.disk, 'etcd'), { recursive: true, mode: 0o700 })
    writeFileSync(this.#auditPolicyPath(), JSON.stringify(auditPolicy))
    this.#etcd = this.#part('etcd', etcdFlags(this.#plan.disk))
    await this.startServer()
    keepRunning(() => this.#part('kube-controller-manager', this.#controllerManagerFlags()))
    keepRunning(() => this.#part('kube-scheduler', [...signIn(this.#plan.disk, 'kube-scheduler'), '--secure-port=0']))
  }

  /** Starts the API server on the store that is there, and waits until it says it is ready. */
  async startServer(): Promise<void> {
    if (this.#server !== undefined && this.#server.ended() === undefined) return
    const server = this.#part('kube-apiserver', this.#serverFlags())
    this.#server = server
    const explain = (): string => logTail(logPath(this.#plan.disk, 'kube-apiserver'))
    await waitFor({ what: 'the API server to be ready', limitMs: READY_LIMIT_MS, explain }, async () => {
      this.#etcd?.mustRun()
      server.mustRun()
      return (await this.isServerReady()) ? true : undefined
    })
  }

  async isServerReady(): Promise<boolean> {
    try {
      return (await this.#api.get('/readyz')).status === 200
    } catch {
      return false
    }
  }

  /** Stops the API server as an administrator would; the store and all else go on. */
  async stopServer(): Promise<void> {
    await this.#server?.stop(STOP_LIMIT_MS)
  }

  async killServer(): Promise<void> {
    await this.#server?.kill()
  }

  #part(name: string, flags: readonly string[]): Component {
    const { disk, programs } = this.#plan
    return startComponent({ name, argv: [join(programs, 'kube'), name, ...flags], log: logPath(disk, name) })
  }

  #auditPolicyPath(): string {
    return join(this.#plan.disk, 'audit-policy.json')
  }

  #controllerManagerFlags(): string[] {
    const { disk } = this.#plan
    const own = [...signIn(disk, 'kube-controller-manager'), '--secure-port=0']
    return [...own, ...controllerManagerFlags(this.#plan, credentialsFolder(disk))]
  }

  #serverFlags(): string[] {
    const place = {
      address: hubAddress,
      pki: credentialsFolder(this.#plan.disk),
      auditPolicy: this.#auditPolicyPath(),
      auditLog: auditLogPath(this.#plan.disk),
    }
    return [`--etcd-servers=${ETCD}`, ...apiServerFlags(place)]
  }
}

function etcdFlags(disk: string): string[] {
  return [
    '--name=etcd',
    `--data-dir=${disk}/etcd`,
    `--listen-client-urls=${ETCD}`,
    `--advertise-client-urls=${ETCD}`,
    `--listen-peer-urls=${ETCD_PEER}`,
    `--initial-advertise-peer-urls=${ETCD_PEER}`,
    `--initial-cluster=etcd=${ETCD_PEER}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ]
}

function signIn(disk: string, part: string): string[] {
  return [`--kubeconfig=${credentialsFolder(disk)}/${part}.kubeconfig`]
}
