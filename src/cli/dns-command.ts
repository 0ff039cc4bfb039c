import { type Command, Option } from 'commander'
import type { DnsCheck } from '../controllers/dns/check-dns.ts'
import type { Sought } from '../controllers/dns/deployment.ts'
import { diagnose } from '../core/dns/diagnosis/diagnose.ts'
import { type DnsVerdict, verdictOf } from '../core/dns/verdict.ts'
import { isDnsName } from '../model/dns.ts'
import { UserError } from '../model/user-error.ts'
import type { CliContext } from './cli-context.ts'
import { checkDocument, explainDocument, sceneOfDocument } from './dns/check-document.ts'
import { checkLines, findingLines } from './dns/check-lines.ts'
import { addStyleOptions, type OutputFlags, resultStyle } from './output-options.ts'
import { duration } from './probe/probe-settings.ts'
import type { AddCommand } from './program.ts'
import { type Line, paintLine, type Style } from './terminal/style.ts'
import { withErrorDocument } from './with-error-document.ts'

/** Where the cluster is, and what to ask for. */
interface DnsPlace {
  readonly kubeconfig?: string
  readonly context?: string
  readonly node?: string
  /** Pods that ask from within the cluster are made of it. */
  readonly relay?: { readonly image: string; readonly namespace: string }
  readonly sought: Sought
  readonly timeoutMs: number
}

export interface DnsActions {
  readonly check: (place: DnsPlace, signal: AbortSignal) => Promise<DnsCheck>
}

interface CheckFlags extends Pick<OutputFlags, 'color' | 'ascii'> {
  readonly verbose?: true
  readonly kubeconfig?: string
  readonly context?: string
  readonly service?: string
  readonly zone?: string
  readonly outside?: string
  readonly node?: string
  readonly relay?: string
  readonly relayNamespace: string
  readonly timeout: number
  readonly output: 'text' | 'json'
}

const EXIT: Readonly<Record<DnsVerdict, number>> = { ok: 0, degraded: 1, bad: 1, unverified: 3 }

const CHECK_EXAMPLE = `
Example: check the DNS of the current context's cluster from a machine that reaches its pods, names outside as well
  evenkeel dns check --outside example.com

Example: from anywhere that reaches the API server, by two pods that are made for it and deleted
  evenkeel dns check --relay registry.example/evenkeel:1.0

It asks over UDP each pod of DNS and the Service's address, and judges the answers by what the API says.

Exit codes: 0 all is well; 1 something is bad or degraded; 2 wrong usage, or nothing can be asked; 3 the state is not known.`

const EXPLAIN_EXAMPLE = `
Example: say again what a check found, with all of its evidence
  evenkeel dns check -o json > dns.json
  evenkeel dns explain dns.json`

/** `evenkeel dns check`, `evenkeel dns explain FILE`. */
export const addDnsCommand =
  (load: () => Promise<DnsActions>): AddCommand =>
  (program, context, exitWith) => {
    const dns = program
      .command('dns')
      .summary('check the DNS of a cluster by real UDP queries')
      .description('Asks CoreDNS by real UDP queries on every path, and says what is broken.')
    addCheck(dns, { load, context, exitWith })
    addExplain(dns, { context, exitWith })
  }

interface Wired {
  readonly load: () => Promise<DnsActions>
  readonly context: CliContext
  readonly exitWith: (code: number) => void
}

function addCheck(dns: Command, { load, context, exitWith }: Wired): void {
  const command = dns
    .command('check')
    .summary('ask once, and say what is wrong')
    .description('Asks each pod of DNS and its Service over UDP and TCP, once, and says what is wrong and what to do.')
    .option('--kubeconfig <file>', 'kubeconfig; else KUBECONFIG, else ~/.kube/config')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--service <namespace/name>', 'the Service of DNS; else it is looked for')
    .option('--zone <domain>', 'the cluster domain; else it is read from the Corefile')
    .option('--outside <name>', 'a name outside of the cluster that must resolve, too')
    .option('--node <name>', 'the node that this runs on, where it runs on one')
    .option('--relay <image>', 'also ask from two nodes: runs this image of evenkeel there, and takes it away again')
    .option('--relay-namespace <name>', 'where relays run', 'evenkeel')
    .addOption(
      new Option('--timeout <duration>', 'a query without an answer by then is lost')
        .argParser(duration)
        .default(1_000, '1s'),
    )
    .addOption(new Option('-o, --output <form>', 'form of the result').choices(['text', 'json']).default('text'))
    .option('-v, --verbose', 'also show how DNS was found, and every reading')
    .addHelpText('after', CHECK_EXAMPLE)
  addStyleOptions(command).action(async (flags: CheckFlags) => {
    const code = await withErrorDocument(context, flags.output, async () => {
      const place = placeOf(flags)
      const check = await (await load()).check(place, context.interrupts.signal)
      if (flags.output === 'json') context.out.write(`${JSON.stringify(checkDocument(check), null, 2)}\n`)
      else write(context, checkLines(check, flags.verbose === true), resultStyle(flags, context.terminal))
      return EXIT[check.verdict]
    })
    exitWith(code)
  })
}

function addExplain(dns: Command, { context, exitWith }: Omit<Wired, 'load'>): void {
  const command = dns
    .command('explain')
    .summary('say what recorded evidence shows')
    .description('Diagnoses what `evenkeel dns check -o json` has recorded, and shows each reading that decided.')
    .argument('<file>', 'what was recorded; - reads it from stdin')
    .addOption(new Option('-o, --output <form>', 'form of the result').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXPLAIN_EXAMPLE)
  addStyleOptions(command).action(async (file: string, flags: Pick<CheckFlags, 'color' | 'ascii' | 'output'>) => {
    const code = await withErrorDocument(context, flags.output, async () => {
      const findings = diagnose(sceneOfDocument(await context.readText(file), file))
      const verdict = verdictOf(findings)
      if (flags.output === 'json') context.out.write(`${JSON.stringify(explainDocument(verdict, findings), null, 2)}\n`)
      else write(context, findingLines(findings, true), resultStyle(flags, context.terminal))
      return EXIT[verdict]
    })
    exitWith(code)
  })
}

function write({ out }: CliContext, lines: readonly Line[], style: Style): void {
  out.write(lines.map((line) => `${paintLine(line, style)}\n`).join(''))
}

function placeOf(flags: CheckFlags): DnsPlace {
  const { kubeconfig, context, service, zone, outside, node, relay, relayNamespace, timeout } = flags
  for (const [flag, name] of [
    ['--zone', zone],
    ['--outside', outside],
  ] as const)
    if (name !== undefined && !isDnsName(name))
      throw usage(flag, `"${name}" is no DNS name`, 'write one as in example.com')
  if (relay === '') throw usage('--relay', 'it names no image', 'write one as in registry.example/evenkeel:1.0')
  if (timeout < 1) throw usage('--timeout', 'a query takes some time', 'write a duration of 1ms or more, as in 1s')
  return {
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
    ...(node === undefined ? {} : { node }),
    ...(relay === undefined ? {} : { relay: { image: relay, namespace: relayNamespace } }),
    timeoutMs: timeout,
    sought: {
      ...(service === undefined ? {} : { service: serviceOf(service) }),
      ...(zone === undefined ? {} : { zone: zone.replace(/\.$/, '') }),
      ...(outside === undefined ? {} : { outside: outside.replace(/\.$/, '') }),
    },
  }
}

function serviceOf(text: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = '', ...more] = text.split('/')
  if (namespace === '' || name === '' || more.length > 0)
    throw usage('--service', `"${text}" is no NAMESPACE/NAME`, 'write it as in kube-system/kube-dns')
  return { namespace, name }
}

const usage = (flag: string, what: string, fix: string): UserError =>
  new UserError(`${flag}: ${what}`, { code: 'dns.usage', fix })
