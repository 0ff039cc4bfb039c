import { Option } from 'commander'
import { count, duration } from '../../cli/flag-values.ts'
import { addOutputOptions, outputModes } from '../../cli/output-options.ts'
import type { AddCommand } from '../../cli/program.ts'
import type { ProbeTarget } from '../../ground/model/probe.ts'
import type { ProbeSource } from '../../ground/ports/probe-source.ts'
import { ProbePrinter } from './probe/probe-printer.ts'
import {
  keptCount,
  OUTPUT_CHOICES,
  type ProbeFlags,
  rate,
  share,
  statusRange,
  targetsOf,
} from './probe/probe-settings.ts'
import { runProbe } from './probe/run-probe.ts'

const EXAMPLE = `
Example: ten minutes at 200 requests a second, with a control target
  evenkeel probe https://app.example.com/ --rate 200 --duration 10min --control https://example.org/

Exit codes: 0 no more failed than --max-failed; 1 more failed, or nothing was
measured; 2 wrong usage; 130 interrupted before --duration was over.`

/** `evenkeel probe URL...`. `openSource` makes a prober; nothing is asked before it runs. */
export const addProbeCommand =
  (openSource: (targets: readonly ProbeTarget[]) => Promise<ProbeSource>): AddCommand =>
  (program, context, exitWith) => {
    const command = program
      .command('probe')
      .summary('measure availability from outside')
      .description(
        'Sends requests to each URL at a fixed rate, whether or not earlier ones were answered, and reports failures.',
      )
      .argument('<url...>', 'URLs to request; each at the full rate')
      .option('--rate <n>', 'requests a second', rate, 100)
      .option('--kept-share <share>', 'share of requests over kept connections, 0 to 1', share, 0.5)
      .option('--kept <n>', 'kept connections', keptCount, 8)
      .addOption(
        new Option('--timeout <duration>', 'a request without a full answer after this time has failed')
          .argParser(duration)
          .default(2_000, '2s'),
      )
      .addOption(new Option('--duration <duration>', 'how long to measure (default: until Ctrl-C)').argParser(duration))
      .option(
        '--control <url>',
        'a target elsewhere: failures while it fails too are blamed on the prober and do not count',
      )
      .addOption(
        new Option('--expect-status <range>', 'HTTP statuses that are good; redirects are not followed')
          .argParser(statusRange)
          .default([200, 399], '200-399'),
      )
      .option('--expect-body <text>', 'text that a good answer contains')
      .option('--served-by <header>', 'response header that says who served', 'X-Served-By')
      .option('--insecure', 'do not check certificates', false)
      .option('--max-failed <n>', 'this many failed requests still count as success', count, 0)
      .addOption(new Option('-o, --output <form>', 'form of the result').choices(OUTPUT_CHOICES).default('text'))
      .option('--samples <file>', 'write each sample to this file, one JSON object per line')
      .addHelpText('after', EXAMPLE)
    addOutputOptions(command).action(async (urls: readonly string[], flags: ProbeFlags) => {
      const targets = targetsOf(urls, flags)
      const modes = outputModes(flags, context.terminal)
      const printer = new ProbePrinter({ context, modes, output: flags.output })
      const samples = flags.samples === undefined ? {} : { samples: context.openFile(flags.samples) }
      const time = flags.duration === undefined ? {} : { durationMs: flags.duration }
      const takeBack = context.onExit(() => printer.restore())
      const source = await openSource(targets)
      try {
        exitWith(await runProbe({ targets, source, printer, context, maxFailed: flags.maxFailed, ...time, ...samples }))
      } finally {
        takeBack()
      }
    })
  }
