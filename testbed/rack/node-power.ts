import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { nodeAddress } from '../addresses.ts'
import { makeNodeCgroup, removeNodeCgroup } from '../machine/cgroups.ts'
import { searchPath } from '../machine/find-command.ts'
import { LAZY_COLLECTOR } from '../machine/lazy-collector.ts'
import { logTail } from '../machine/log-tail.ts'
import { childrenOf } from '../machine/process-identity.ts'
import { type RunResult, runToEnd } from '../machine/run.ts'
import { waitFor } from '../machine/wait-for.ts'
import { layCable, removeCable, setPlugged } from './network.ts'
import { nodeDisk, nodeLog, type RackPlan } from './plan.ts'

const INIT = join(import.meta.dirname, '../node/node-init.sh')
/** What a node is given for itself. Its clocks start at zero with each boot. */
const NAMESPACES = ['--net', '--mount', '--propagation', 'private', '--uts', '--ipc', '--pid', '--time']
/** The code node-init leaves with for "stay off", and the signal reboot(2) ends it with for the same. */
const OFF_CODE = 10
const OFF_SIGNAL = 'SIGINT'
/** The polite part of a reboot ends after five seconds; the rest is room for a busy machine. */
const STOP_LIMIT_MS = 20_000
const BOOT_LIMIT_MS = 20_000

/**
 * The power supply of one node. While it is on, each turn of its loop is one boot: a new boot id, fresh namespaces and
 * network; the end of the node's first process ends everything in it, and after the dark time it boots again.
 */
export class NodePower {
  readonly node: string
  readonly #plan: RackPlan
  #darkMs: number
  #plugged = true
  #wanted = false
  #boots = 0
  #bootedAtMs = 0
  #init: number | undefined
  #cycle: Promise<void> = Promise.resolve()
  #failure: Error | undefined
  #dark = new AbortController()

  constructor(plan: RackPlan, node: string) {
    this.#plan = plan
    this.node = node
    this.#darkMs = plan.darkMs
  }

  /** Throws where the node should be on and could not be started. */
  get isOn(): boolean {
    if (this.#failure !== undefined) throw this.#failure
    return this.#wanted
  }

  /** The id of the present boot, or of the last one where the node is off. */
  get bootId(): string {
    return readFileSync(this.#bootIdPath(), 'utf8').trim()
  }

  /** When the present boot or the last one began. */
  get bootedAtMs(): number {
    return this.#bootedAtMs
  }

  setDarkMs(darkMs: number): void {
    this.#darkMs = darkMs
  }

  /** Resolves when the first process of the new boot runs. */
  async powerOn(): Promise<void> {
    if (this.#wanted) return
    await this.#cycle
    const boots = this.#boots
    this.#wanted = true
    this.#failure = undefined
    this.#dark = new AbortController()
    this.#cycle = this.#run().catch((error: unknown) => {
      this.#wanted = false
      this.#failure = error instanceof Error ? error : new Error(String(error))
    })
    await this.#bootAfter(boots, BOOT_LIMIT_MS)
  }

  /** Cuts the power; resolves when nothing of the node is left. */
  async powerOff(): Promise<void> {
    this.#wanted = false
    this.#dark.abort()
    this.#cut()
    await this.#cycle
  }

  /** Reboots politely or by a power cycle; resolves when the first process of the next boot runs. */
  async reboot(hard: boolean): Promise<void> {
    const boots = this.#boots
    if (hard) this.#cut()
    else await this.#mustExec(['systemctl', 'reboot'])
    await this.#bootAfter(boots, STOP_LIMIT_MS + this.#darkMs + BOOT_LIMIT_MS)
  }

  async setPlugged(plugged: boolean): Promise<void> {
    this.#plugged = plugged
    if (this.#init !== undefined) await setPlugged(this.node, plugged)
  }

  /** Runs a program on the node as its root. */
  exec(argv: readonly string[], stdin?: string): Promise<RunResult> {
    if (this.#init === undefined) throw new Error(`${this.node} is dark`)
    const enter = ['nsenter', '-t', String(this.#init), '-m', '-n', '-u', '-i', '-p', '-T', '--']
    const options = { cwd: '/', env: { HOME: '/root' } }
    return runToEnd([...enter, ...argv], stdin === undefined ? options : { ...options, stdin })
  }

  async #mustExec(argv: readonly string[]): Promise<void> {
    const { code, stderr } = await this.exec(argv)
    // The reboot may overtake the answer: then the command itself was ended by a signal.
    if (code > 0) throw new Error(`${this.node}: ${argv.join(' ')} ended with ${code}: ${stderr.trim()}`)
  }

  #cut(): void {
    if (this.#init !== undefined) process.kill(this.#init, 'SIGKILL')
  }

  async #bootAfter(boots: number, limitMs: number): Promise<void> {
    const explain = (): string => logTail(this.#log())
    await waitFor({ what: `${this.node} to boot`, limitMs, everyMs: 10, explain }, () => {
      if (this.#failure !== undefined) throw this.#failure
      return this.#boots > boots && this.#init !== undefined ? true : undefined
    })
  }

  async #run(): Promise<void> {
    while (this.#wanted) {
      const child = await this.#boot()
      const { code, signal } = await this.#ended(child)
      this.#init = undefined
      if (code === OFF_CODE || signal === OFF_SIGNAL) this.#wanted = false
      await removeCable(this.node)
      await removeNodeCgroup(this.#plan.name, this.node)
      if (this.#wanted) await sleep(this.#darkMs, undefined, { signal: this.#dark.signal }).catch(() => undefined)
    }
  }

  async #boot(): Promise<ChildProcess> {
    const plan = this.#plan
    writeFileSync(this.#bootIdPath(), `${randomUUID()}\n`)
    this.#bootedAtMs = Date.now()
    makeNodeCgroup(plan.name, this.node)
    const child = this.#startInit()
    const pid = await waitFor(
      { what: `${this.node} to get its first process`, limitMs: BOOT_LIMIT_MS, everyMs: 5 },
      () => {
        if (child.exitCode !== null) throw new Error(`${this.node} did not start\n${logTail(this.#log())}`)
        return child.pid === undefined ? undefined : childrenOf(child.pid)[0]
      },
    )
    await layCable({ node: this.node, pid, peers: plan.nodes, plugged: this.#plugged })
    child.stdin?.end('go\n')
    await this.#sealed(child)
    this.#init = pid
    this.#boots += 1
    if (!this.#wanted) this.#cut()
    return child
  }

  /** Until the node has its own view of the machine, a command run in it would act on the machine. */
  async #sealed(child: ChildProcess): Promise<void> {
    const report = child.stdio[3]
    if (!(report instanceof Readable)) throw new Error('node-init was given no way to report')
    const limit = AbortSignal.timeout(BOOT_LIMIT_MS)
    for await (const _ of addAbortSignal(limit, report)) return
    throw new Error(`${this.node} ended before it was sealed\n${logTail(this.#log())}`)
  }

  #startInit(): ChildProcess {
    // A second short of the machine's age: the node's own clock may not begin below zero.
    const age = Math.floor(uptime()) - 1
    const clocks = ['--boottime', `-${age}`, '--monotonic', `-${age}`]
    const init = [INIT, this.node, nodeDisk(this.#plan.disk, this.node), this.#plan.programs, nodeAddress(this.node)]
    const log = openSync(this.#log(), 'a')
    const child = spawn('unshare', [...NAMESPACES, ...clocks, '--fork', '--kill-child=KILL', '--', 'bash', ...init], {
      stdio: ['pipe', log, log, 'pipe'],
      env: { PATH: searchPath, HOME: '/root', LANG: 'C.UTF-8', ...LAZY_COLLECTOR },
    })
    closeSync(log)
    return child
  }

  #ended(child: ChildProcess): Promise<{ readonly code: number | null; readonly signal: string | null }> {
    if (child.exitCode !== null || child.signalCode !== null) {
      return Promise.resolve({ code: child.exitCode, signal: child.signalCode })
    }
    return new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })))
  }

  #bootIdPath(): string {
    return join(nodeDisk(this.#plan.disk, this.node), 'boot_id')
  }

  #log(): string {
    return nodeLog(this.#plan.disk, this.node, 'init')
  }
}
