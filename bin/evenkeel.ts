import process from 'node:process'
import manifest from '../package.json' with { type: 'json' }
import { addAgentCommand } from '../src/cli/agent-command.ts'
import { addBudgetCommand } from '../src/cli/budget-command.ts'
import { addBundleCommand } from '../src/cli/bundle-command.ts'
import { addControllerCommand } from '../src/cli/controller-command.ts'
import { addDemoCommand } from '../src/cli/demo-command.ts'
import { addDnsCommand } from '../src/cli/dns-command.ts'
import { errorText } from '../src/cli/error-text.ts'
import { addExplainCommand } from '../src/cli/explain-command.ts'
import { addGuardCommand } from '../src/cli/guard-command.ts'
import { addProbeCommand } from '../src/cli/probe-command.ts'
import { type AddCommand, runProgram } from '../src/cli/program.ts'
import { addRollCommand } from '../src/cli/roll-command.ts'
import { addRolloutCommand } from '../src/cli/rollout-command.ts'
import { addVersionCommand } from '../src/cli/version-command.ts'
import { Voice } from '../src/cli/voice.ts'
import { processContext } from './process/process-context.ts'
import { watchSignals } from './process/watch-signals.ts'

/** The bundler writes it in; the sources themselves do not know it. */
declare const EVENKEEL_COMMIT: string | undefined

const { version } = manifest
const commit = typeof EVENKEEL_COMMIT === 'undefined' ? 'of the sources' : EVENKEEL_COMMIT
const release = `${version} (commit ${commit})`
const context = processContext()
const voice = new Voice(context.err)

process.on('uncaughtException', (error) => {
  context.err.write(errorText(error))
  process.exit(1)
})
watchSignals(context.interrupts, voice)

const log = {
  debug: () => undefined,
  warn: (text: string) => voice.say(`warning: ${text}`),
}

const commands: readonly AddCommand[] = [
  addRollCommand(async () => {
    const { rollActions } = await import('./roll/roll-actions.ts')
    return rollActions({ version, env: process.env, log })
  }, voice),
  addBudgetCommand(async () => {
    const { budgetActions } = await import('./budget/budget-actions.ts')
    return budgetActions({ version, env: process.env, log })
  }),
  addRolloutCommand(async () => {
    const { rolloutActions } = await import('./rollout/rollout-actions.ts')
    return rolloutActions({ version, env: process.env, log })
  }),
  addGuardCommand(async () => {
    const { guardActions } = await import('./guard/guard-actions.ts')
    return guardActions({ version, env: process.env, log })
  }),
  addExplainCommand(async () => {
    const { explainActions } = await import('./explain/explain-actions.ts')
    return explainActions({ version, env: process.env, log })
  }),
  addBundleCommand(async () => {
    const { bundleActions } = await import('./bundle/bundle-actions.ts')
    return bundleActions({ version, commit, env: process.env, log })
  }),
  addProbeCommand(async (targets) => (await import('./probe-source.ts')).probeSource(targets)),
  addDnsCommand(async () => {
    const [{ dnsActions }, { kubeconfigApi }] = await Promise.all([
      import('./dns/dns-actions.ts'),
      import('./dns/kubeconfig-api.ts'),
    ])
    return dnsActions({ version, env: process.env, log, open: kubeconfigApi })
  }),
  addDemoCommand({
    plans: async () => {
      const { demoActions } = await import('./demo/demo-actions.ts')
      return demoActions({ version, env: process.env, log })
    },
    dns: async () => {
      const { dnsDemoActions } = await import('./demo/dns/dns-demo-actions.ts')
      return dnsDemoActions({ version, env: process.env, log })
    },
    ingress: async () => {
      const { ingressDemoActions } = await import('./demo/ingress/ingress-demo-actions.ts')
      return ingressDemoActions({ version, env: process.env, log })
    },
    guard: async () => {
      const { guardDemoActions } = await import('./demo/guard/guard-demo-actions.ts')
      return guardDemoActions({ version, env: process.env, log })
    },
  }),
  addAgentCommand(async () => (await import('./agent/agent-main.ts')).agentMain),
  addControllerCommand(async () => (await import('./controller/controller-main.ts')).controllerMain),
  addVersionCommand(release),
]

async function main(): Promise<void> {
  const exitCode = await runProgram({ version: release, context, commands }, process.argv.slice(2))
  await Promise.all([context.out.flushed(), context.err.flushed()])
  // Whatever is still open after the work is over (a connection, a timer) must not keep the process.
  process.exit(exitCode)
}

// The single executable is made of CommonJS, which has no `await` outside a function.
void main()
