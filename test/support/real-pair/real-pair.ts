import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { ALONE, BACKENDS, HOSTS, type HostName, type PairSite, writePairFiles } from './pair-files.ts'

const OFF_MS = 2_000

interface PairOptions {
  readonly preempts?: boolean
  /** Another network that the machines are plugged into: a file of its namespace, and its bridge. */
  readonly wire?: { readonly network: string; readonly bridge: string }
  readonly site?: PairSite
}

/**
 * Two machines with HAProxy and keepalived on one wire, each in namespaces of its own with a boot id of its own. ssh leads into the
 * namespaces. Without another wire, a third namespace has the servers behind them and the clients before them.
 */
export class RealPair {
  readonly root: string
  readonly site: PairSite
  readonly #prefix: string
  readonly #running = new Map<string, ChildProcess[]>()
  readonly boots: string[] = []
  /** When the address was on another machine than before: each move lies between two looks. */
  readonly moves: { readonly fromMs: number; readonly toMs: number }[] = []
  readonly #cables: (readonly [network: string, cable: string])[] = []
  #isOver = false
  /** A machine that is told to reboot, before its power goes. */
  onReboot: (host: string) => void = () => undefined

  private constructor(root: string, site: PairSite) {
    this.root = root
    this.site = site
    this.#prefix = `ek${process.pid}`
  }

  static async start(t: TestContext, options: PairOptions = {}): Promise<RealPair> {
    const { preempts = false, site = ALONE, wire } = options
    const pair = new RealPair(await mkdtemp(join(tmpdir(), 'evenkeel-pair-')), site)
    t.after(() => pair.#discard())
    await writePairFiles(pair.root, { site, preempts })
    for (const host of HOSTS) ip('netns', 'add', pair.namespace(host))
    if (wire === undefined) pair.#wireAlone()
    else pair.#plugInto(wire)
    for (const host of HOSTS) await pair.powerOn(host)
    void pair.#heedReboots()
    void pair.#watchMoves()
    return pair
  }

  namespace(name: string): string {
    return `${this.#prefix}${name}`
  }

  async powerOn(host: HostName): Promise<void> {
    const directory = join(this.root, host)
    // What lies in /run is gone with a boot.
    await rm(join(directory, 'run', 'away'), { force: true })
    await rm(join(directory, 'reboot'), { force: true })
    await writeFile(join(directory, 'boot_id'), `${randomUUID()}\n`)
    const mounts = [
      ['boot_id', '/proc/sys/kernel/random/boot_id'],
      ['.', `${this.root}/me`],
      ['../reboot-machine', '/usr/bin/systemctl'],
    ]
      .map(([from, to]) => `mount --bind ${directory}/${from} ${to}`)
      .join(' && ')
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
        const bootId = await readFile(join(directory, 'boot_id'), 'utf8')
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

  startHaproxy(host: HostName): void {
    const file = join(this.root, host, 'haproxy.cfg')
    this.#spawn(host, ['ip', 'netns', 'exec', this.namespace(host), 'haproxy', '-W', '-db', '-f', file])
  }

  async powerOff(host: HostName): Promise<void> {
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
    spawnSync('ip', ['-n', this.namespace(host), 'addr', 'add', `${this.site.hosts[host]}/24`, 'dev', 'eth0'])
  }

  /** HAProxy dies, and the system starts it again after half a second. */
  async killHaproxy(host: HostName): Promise<void> {
    killGroup(this.#haproxy(host)?.pid)
    await pause(500)
    this.startHaproxy(host)
  }

  /** As `systemctl reload haproxy`: another worker takes the sockets over, with the states of the file. */
  reloadHaproxy(host: HostName): void {
    this.#haproxy(host)?.kill('SIGUSR2')
  }

  /** Which machines have the virtual address. */
  holders(): readonly string[] {
    return HOSTS.filter((host) =>
      spawnSync('ip', ['-n', this.namespace(host), '-o', 'addr', 'show'])
        .stdout.toString()
        .includes(` ${this.site.virtualAddress}/`),
    )
  }

  async settled(): Promise<void> {
    await waitFor({ what: 'the address', limitMs: 20_000, everyMs: 100, explain: () => this.holders().join() }, () =>
      this.holders().join() === 'lb-1' ? true : undefined,
    )
  }

  #wireAlone(): void {
    const [net, out] = [this.namespace('net'), this.namespace('out')]
    for (const name of [net, out]) ip('netns', 'add', name)
    ip('-n', net, 'link', 'add', 'br0', 'type', 'bridge')
    ip('-n', net, 'link', 'set', 'br0', 'up')
    const wire = { network: `/run/netns/${net}`, bridge: 'br0' }
    this.#plugInto(wire)
    plug(out, 'out', wire)
    for (const address of ['10.99.0.30', ...BACKENDS]) ip('-n', out, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
  }

  #plugInto(wire: Wire): void {
    for (const host of HOSTS) {
      this.#cables.push([wire.network, plug(this.namespace(host), host, wire)])
      ip('-n', this.namespace(host), 'addr', 'add', `${this.site.hosts[host]}/24`, 'dev', 'eth0')
    }
  }

  #haproxy(host: HostName): ChildProcess | undefined {
    return (this.#running.get(host) ?? []).findLast(({ spawnargs }) => spawnargs.includes('haproxy'))
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

  #spawn(host: string, [file = '', ...args]: readonly string[]): ChildProcess {
    const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'ignore'], detached: true })
    this.#running.set(host, [...(this.#running.get(host) ?? []), child])
    return child
  }

  async #discard(): Promise<void> {
    this.#isOver = true
    for (const host of HOSTS) await this.powerOff(host)
    // The kernel clears a namespace in its own time, and the next pair on the same bridge needs the names.
    for (const [network, cable] of this.#cables) spawnSync('nsenter', [`--net=${network}`, 'ip', 'link', 'del', cable])
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

type Wire = NonNullable<PairOptions['wire']>

/** Lays a cable between a namespace and the bridge of another one, and gives the name of its end at the bridge. */
function plug(inside: string, name: string, { network, bridge }: Wire): string {
  const onWire = ['nsenter', `--net=${network}`, 'ip'] as const
  run(...onWire, 'link', 'add', `to-${name}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', inside)
  run(...onWire, 'link', 'set', `to-${name}`, 'master', bridge, 'up')
  ip('-n', inside, 'link', 'set', 'lo', 'up')
  ip('-n', inside, 'link', 'set', 'eth0', 'up')
  return `to-${name}`
}

const ip = (...args: readonly string[]): void => run('ip', ...args)

function run(file: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(file, args)
  if (status !== 0) throw new Error(`${file} ${args.join(' ')}: ${stderr.toString()}`)
}
