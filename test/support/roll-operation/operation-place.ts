import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BootCounter } from '../roll-bed/boot-counter.ts'
import type { RollBed } from '../roll-bed/roll-bed.ts'
import type { RollProcess } from '../roll-bed/roll-process.ts'
import { Alertmanager, Prometheus, type ServerPlace } from './monitoring.ts'
import type { Arranged, Left } from './operation-row.ts'

interface Silence {
  readonly matchers: readonly { readonly value: string }[]
}

interface Lease {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly holderIdentity?: string }
}

/** What one row has of a bed: its nodes, a folder for its programs, and servers in the network of the roll. */
export class OperationPlace {
  readonly nodes: readonly string[]
  readonly bed: RollBed
  readonly #folder: string
  readonly #boots: BootCounter
  readonly #servers: { end(): void }[] = []
  #alertmanager: Alertmanager | undefined

  private constructor(bed: RollBed, nodes: readonly string[], folder: string) {
    this.bed = bed
    this.nodes = nodes
    this.#folder = folder
    this.#boots = new BootCounter(bed.bed)
  }

  static async open(bed: RollBed, nodes: readonly string[]): Promise<OperationPlace> {
    return new OperationPlace(bed, nodes, await mkdtemp(join(bed.bed.dir, 'row-')))
  }

  get node(): string {
    return this.nodes[0] ?? ''
  }

  path(name: string): string {
    return join(this.#folder, name)
  }

  /** An executable file, in shell, that runs in the folder of the row. */
  async program(name: string, body: string): Promise<string> {
    const path = this.path(name)
    await writeFile(path, `#!/bin/sh\ncd '${this.#folder}' || exit 1\n${body}\n`)
    await chmod(path, 0o755)
    return path
  }

  /** A program that writes its arguments down; `then` is shell to go on with. */
  hook(name = 'hook', then = 'exit 0'): Promise<string> {
    return this.program(name, `echo "$*" >> hooks.log\n${then}`)
  }

  /** A gate that waits until the row opens it, so that the world changes at a known moment of the roll. */
  door(before: 'node' | 'reboot' | 'attach') {
    const file = this.path('door')
    const gate = { name: 'door', before, command: ['test', '-e', file], timesInARow: 1, interval: '500ms' }
    return { gate, open: () => writeFile(file, '') }
  }

  async prometheus(): Promise<Prometheus> {
    const server = new Prometheus(await this.#serverPlace('prometheus'))
    this.#servers.push(server)
    return server
  }

  async alertmanager(): Promise<Alertmanager> {
    const server = new Alertmanager(await this.#serverPlace('alertmanager'))
    this.#servers.push(server)
    this.#alertmanager = server
    return server
  }

  /** As the administrator. */
  kubectl(...words: readonly string[]): Promise<string> {
    return this.bed.bed.kubectl(words)
  }

  begin({ spec }: Arranged): RollProcess {
    const nodes = { names: this.nodes, allowUnbalanced: true }
    return this.bed.roll('-f', this.bed.file({ spec: { nodes, ...spec } }), '--yes', '--even-if-blocked')
  }

  /** To its end; a roll that guards a node is interrupted. */
  async end(roll: RollProcess): Promise<number | null> {
    const ended = await roll.untilEnd().catch(() => undefined)
    if ((ended?.guarded ?? []).length > 0) roll.kill('SIGINT')
    return (await roll.ended()).code
  }

  async left(): Promise<Left> {
    const [boots, leftovers, hooks, silences] = await Promise.all([
      this.#boots.stop(),
      this.bed.leftovers(),
      this.hooks(),
      this.silences(),
    ])
    const leases = (await this.bed.list('/apis/coordination.k8s.io/v1/namespaces/evenkeel/leases')) as readonly Lease[]
    const held = leases.filter(({ spec }) => (spec.holderIdentity ?? '') !== '').map(({ metadata }) => metadata.name)
    const booted = Object.fromEntries(Object.entries(boots).filter(([, count]) => count > 0))
    return { boots: booted, leftovers, hooks, silences, slots: held }
  }

  async hooks(): Promise<readonly string[]> {
    const log = await readFile(this.path('hooks.log'), 'utf8').catch(() => '')
    return log.split('\n').filter((line) => line !== '')
  }

  /** What the real Alertmanager has. */
  async silences(): Promise<readonly string[]> {
    if (this.#alertmanager === undefined) return []
    const [file = '', ...words] = this.bed.enter(this.#alertmanager.query)
    const { stdout } = await promisify(execFile)(file, words)
    return (JSON.parse(stdout) as readonly Silence[]).map(({ matchers }) => matchers[0]?.value ?? '')
  }

  /** Where the row failed, its node goes back for the next one. */
  async close(): Promise<void> {
    for (const server of this.#servers) server.end()
    if ((await this.bed.leftovers()).length > 0) await this.bed.evenkeel('roll', 'abort')
  }

  async #serverPlace(name: string): Promise<ServerPlace> {
    const folder = this.path(name)
    await mkdir(folder)
    return { enter: this.bed.enter, folder }
  }
}
