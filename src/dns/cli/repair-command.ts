import type { Command } from 'commander'
import { addStyleOptions, type OutputFlags, outputOption } from '../../cli/output-options.ts'
import { printResult, type Wired } from '../../cli/print-result.ts'
import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { pasteWith } from '../../ground/text/paste.ts'
import type { RepairOrBusy } from '../run/repair-alone.ts'
import type { Repair } from '../run/repair-dns.ts'
import { addPlaceOptions, type DnsPlace, type PlaceFlags, placeOf } from './dns-place.ts'
import { exitOf, repairDocument, repairLines } from './repair-result.ts'

export interface RepairActions {
  /** What a repair would do. It changes nothing except that `--relay` creates its relays. */
  readonly wouldRepair: (place: DnsPlace, signal: AbortSignal) => Promise<Repair>
  /** `say` receives a sentence for each thing that happens. */
  readonly repair: (place: DnsPlace, say: (text: string) => void, signal: AbortSignal) => Promise<RepairOrBusy>
}

interface RepairFlags extends PlaceFlags, Pick<OutputFlags, 'color' | 'ascii'> {
  readonly dryRun?: true
  readonly output: 'text' | 'json'
}

const EXAMPLE = `
Example: show what would be done about an unhealthy DNS pod, and whether every guard holds
  evenkeel dns repair --dry-run --relay --image registry.example/evenkeel:1.0

It replaces at most one pod, and only if eight guards hold: two nodes see it
fail in two rounds, no other pod fails, another pod answers, the API server is
ready, no rollout or drain is under way, its budget allows it, no pod of an
earlier repair is kept, and the last repair is long ago. The unhealthy pod is
kept for inspection, without its labels. Afterwards DNS is watched for a minute.

Exit codes: 0 cured, or all is well; 1 not cured, or no pod is at fault; 2 wrong
usage, or a right is missing; 3 held by a guard, or another repair is under way.`

/** `evenkeel dns repair`. */
export function addRepair(dns: Command, { load, context, exitWith }: Wired<RepairActions>): void {
  const command = addPlaceOptions(dns.command('repair'))
    .summary('replace one unhealthy DNS pod if that is safe')
    .description('Checks DNS, replaces the one unhealthy pod if every guard holds, and verifies that this helped.')
    .option('--dry-run', 'only say what would be done')
    .addOption(outputOption())
    .addHelpText('after', EXAMPLE)
  addStyleOptions(command).action((flags: RepairFlags) =>
    printResult({ context, exitWith }, flags, async () => {
      const place = placeOf(flags)
      const { signal } = context.interrupts
      const actions = await load()
      const say = (text: string): void => {
        context.err.write(`${escapeForeign(text)}\n`)
      }
      const isDry = flags.dryRun === true
      const repair = isDry ? await actions.wouldRepair(place, signal) : await actions.repair(place, say, signal)
      return {
        code: exitOf(repair),
        lines: () => repairLines(repair, { isDry, paste: pasteWith(place) }),
        document: repairDocument(repair, isDry),
      }
    }),
  )
}
