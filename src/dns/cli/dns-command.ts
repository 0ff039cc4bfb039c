import type { Command } from 'commander'
import { addStyleOptions, type OutputFlags, outputOption } from '../../cli/output-options.ts'
import { printResult, type Wired } from '../../cli/print-result.ts'
import type { AddCommand } from '../../cli/program.ts'
import { diagnose } from '../decide/diagnosis/diagnose.ts'
import { type DnsVerdict, verdictOf } from '../decide/verdict.ts'
import type { DnsCheck } from '../run/check-dns.ts'
import { checkDocument, explainDocument, sceneOfDocument } from './check-document.ts'
import { checkLines, findingLines } from './check-lines.ts'
import { addPlaceOptions, type DnsPlace, type PlaceFlags, placeOf } from './dns-place.ts'
import { addRepair, type RepairActions } from './repair-command.ts'
import { addWatch, type WatchActions } from './watch-command.ts'

export interface DnsActions extends RepairActions, WatchActions {
  readonly check: (place: DnsPlace, signal: AbortSignal) => Promise<DnsCheck>
}

interface CheckFlags extends PlaceFlags, Pick<OutputFlags, 'color' | 'ascii'> {
  readonly verbose?: true
  readonly output: 'text' | 'json'
}

const EXIT: Readonly<Record<DnsVerdict, number>> = { ok: 0, degraded: 1, bad: 1, observed: 3, unverified: 3 }

const CHECK_EXAMPLE = `
Example: from a machine that reaches the pods of the cluster, also for names outside of it
  evenkeel dns check --outside example.com

Example: from any machine, by two pods that are created for the check and then deleted
  evenkeel dns check --relay --image registry.example/evenkeel:1.0

Example: from an existing pod that has node, python3 or perl; nothing is created or changed
  evenkeel dns check --exec shop/web-0

It queries each DNS pod and the address of the Service over UDP, and compares
the answers with the API.

Exit codes: 0 all is well; 1 something is bad or degraded; 2 wrong usage, or
nothing can be queried; 3 the state is not known, or was only observed.`

const EXPLAIN_EXAMPLE = `
Example: show again what a check found, with all of its evidence
  evenkeel dns check -o json > dns.json
  evenkeel dns explain dns.json`

/** `evenkeel dns check`, `watch`, `repair`, and `explain FILE`. */
export const addDnsCommand =
  (load: () => Promise<DnsActions>): AddCommand =>
  (program, context, exitWith) => {
    const dns = program
      .command('dns')
      .summary('check the DNS of a cluster by real UDP queries')
      .description('Asks CoreDNS by real UDP queries on every path, and says what is broken.')
    addCheck(dns, { load, context, exitWith })
    addWatch(dns, { load, context, exitWith, exitOf: (verdict) => EXIT[verdict] })
    addRepair(dns, { load, context, exitWith })
    addExplain(dns, { context, exitWith })
  }

function addCheck(dns: Command, { load, context, exitWith }: Wired<DnsActions>): void {
  const command = addPlaceOptions(dns.command('check'))
    .summary('check once, and say what is wrong')
    .description('Asks each pod of DNS and its Service over UDP and TCP, once, and says what is wrong and what to do.')
    .addOption(outputOption())
    .option('-v, --verbose', 'also show how DNS was found, and every reading')
    .addHelpText('after', CHECK_EXAMPLE)
  addStyleOptions(command).action((flags: CheckFlags) =>
    printResult({ context, exitWith }, flags, async () => {
      const check = await (await load()).check(placeOf(flags), context.interrupts.signal)
      return {
        code: EXIT[check.verdict],
        lines: () => checkLines(check, flags.verbose === true),
        document: checkDocument(check),
      }
    }),
  )
}

function addExplain(dns: Command, { context, exitWith }: Omit<Wired<DnsActions>, 'load'>): void {
  const command = dns
    .command('explain')
    .summary('say what recorded evidence shows')
    .description(
      'Diagnoses a check that `evenkeel dns check -o json` recorded, and shows each reading that decided the result.',
    )
    .argument('<file>', 'the recorded check; - reads it from stdin')
    .addOption(outputOption())
    .addHelpText('after', EXPLAIN_EXAMPLE)
  addStyleOptions(command).action((file: string, flags: Pick<CheckFlags, 'color' | 'ascii' | 'output'>) =>
    printResult({ context, exitWith }, flags, async () => {
      const findings = diagnose(sceneOfDocument(await context.readText(file), file))
      const verdict = verdictOf(findings)
      return {
        code: EXIT[verdict],
        lines: () => findingLines(findings, true),
        document: explainDocument(verdict, findings),
      }
    }),
  )
}
