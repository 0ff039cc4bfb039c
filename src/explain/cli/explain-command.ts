import type { Command } from 'commander'
import { addStyleOptions, type OutputFlags, outputOption } from '../../cli/output-options.ts'
import { printResult, type Wired } from '../../cli/print-result.ts'
import type { AddCommand } from '../../cli/program.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { nearestNames } from '../../ground/text/nearest-name.ts'
import { pasteWith } from '../../ground/text/paste.ts'
import { type Explained, explainNodeByReading } from '../run/explain-node.ts'
import { explainPodByReading } from '../run/explain-pod.ts'
import type { ExplainSources } from '../run/explain-sources.ts'
import { addExplainPlace, type ExplainPlace } from './explain-place.ts'
import { explainedDocument, explainedLines } from './explained-lines.ts'

export interface ExplainActions {
  /** Makes one request. Rejects with UserError for a fault of the kubeconfig. */
  readonly open: (place: ExplainPlace, signal: AbortSignal) => Promise<ExplainSources & { readonly namespace: string }>
}

type Flags = ExplainPlace &
  Pick<OutputFlags, 'color' | 'ascii'> & {
    readonly namespace?: string
    readonly output: 'text' | 'json'
    /** False: `--no-dry-run`. */
    readonly dryRun: boolean
  }

const END = `
It reads and changes nothing. Evictions are tried as dry runs: the API server
makes each check of an eviction, and stores nothing. What this identity is not
allowed to read is listed as not known. The command queries no balancer and no
agent. It reads the journal of a roll that runs on this machine.

Exit codes: 0 explained; 1 the cluster cannot be read; 2 wrong usage, or there
is no such object.`

const NODE_EXAMPLE = `
Example: why n1 is not drained, not in service, or not next
  evenkeel explain node n1

Example: one document for scripts, without trying evictions
  evenkeel explain node n1 --no-dry-run -o json
${END}`

const POD_EXAMPLE = `
Example: why a pod does not leave its node
  evenkeel explain pod shop/cart-0
  evenkeel explain pod cart-0 -n shop
${END}`

/** `evenkeel explain node|pod`. */
export const addExplainCommand =
  (load: () => Promise<ExplainActions>): AddCommand =>
  (program, context, exitWith) => {
    const explain = program
      .command('explain')
      .summary('say why a node or a pod is where it is, and what would change it')
      .description(
        'Says why a node is not drained, not in service or not next, and why a pod does not leave: each reason with its evidence, and what would change it.',
      )
    const wired = { load, context, exitWith }
    addNode(explain, wired)
    addPod(explain, wired)
  }

function addNode(explain: Command, wired: Wired<ExplainActions>): void {
  const command = explain
    .command('node')
    .summary('why a node is not drained, not in service, or not next')
    .argument('<node>', 'the node')
    .addHelpText('after', NODE_EXAMPLE)
  const looksAlike = (written: string, known: readonly string[]) => nearestNames(written, known).slice(0, 1)
  addOptions(command).action((name: string, flags: Flags) =>
    show(wired, flags, async (sources, options) => ({
      of: { kind: 'node', name },
      explained: await explainNodeByReading(sources, { name, options, looksAlike }, wired.context.interrupts.signal),
    })),
  )
}

function addPod(explain: Command, wired: Wired<ExplainActions>): void {
  const command = explain
    .command('pod')
    .summary('why a pod does not leave its node')
    .argument('<pod>', 'NAMESPACE/NAME, or NAME')
    .option('-n, --namespace <name>', 'namespace of the pod (default: that of the context)')
    .addHelpText('after', POD_EXAMPLE)
  addOptions(command).action((target: string, flags: Flags) =>
    show(wired, flags, async (sources, options) => {
      const ref = podRef(target, flags.namespace, sources.namespace)
      const explained = await explainPodByReading(sources, { ref, options }, wired.context.interrupts.signal)
      return { of: { kind: 'pod', ...ref }, explained }
    }),
  )
}

const addOptions = (command: Command): Command =>
  addStyleOptions(
    addExplainPlace(command)
      .option('--no-dry-run', 'do not try evictions; go by the numbers of the budgets')
      .addOption(outputOption()),
  )

type Options = Parameters<typeof explainNodeByReading>[1]['options']

const show = (
  wired: Wired<ExplainActions>,
  flags: Flags,
  explain: (
    sources: ExplainSources & { readonly namespace: string },
    options: Options,
  ) => Promise<{ readonly of: object; readonly explained: Explained }>,
): Promise<void> =>
  printResult(wired, flags, async () => {
    const { slotsNamespace, grantsNamespace = slotsNamespace, dryRun } = flags
    const sources = await (await wired.load()).open(flags, wired.context.interrupts.signal)
    const { of, explained } = await explain(sources, { slotsNamespace, grantsNamespace, dryRun })
    const paste = pasteWith(flags)
    return {
      code: 0,
      lines: (columns) => explainedLines(explained, paste, columns),
      document: explainedDocument(explained, of, paste),
    }
  })

const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/

/** Throws UserError explain.usage. */
function podRef(target: string, given: string | undefined, ofContext: string): ObjectRef {
  const [first = '', second, ...more] = target.split('/')
  const [namespace, name] = second === undefined ? [given ?? ofContext, first] : [first, second]
  const fix = 'write NAMESPACE/NAME, or NAME with -n NAMESPACE'
  if (more.length > 0 || !NAME.test(name) || !NAME.test(namespace))
    throw new UserError(`"${target}" is not the name of one pod`, { code: 'explain.usage', fix })
  if (second !== undefined && given !== undefined && given !== namespace)
    throw new UserError(`"${target}" names namespace ${namespace}, and -n names ${given}`, {
      code: 'explain.usage',
      fix,
    })
  return { namespace, name }
}
