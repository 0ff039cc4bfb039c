import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { addressOf, BACKENDS, HOSTS, VIRTUAL_ADDRESS, writePairFiles } from './pair-files.ts'

const OFF_MS = 2_000

/**
 * Two machines with HAProxy and keepalived on one wire, each in namespaces of its own with a boot id of its own, and a third
 * namespace with the servers behind them and the clients before them. ssh leads into the namespaces.
 */
export class RealPair {
  readonly root: string
  readonly #prefix: string
  readonly #running = new Map<string, ChildProcess[]>()
  readonly boots: string[] = []
  /** When the address was on another machine than before: each move lies between two looks. */
  readonly moves: { readonly fromMs: number; readonly toMs: number }[] = []
  #isOver = false
  /** A machine that is told to reboot, before its power goes. */
  onReboot: (host: string) => void = () => undefined

  private constructor(root: string) {
    this.root = root
    this.#prefix = `ek${process.pid}`
  }

  static async start(t: TestContext, { preempts = false }: { readonly preempts?: boolean } = {}): Promise<RealPair> {
    const pair = new RealPair(await mkdtemp(join(tmpdir(), 'evenkeel-pair-')))
    t.after(() => pair.#discard())
    await writePairFiles(pair.root, preempts)
    pair.#wire()
    for (const host of HOSTS) await pair.powerOn(host)
    void pair.#heedReboots()
    void pair.#watchMoves()
    return pair
  }

  namespace(name: string): string {
    return `${this.#prefix}${name}`
  }

  async powerOn(host: string): Promise<void> {
    const directory = join(this.root, host)
    // What lies in /run is gone with a boot.
    await rm(join(directory, 'run', 'away'), { force: true })
    await rm(join(directory, 'reboot'), { force: true })
    await writeFile(join(directory, 'boot_id'), `${randomUUID()}\n`)
    const mounts = `mount --bind ${directory}/boot_id /proc/sys/kernel/random/boot_id && mount --bind ${directory} ${this.root}/me`
    const init = this.#spawn(host, [
      'ip',
      'netns',
      'exec',
      this.namespace(host),
      'unshare',
      '--mount',
      'sh',
      '-c',
      `${mounts} && exec sleep infinity`,
    ])
    const pid = await waitFor(
      { what: 'the namespaces', limitMs: 10_000, everyMs: 20, explain: () => host },
      async () => {
        const found = spawnSync('nsenter', [
          '--target',
          String(init.pid),
          '--mount',
          'cat',
          '/proc/sys/kernel/random/boot_id',
        ])
        const bootId = await import('node:fs/promises').then((fs) => fs.readFile(join(directory, 'boot_id'), 'utf8'))
        return found.stdout?.toString() === bootId ? init.pid : undefined
      },
    )
    this.startHaproxy(host)
    const run = (name: string): string => join(directory, name)
    this.#spawn(host, [
      'ip',
      'netns',
      'exec',
      this.namespace(host),
      'keepalived',
      '-n',
      '-l',
      '-f',
      run('keepalived.conf'),
      '-p',
      run('ka.pid'),
      '-r',
      run('vrrp.pid'),
    ])
    await writeFile(join(directory, 'init.pid'), `${pid}\n`)
  }

  startHaproxy(host: string): void {
    const file = join(this.root, host, 'haproxy.cfg')
    this.#spawn(host, ['ip', 'netns', 'exec', this.namespace(host), 'haproxy', '-db', '-f', file], 'haproxy')
  }

  async powerOff(host: string): Promise<void> {
    await rm(join(this.root, host, 'init.pid'), { force: true })
    const children = this.#running.get(host) ?? []
    this.#running.set(host, [])
    // Each is the head of a process group of its own.
    const ended = children.map((child) =>
      child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined,
    )
    for (const { pid } of children) killGroup(pid)
    await Promise.all(ended)
    spawnSync('ip', ['-n', this.namespace(host), 'addr', 'flush', 'dev', 'eth0'])
    spawnSync('ip', ['-n', this.namespace(host), 'addr', 'add', `${addressOf(host)}/24`, 'dev', 'eth0'])
  }

  /** As `systemctl kill haproxy` and its restart, by someone else. */
  async killHaproxy(host: string): Promise<void> {
    const [child] = (this.#running.get(host) ?? []).filter(({ spawnargs }) => spawnargs.includes('haproxy'))
    if (child !== undefined) killGroup(child.pid)
    await pause(500)
    this.startHaproxy(host)
  }

  /** Which machines have the virtual address. */
  holders(): readonly string[] {
    return HOSTS.filter((host) =>
      spawnSync('ip', ['-n', this.namespace(host), '-o', 'addr', 'show'])
        .stdout.toString()
        .includes(` ${VIRTUAL_ADDRESS}/`),
    )
  }

  async settled(): Promise<void> {
    await waitFor({ what: 'the address', limitMs: 20_000, everyMs: 100, explain: () => this.holders().join() }, () =>
      this.holders().join() === 'lb-1' ? true : undefined,
    )
  }

  #wire(): void {
    const names = [...HOSTS, 'net', 'out'].map((name) => this.namespace(name))
    for (const name of names) ip('netns', 'add', name)
    const net = this.namespace('net')
    ip('-n', net, 'link', 'add', 'br0', 'type', 'bridge')
    ip('-n', net, 'link', 'set', 'br0', 'up')
    for (const host of [...HOSTS, 'out']) {
      const inside = this.namespace(host)
      ip('link', 'add', 'eth0', 'netns', inside, 'type', 'veth', 'peer', 'name', `to-${host}`, 'netns', net)
      ip('-n', net, 'link', 'set', `to-${host}`, 'master', 'br0', 'up')
      ip('-n', inside, 'link', 'set', 'lo', 'up')
      ip('-n', inside, 'link', 'set', 'eth0', 'up')
    }
    for (const host of HOSTS) ip('-n', this.namespace(host), 'addr', 'add', `${addressOf(host)}/24`, 'dev', 'eth0')
    for (const address of ['10.99.0.30', ...BACKENDS])
      ip('-n', this.namespace('out'), 'addr', 'add', `${address}/24`, 'dev', 'eth0')
  }

  async #watchMoves(): Promise<void> {
    let [before, seenAt] = ['', Date.now()]
    while (!this.#isOver) {
      const now = this.holders().join()
      if (now !== before) this.moves.push({ fromMs: seenAt, toMs: Date.now() })
      before = now
      seenAt = Date.now()
      await pause(100)
    }
  }

  async #heedReboots(): Promise<void> {
    while (!this.#isOver) {
      for (const host of HOSTS.filter((name) => existsSync(join(this.root, name, 'reboot')))) {
        this.onReboot(host)
        this.boots.push(`${host} with the address on ${this.holders().join(' and ')}`)
        await this.powerOff(host)
        await pause(OFF_MS)
        if (!this.#isOver) await this.powerOn(host)
      }
      await pause(50)
    }
  }

  #spawn(host: string, [file = '', ...args]: readonly string[], name = ''): ChildProcess {
    const child = spawn(file, args, {
      stdio: ['ignore', 'ignore', 'ignore'],
      detached: true,
      ...(name === '' ? {} : {}),
    })
    this.#running.set(host, [...(this.#running.get(host) ?? []), child])
    return child
  }

  async #discard(): Promise<void> {
    this.#isOver = true
    for (const host of HOSTS) await this.powerOff(host)
    for (const name of [...HOSTS, 'net', 'out']) spawnSync('ip', ['netns', 'del', this.namespace(name)])
    await rm(this.root, { recursive: true, force: true })
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function ip(...args: readonly string[]): void {
  const { status, stderr } = spawnSync('ip', args)
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr.toString()}`)
}
