import { type Command, InvalidArgumentError, Option } from 'commander'
import { addStyleOptions } from '../../cli/output-options.ts'
import type { AddCommand } from '../../cli/program.ts'
import { withErrorDocument } from '../../cli/with-error-document.ts'
import { UserError } from '../../ground/model/user-error.ts'
import type { InitActions } from './init/init-actions.ts'
import type { InitFlags } from './init/init-flags.ts'

const EXAMPLES = `
Examples:
  evenkeel init                                   asks what it cannot know
  evenkeel init --haproxy-socket ops@lb-1:/run/haproxy/admin.sock
  evenkeel init --haproxy-config haproxy.cfg --probe https://app.example.com/
  evenkeel init --yes -o yaml                     takes every default, writes no file
  evenkeel init --from kured                      takes over what kured does in this cluster
  evenkeel init --from kured --schedule           and makes Rolls of it by a RollSchedule

A socket is PATH, HOST:PORT or [USER@]HOST:PATH, the last one over ssh. Give
--haproxy-socket once for each HAProxy process that sends traffic to the nodes.
Without the options of HAProxy, the usual places of this machine are looked at.

The cluster and the balancers are only read. What is not known is a question on
a terminal, and a comment in the file if it has no answer. The rights go to a
second file: roll-rights.yaml beside roll.yaml. --schedule adds two more:
roll-schedule.yaml and roll-values.yaml.

Exit codes: 0 the files are written; 1 the API server cannot be reached; 2 wrong
usage, or a file is there already, nothing written; 130 interrupted, nothing
written.`

/** `evenkeel init`. */
export const addInitCommand =
  (load: () => Promise<InitActions>): AddCommand =>
  (program, context, exitWith) => {
    const command = program
      .command('init')
      .summary('write a roll file for this cluster, and the rights that it needs')
      .description('Reads the cluster and HAProxy, asks what it cannot know, and writes a roll file with comments.')
    addStyleOptions(addInitOptions(command))
      .addHelpText('after', EXAMPLES)
      .action(async (flags: InitFlags) => {
        const { runInit } = await import('./init/run-init.ts')
        const { yes, output } = flags
        const code = await withErrorDocument(
          context,
          { ...flags, output: output === 'yaml' ? 'text' : output },
          async () => {
            if (yes !== true) refuseWithoutTerminal(context.terminal)
            return runInit(context, await load(), flags)
          },
        )
        exitWith(code)
      })
  }

const addInitOptions = (command: Command): Command =>
  command
    .option('-f, --file <file>', 'roll file to write', 'roll.yaml')
    .option('--overwrite', 'replace files that are there; each is kept as FILE.bak')
    .option('-y, --yes', 'take the default of every question')
    .option('--haproxy-socket <socket>', 'runtime API of a HAProxy; repeatable', collected)
    .option('--haproxy-config <config>', 'haproxy.cfg to read')
    .option('--no-haproxy', 'the cluster has no load balancer that a roll must control')
    .option('--reboot <how>', 'how a node is rebooted: ssh, "ssh USER", rebooter, or a command')
    .option('--probe <url>', 'URL that clients use through the balancers; repeatable', collected)
    .option('--from <program>', 'take over the settings of kured: kured reads its DaemonSet, kured=FILE a manifest')
    .option('--schedule', 'with --from: also write a RollSchedule, and the values of the chart that it takes')
    .option('--kubeconfig <file>', 'kubeconfig; else KUBECONFIG, else ~/.kube/config')
    .option('--context <name>', 'context of the kubeconfig')
    .addOption(
      new Option('-o, --output <form>', 'form of the result; yaml prints the files and writes none')
        .choices(['text', 'json', 'yaml'])
        .default('text'),
    )

function collected(text: string, before: readonly string[] = []): readonly string[] {
  if (text === '') throw new InvalidArgumentError('it is empty')
  return [...before, text]
}

function refuseWithoutTerminal(terminal: {
  readonly stdinIsTerminal: boolean
  readonly stderrIsTerminal: boolean
}): void {
  if (terminal.stdinIsTerminal && terminal.stderrIsTerminal) return
  throw new UserError('init asks what it cannot know, and there is no terminal to ask at', {
    code: 'usage.nobody-to-ask',
    fix: 'add --yes, which accepts the default of every question',
  })
}
