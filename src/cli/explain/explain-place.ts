import type { Command } from 'commander'
import { SLOTS_NAMESPACE } from '../../model/slot.ts'
import { flagText } from '../text/flag-text.ts'

/** Which cluster, where its slots are, and where the journals of this machine are. */
export interface ExplainPlace {
  readonly kubeconfig?: string
  readonly context?: string
  readonly stateDir?: string
  readonly slotsNamespace: string
  readonly grantsNamespace?: string
}

export const addExplainPlace = (command: Command): Command =>
  command
    .option('--kubeconfig <file>', 'kubeconfig; else KUBECONFIG, else ~/.kube/config')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--state-dir <dir>', 'directory of the journals of rolls (default: $XDG_STATE_HOME/evenkeel)')
    .option('--slots-namespace <name>', 'namespace of the slots and of ConfigMap evenkeel-budget', SLOTS_NAMESPACE)
    .option('--grants-namespace <name>', 'namespace of ConfigMap evenkeel-cordon-grants (default: that of the slots)')

/** A command as it works when it is pasted: with the cluster that this one was asked about. */
export type Paste = (command: string) => string

export function pasteWith(place: ExplainPlace): Paste {
  const { kubeconfig, context, stateDir, slotsNamespace, grantsNamespace } = place
  const where = [...flagText('--context', context), ...flagText('--kubeconfig', kubeconfig)]
  const slots = slotsNamespace === SLOTS_NAMESPACE ? undefined : slotsNamespace
  const grants = flagText('--grants-namespace', grantsNamespace)
  const more: Readonly<Record<string, readonly string[]>> = {
    explain: [...flagText('--state-dir', stateDir), ...flagText('--slots-namespace', slots), ...grants],
    budget: [...flagText('--namespace', slots), ...grants],
    roll: flagText('--state-dir', stateDir),
  }
  return (command) => {
    const [program = '', ...words] = command.split(' ')
    if (program === 'kubectl') return [program, ...where, ...words].join(' ')
    return [command, ...where, ...(more[words[0] ?? ''] ?? [])].join(' ')
  }
}
