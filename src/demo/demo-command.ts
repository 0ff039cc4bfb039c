import { InvalidArgumentError, Option } from 'commander'
import type { CliContext } from '../cli/cli-context.ts'
import { addOutputOptions, outputOption } from '../cli/output-options.ts'
import type { AddCommand } from '../cli/program.ts'
import { UserError } from '../ground/model/user-error.ts'
import type { DemoActions } from './demo-actions.ts'
import { DEMO_PLANS, type DemoPlan, isDemoPlan, PLAN_DETAILS } from './demo-plan.ts'
import type { DnsDemoActions } from './dns/dns-demo-actions.ts'
import type { GuardDemoActions } from './guard/guard-demo-actions.ts'
import type { IngressDemoActions } from './ingress/ingress-demo-actions.ts'
import type { OperatorDemoActions } from './operator/operator-demo-actions.ts'
import type { DemoFlags } from './run-demo.ts'

const EXAMPLE = `
Plans:
${DEMO_PLANS.map((plan) => `  ${plan.padEnd(9)} ${PLAN_DETAILS[plan].about}`).join('\n')}

Examples:
  evenkeel demo                                    the first plan and the last
  evenkeel demo --compare -o json | jq '.plans[] | {name, failedRequests}'
  evenkeel demo --html report.html                 also write the report of the roll as a page
  evenkeel demo --plan evenkeel --keep             leave the cluster up for inspection
  evenkeel demo --dns                              one pod of DNS dead over UDP, found and repaired
  evenkeel demo --ingress                          rollouts of an IngressDaemonSet and a DaemonSet
  evenkeel demo --ingress -o json | jq '.rollouts[] | {kind, failedRequests}'
  evenkeel demo --guard                            two guarded nodes are drained, and leave in turn
  evenkeel demo --operator                         a Roll is applied, approved and paused

Exit codes: 0 evenkeel lost no request; 1 it lost one, or a plan did not
finish; 2 wrong usage; 130 interrupted. With --dns: 0 the pod was found and
replaced, and no query was lost afterwards; otherwise 1. With --ingress: 0 the
rollout of the IngressDaemonSet lost no request; otherwise 1. With --guard: 0
both nodes were drained, and at no moment did two nodes lack their guard pod;
otherwise 1. With --operator: 0 the Roll succeeded and no request was lost;
otherwise 1.`

interface CommandFlags extends DemoFlags {
  readonly dns?: boolean
  readonly ingress?: boolean
  readonly guard?: boolean
  readonly operator?: boolean
  readonly compare?: boolean
  readonly plan?: readonly DemoPlan[]
}

/** Each is loaded only where it is asked for. */
interface Demos {
  readonly plans: () => Promise<DemoActions>
  readonly dns: () => Promise<DnsDemoActions>
  readonly ingress: () => Promise<IngressDemoActions>
  readonly guard: () => Promise<GuardDemoActions>
  readonly operator: () => Promise<OperatorDemoActions>
}

/** `evenkeel demo`: plans of a reboot, side by side, on an embedded cluster. */
export const addDemoCommand =
  (demos: Demos): AddCommand =>
  (program, context, exitWith) => {
    const command = program
      .command('demo')
      .summary('see it work on a cluster inside this process')
      .description(
        'Reboots a cluster of six nodes under traffic, by a script and by evenkeel, and compares what was lost. Needs nothing but Node.',
      )
      .option('--compare', 'all five plans')
      .addOption(
        new Option(
          '--dns',
          'instead of the plans: break UDP of one DNS pod, find it and repair it, within a minute',
        ).conflicts(['compare', 'plan', 'html', 'port', 'balancer']),
      )
      .addOption(
        new Option(
          '--ingress',
          'instead of the plans: roll an IngressDaemonSet out under traffic, beside a DaemonSet, within 90 s',
        ).conflicts(['dns', 'compare', 'plan', 'html', 'port']),
      )
      .addOption(
        new Option(
          '--guard',
          'instead of the plans: drain two nodes of a NodeGuard at the same time, one of them held, within a minute',
        ).conflicts(['dns', 'ingress', 'compare', 'plan', 'html', 'port', 'balancer']),
      )
      .addOption(
        new Option(
          '--operator',
          'instead of the plans: apply a Roll, approve and pause it, and watch its status, within two minutes',
        ).conflicts(['dns', 'ingress', 'guard', 'compare', 'plan', 'html']),
      )
      .addOption(new Option('--plan <name>', 'this plan only; may be repeated').argParser(planNames))
      .option('--keep', 'leave the cluster of the last plan up until Ctrl-C')
      .option('--html <file>', "write the report of evenkeel's roll to this file, as a self-contained page")
      .option('--port <n>', 'port of the balancer on 127.0.0.1 (default: a free port)', port)
      .addOption(
        new Option('--balancer <kind>', 'auto: HAProxy if it is installed, otherwise the embedded one')
          .choices(['auto', 'embedded'])
          .default('auto'),
      )
      .addOption(outputOption())
      .addHelpText('after', EXAMPLE)
    addOutputOptions(command).action(async (flags: CommandFlags) => {
      const instead = await insteadOfPlans(context, demos, flags)
      exitWith(instead ?? (await plansOrError(context, demos, flags)))
    })
  }

/** The exit code of the demo that is asked for in place of the plans; undefined: none is. */
async function insteadOfPlans(context: CliContext, demos: Demos, flags: CommandFlags): Promise<number | undefined> {
  if (flags.dns === true) return (await import('./dns/run-dns-demo.ts')).runDnsDemo(context, await demos.dns(), flags)
  if (flags.ingress === true)
    return (await import('./ingress/run-ingress-demo.ts')).runIngressDemo(context, await demos.ingress(), flags)
  if (flags.guard === true)
    return (await import('./guard/run-guard-demo.ts')).runGuardDemo(context, await demos.guard(), flags)
  if (flags.operator === true)
    return (await import('./operator/run-operator-demo.ts')).runOperatorDemo(context, await demos.operator(), flags)
  return undefined
}

async function plansOrError(context: CliContext, demos: Demos, flags: CommandFlags): Promise<number> {
  const plans = plansOf(flags)
  if (flags.html !== undefined && !plans.includes('evenkeel')) {
    throw new UserError('--html is the report of plan evenkeel, which is not among the plans', {
      code: 'usage.html',
      fix: 'add --plan evenkeel, or omit --html',
    })
  }
  const { runDemo } = await import('./run-demo.ts')
  return runDemo(context, await demos.plans(), { plans, flags })
}

function planNames(name: string, before: readonly DemoPlan[] = []): readonly DemoPlan[] {
  if (!isDemoPlan(name)) throw new InvalidArgumentError(`There are ${DEMO_PLANS.join(', ')}.`)
  return [...before, name]
}

/** In the article's order, whatever the order of the names. */
function plansOf({ compare, plan }: CommandFlags): readonly DemoPlan[] {
  if (compare === true && plan !== undefined) {
    throw new UserError('--compare runs all plans', { code: 'usage.plan', fix: 'omit --compare or --plan' })
  }
  if (compare === true) return DEMO_PLANS
  const wanted: readonly DemoPlan[] = plan ?? ['naive', 'evenkeel']
  return DEMO_PLANS.filter((name) => wanted.includes(name))
}

function port(text: string): number {
  const value = Number(text)
  if (!/^\d{1,5}$/.test(text) || value < 1 || value > 65_535) {
    throw new InvalidArgumentError('Write a port from 1 to 65535.')
  }
  return value
}
