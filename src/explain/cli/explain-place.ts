import type { Command } from 'commander'
import { addClusterOptions, stateDirOption } from '../../cli/output-options.ts'
import { SLOTS_NAMESPACE } from '../../ground/model/slot.ts'

/** The cluster, the namespace of its slots, and the directory of journals on this machine. */
export interface ExplainPlace {
  readonly kubeconfig?: string
  readonly context?: string
  readonly stateDir?: string
  readonly slotsNamespace: string
  readonly grantsNamespace?: string
}

export const addExplainPlace = (command: Command): Command =>
  addClusterOptions(command)
    .addOption(stateDirOption())
    .option('--slots-namespace <name>', 'namespace of the slots and of ConfigMap evenkeel-budget', SLOTS_NAMESPACE)
    .option('--grants-namespace <name>', 'namespace of ConfigMap evenkeel-cordon-grants (default: that of the slots)')
