import { addCompletionCommand } from '../src/cli/completion-command.ts'
import type { LinePrinter } from '../src/cli/line-printer.ts'
import { addOwnProgram, type OwnProgram } from '../src/cli/own-program-command.ts'
import type { AddCommand } from '../src/cli/program.ts'
import { addVersionCommand } from '../src/cli/version-command.ts'
import { addDemoCommand } from '../src/demo/demo-command.ts'
import { addDnsCommand } from '../src/dns/cli/dns-command.ts'
import { addBundleCommand } from '../src/explain/cli/bundle-command.ts'
import { addDoctorCommand } from '../src/explain/cli/doctor-command.ts'
import { addExplainCommand } from '../src/explain/cli/explain-command.ts'
import { addInitCommand } from '../src/explain/cli/init-command.ts'
import { addGuardCommand } from '../src/guard/cli/guard-command.ts'
import { addRolloutCommand } from '../src/ingress/cli/rollout-command.ts'
import { addProbeCommand } from '../src/roll/cli/probe-command.ts'
import { addRollCommand } from '../src/roll/cli/roll-command.ts'
import { addBudgetCommand } from '../src/service/cli/budget-command.ts'
import type { RollSurroundings } from './roll/world.ts'

interface CommandParts extends RollSurroundings {
  /** Version and commit. */
  readonly release: string
  readonly commit: string
  readonly printer: LinePrinter
}

/** Programs of the cluster, which read their options themselves. */
const OWN_PROGRAMS: readonly OwnProgram[] = [
  {
    name: 'agent',
    summary: 'answer the health checks of load balancers, on one node',
    description: 'Answers the health checks of load balancers on one node',
    usage: '--node NAME [options]',
    help: async () => (await import('../src/agent/cli/agent-options.ts')).AGENT_HELP,
    main: async () => (await import('./agent/agent-main.ts')).agentMain,
  },
  {
    name: 'rebooter',
    summary: 'reboot one node when a roll asks for it, without ssh',
    description: 'Reboots the machine of one node when a roll asks for it',
    usage: '--node NAME [options]',
    help: async () => (await import('../src/rebooter/cli/rebooter-options.ts')).REBOOTER_HELP,
    main: async () => (await import('./rebooter/rebooter-main.ts')).rebooterMain,
  },
  {
    name: 'controller',
    summary: 'limit how many nodes are out by cordon at the same time',
    description: 'Grants cordons to the nodes of a fleet, a few at a time',
    usage: '[options]',
    help: async () => (await import('./controller/controller-options.ts')).CONTROLLER_HELP,
    main: async () => (await import('./controller/controller-main.ts')).controllerMain,
  },
]

/** Every command. Its code is loaded when it runs. */
export function commandsOf({ release, commit, printer, ...surroundings }: CommandParts): readonly AddCommand[] {
  return [
    addInitCommand(async () => {
      const { initActions } = await import('./init/init-actions.ts')
      return initActions(surroundings)
    }),
    addDoctorCommand(async () => {
      const { doctorActions } = await import('./doctor/doctor-actions.ts')
      return doctorActions(surroundings)
    }),
    addRollCommand(async () => {
      const { rollActions } = await import('./roll/roll-actions.ts')
      return rollActions(surroundings)
    }, printer),
    addBudgetCommand(async () => {
      const { budgetActions } = await import('./budget/budget-actions.ts')
      return budgetActions(surroundings)
    }),
    addRolloutCommand(async () => {
      const { rolloutActions } = await import('./rollout/rollout-actions.ts')
      return rolloutActions(surroundings)
    }),
    addGuardCommand(async () => {
      const { guardActions } = await import('./guard/guard-actions.ts')
      return guardActions(surroundings)
    }),
    addExplainCommand(async () => {
      const { explainActions } = await import('./explain/explain-actions.ts')
      return explainActions(surroundings)
    }),
    addBundleCommand(async () => {
      const { bundleActions } = await import('./bundle/bundle-actions.ts')
      return bundleActions({ ...surroundings, commit })
    }),
    addProbeCommand(async (targets) => (await import('./probe-source.ts')).probeSource(targets)),
    addDnsCommand(async () => {
      const [{ dnsActions }, { kubeconfigApi }] = await Promise.all([
        import('./dns/dns-actions.ts'),
        import('./dns/kubeconfig-api.ts'),
      ])
      return dnsActions({ ...surroundings, open: kubeconfigApi })
    }),
    addDemoCommand({
      plans: async () => {
        const { demoActions } = await import('./demo/demo-actions.ts')
        return demoActions(surroundings)
      },
      dns: async () => {
        const { dnsDemoActions } = await import('./demo/dns/dns-demo-actions.ts')
        return dnsDemoActions(surroundings)
      },
      ingress: async () => {
        const { ingressDemoActions } = await import('./demo/ingress/ingress-demo-actions.ts')
        return ingressDemoActions(surroundings)
      },
      guard: async () => {
        const { guardDemoActions } = await import('./demo/guard/guard-demo-actions.ts')
        return guardDemoActions(surroundings)
      },
      operator: async () => {
        const { operatorDemoActions } = await import('./demo/operator/operator-demo-actions.ts')
        return operatorDemoActions(surroundings)
      },
    }),
    ...OWN_PROGRAMS.map(addOwnProgram),
    addCompletionCommand(async () => (await import('./completion/live-values.ts')).liveValues(surroundings)),
    addVersionCommand(release),
  ]
}
