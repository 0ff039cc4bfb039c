import { type ChildProcess, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { waitFor } from '../../../testbed/machine/wait-for.ts'

/** Where a server runs, and what it may write to. */
export interface ServerPlace {
  /** The command that runs a program in the network of the roll. */
  readonly enter: (argv: readonly string[]) => readonly string[]
  /** Exists, and is private to the server. */
  readonly folder: string
}

/** A server as a process of its own. It is stopped by its pid. */
class ServerProcess {
  readonly #child: ChildProcess
  readonly #lines: string[] = []

  constructor(argv: readonly string[]) {
    const [file = '', ...words] = ['setpriv', '--pdeathsig', 'KILL', '--', ...argv]
    this.#child = spawn(file, words, { stdio: ['ignore', 'ignore', 'pipe'] })
    if (this.#child.stderr !== null) createInterface(this.#child.stderr).on('line', (line) => this.#lines.push(line))
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  async until(words: string): Promise<void> {
    const explain = (): string => this.#lines.slice(-5).join('\n')
    await waitFor({ what: `"${words}"`, limitMs: 30_000, explain }, () =>
      this.#lines.some((line) => line.includes(words)) ? true : undefined,
    )
  }
}

/** The series that Prometheus has of the metric `storage_degraded`. */
type Series = readonly (number | 'NaN')[]

const ruleOf = (value: number | 'NaN', i: number): string =>
  `{record: storage_degraded, labels: {pool: p${i}}, expr: ${value === 'NaN' ? 'vector(0) / 0' : `vector(${value})`}}`

/** A real Prometheus, whose recording rules write one metric. */
export class Prometheus {
  readonly url = 'http://127.0.0.1:9090'
  readonly #place: ServerPlace
  #process: ServerProcess | undefined

  constructor(place: ServerPlace) {
    this.#place = place
  }

  async start(series: Series): Promise<void> {
    const { enter, folder } = this.#place
    const config = join(folder, 'prometheus.yml')
    await writeFile(config, 'global: {evaluation_interval: 500ms, scrape_interval: 1m}\nrule_files: [rules.yml]\n')
    await this.#write(series)
    this.#process = new ServerProcess(
      enter([
        'prometheus',
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        '--web.listen-address=127.0.0.1:9090',
      ]),
    )
    await this.#process.until('Server is ready to receive web requests')
  }

  /** From its next evaluation on. */
  async set(series: Series): Promise<void> {
    await this.#write(series)
    this.#process?.signal('SIGHUP')
  }

  /** It keeps its socket and answers nothing. */
  freeze(): void {
    this.#process?.signal('SIGSTOP')
  }

  end(): void {
    this.#process?.signal('SIGKILL')
  }

  #write(series: Series): Promise<void> {
    const rules = series.map(ruleOf).join(', ')
    return writeFile(
      join(this.#place.folder, 'rules.yml'),
      series.length === 0 ? 'groups: []\n' : `groups: [{name: storage, rules: [${rules}]}]\n`,
    )
  }
}

/** A real Alertmanager, alone. */
export class Alertmanager {
  readonly url: string
  readonly #place: ServerPlace
  readonly #port: number
  #process: ServerProcess | undefined

  constructor(place: ServerPlace, port = 9093) {
    this.#place = place
    this.#port = port
    this.url = `http://127.0.0.1:${port}`
  }

  async start(): Promise<void> {
    const { enter, folder } = this.#place
    const config = join(folder, 'alertmanager.yml')
    await writeFile(config, 'route: {receiver: none}\nreceivers: [{name: none}]\n')
    this.#process = new ServerProcess(
      enter([
        'prometheus-alertmanager',
        `--config.file=${config}`,
        `--storage.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${this.#port}`,
        '--cluster.listen-address=',
      ]),
    )
    await this.#process.until('Listening')
  }

  freeze(): void {
    this.#process?.signal('SIGSTOP')
  }

  thaw(): void {
    this.#process?.signal('SIGCONT')
  }

  end(): void {
    this.#process?.signal('SIGKILL')
  }

  /** The command that prints the silences that are active, as JSON. */
  get query(): readonly string[] {
    return ['amtool', `--alertmanager.url=${this.url}`, '-o', 'json', 'silence', 'query']
  }
}
