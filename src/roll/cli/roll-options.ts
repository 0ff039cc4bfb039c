import { type Command, InvalidArgumentError, Option } from 'commander'
import { addClusterOptions, type OutputFlags, type OutputForm, stateDirOption } from '../../cli/output-options.ts'
import { present } from '../../ground/model/present.ts'
import { type Paste, pasteWith } from '../../ground/text/paste.ts'
import type { RememberedPlace } from '../run/remembered-place.ts'
import type { RollPlace } from './roll-actions.ts'

export interface PlaceFlags extends OutputFlags {
  readonly kubeconfig?: string
  readonly context?: string
  readonly stateDir?: string
  readonly output: OutputForm
  readonly events?: string
}

/** Where the metrics of a roll are served and written. */
export interface MetricsFlags {
  readonly metricsPort?: number
  readonly metricsAddress?: string
  readonly metricsFile?: string
}

export interface RollFlags extends PlaceFlags, MetricsFlags {
  readonly file?: string
  readonly selector?: string
  readonly all?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
  readonly reason?: string
  readonly pod?: string
  readonly once?: string
  readonly evenIfBlocked?: boolean
  readonly ignoreWindow?: boolean
  /** True: of the flag; false: `--no-only-if-needed`; absent: as the file says. */
  readonly onlyIfNeeded?: boolean
  /** False: `--no-probe`. */
  readonly probe: boolean
}

export interface ResumeFlags extends PlaceFlags, MetricsFlags {
  readonly file?: string
  readonly pod?: string
  readonly ignoreWindow?: boolean
  /** False: `--no-probe`. */
  readonly probe?: boolean
}

export interface ReportFlags extends PlaceFlags {
  readonly html?: string
  /** Two runs are named. */
  readonly compare?: boolean
}

export type ListFlags = Pick<PlaceFlags, 'stateDir' | 'kubeconfig' | 'context' | 'color' | 'ascii'> & {
  readonly output: 'text' | 'json'
}

export function addPlaceOptions(command: Command, forms: readonly OutputForm[] = ['text', 'json', 'jsonl']): Command {
  return addClusterOptions(command).addOption(stateDirOption()).addOption(outputForm(forms))
}

const outputForm = (forms: readonly OutputForm[]): Option =>
  new Option('-o, --output <form>', 'form of the result on stdout').choices(forms).default('text')

export function addRollOptions(command: Command): Command {
  return command
    .option('-f, --file <file>', 'the roll file (docs/roll-file.md); - reads it from stdin')
    .option('-l, --selector <selector>', 'nodes by label, instead of the nodes of the file')
    .option('--all', 'every node of the cluster, instead of the nodes of the file')
    .option('--dry-run', 'show the plan; change nothing')
    .option('-y, --yes', 'start without a confirmation prompt')
    .addOption(
      new Option('--reason <text>', 'why, for people: in plan, journal, events and report').argParser(reasonOf),
    )
    .addOption(
      new Option(
        '--once <key>',
        'begin one run for this key: later, continue that run, or end as it ended (docs/roll-as-a-job.md)',
      ).argParser(onceOf),
    )
    .option('--even-if-blocked', 'roll although a finding of the plan blocks it; the roll then waits at that point')
    .option('--ignore-window', IGNORE_WINDOW)
    .option(
      '--only-if-needed',
      'only nodes that need a reboot: by reboot.onlyIfNeeded of the file, else by /var/run/reboot-required, or without ssh by the condition RebootRequired',
    )
    .option('--no-only-if-needed', 'also roll nodes that need no reboot, even if the file says onlyIfNeeded')
    .option('--no-probe', 'roll without measuring; a failed request then does not stop the roll')
}

const IGNORE_WINDOW = 'work outside of the time windows of the file, too; journal, events and report name the user'

const REASON_MAX = 500
const ONCE_MAX = 200

function reasonOf(text: string): string {
  const reason = text.trim()
  if (reason === '' || reason.length > REASON_MAX)
    throw new InvalidArgumentError(`Write 1 to ${REASON_MAX} characters.`)
  return reason
}

function onceOf(text: string): string {
  if (text.trim() === '' || text.length > ONCE_MAX) throw new InvalidArgumentError(`Write 1 to ${ONCE_MAX} characters.`)
  return text
}

/** As the API server has it for names (DNS-1123): `/` separates the two. */
function podOf(text: string): string {
  if (!/^[a-z0-9-]+\/[a-z0-9.-]+$/.test(text))
    throw new InvalidArgumentError('Write the namespace and the name of a pod, as in evenkeel/evenkeel-roll-x7k2p.')
  return text
}

/** Of the commands that work on a run. */
export const addEventsOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--pod <namespace/name>',
        'the pod that runs this command: the roll takes the node of the pod last, and moves the pod away just before',
      ).argParser(podOf),
    )
    .option('--events <file>', 'also write every event to this file, one JSON object per line')
    .addOption(
      new Option('--metrics-port <port>', 'serve /metrics for Prometheus at this port (docs/metrics.md)').argParser(
        portOf,
      ),
    )
    .addOption(
      new Option('--metrics-address <address>', 'address of --metrics-port (default: 127.0.0.1)').argParser(addressOf),
    )
    .addOption(
      new Option(
        '--metrics-file <file>',
        'also write the metrics to this file, for the textfile collector of node_exporter; its name ends in .prom',
      ).argParser(metricsFileOf),
    )

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) throw new InvalidArgumentError('Write a port from 1 to 65535.')
  return port
}

function addressOf(text: string): string {
  const address = text.replace(/^\[(.*)\]$/, '$1')
  const isIpv4 = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(address) && address.split('.').every((byte) => Number(byte) <= 255)
  if (!isIpv4 && !(address.includes(':') && URL.canParse(`http://[${address}]`)))
    throw new InvalidArgumentError('Write an IP address, as in 0.0.0.0 or ::1.')
  return address
}

function metricsFileOf(text: string): string {
  if (!text.endsWith('.prom'))
    throw new InvalidArgumentError('Write a name that ends in .prom: node_exporter reads no other file.')
  return text
}

export const addResumeOptions = (command: Command): Command =>
  command
    .option('-f, --file <file>', 'continue with this roll file, now and at every later resume; - reads it from stdin')
    .option('--ignore-window', IGNORE_WINDOW)
    .option('--no-probe', 'with -f: continue without measuring; a failed request then does not stop the roll')

export const addAbortOptions = (command: Command): Command =>
  command.option('-f, --file <file>', 'use this roll file; no journal is needed then; - reads it from stdin')

export const addReportOptions = (command: Command): Command =>
  addPlaceOptions(command, ['text', 'json', 'jsonl', 'markdown', 'otlp'])
    .option('--html <file>', 'also write the report to this file, as a self-contained page')
    .option('--compare', 'show two runs side by side: evenkeel roll report --compare RUN RUN')

export const placeOf = ({ kubeconfig, context, stateDir }: RollPlace): RollPlace => ({
  ...present({ kubeconfig, context, stateDir }),
})

/** What a command that is printed repeats of this one. */
export const pasteOf = (flags: PlaceFlags & { readonly file?: string }, remembered?: RememberedPlace): Paste => {
  const { kubeconfig, context, stateDir, file } = flags
  return pasteWith({ kubeconfig, context, stateDir, file, remembered: kubectlPlace(remembered) })
}

/** Of a pod nothing is needed: its own service account is found again. */
const kubectlPlace = (place: RememberedPlace | undefined): RememberedPlace | undefined =>
  place?.kubeconfig === undefined ? undefined : place
