import { outputOption, stateDirOption } from '../../cli/output-options.ts'
import type { AddCommand } from '../../cli/program.ts'
import { withErrorDocument } from '../../cli/with-error-document.ts'
import type { BundleActions, BundleFlags } from './bundle-actions.ts'

const END = `
It reads only files of the run and contacts no cluster. It removes values that
look like secrets. Names of nodes, pods and hosts stay, because they are needed
to help. Read the files before you send them.

Examples:
  evenkeel bundle                                  the roll begun last
  evenkeel bundle 20261121T061439Z-1f0e --to run.tar.gz`

/** `evenkeel bundle`. */
export const addBundleCommand =
  (load: () => Promise<BundleActions>): AddCommand =>
  (program, context, exitWith) => {
    program
      .command('bundle')
      .summary('pack what maintainers need to help with a roll, without secrets')
      .description(
        'Packs journal, latency, report and facts about this program into one file for the maintainers, without secrets.',
      )
      .argument('[run]', 'the run, by the name of its journal (default: the run begun last)')
      .addOption(stateDirOption())
      .option('--to <file>', 'write to this file, which must not exist (default: evenkeel-RUN.tar.gz)')
      .addOption(outputOption())
      .addHelpText('after', END)
      .action(async (run: string | undefined, flags: BundleFlags) => {
        const { bundleRun } = await import('./bundle-run.ts')
        exitWith(await withErrorDocument(context, flags, async () => bundleRun(context, await load(), { run, flags })))
      })
  }
