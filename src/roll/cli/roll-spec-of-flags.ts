import type { CliContext } from '../../cli/cli-context.ts'
import { needUnnamed } from '../../ground/model/reboot-need.ts'
import { evenkeel, say } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { loadRollFile, rollSpecFromSelection } from '../file/load-roll-file.ts'
import { selectionFromFlags } from '../file/node-selection.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import type { RollFlags } from './roll-options.ts'

/** The roll that file and flags ask for together; flags win. */
export async function rollSpecOfFlags(
  names: readonly string[],
  flags: RollFlags,
  context: CliContext,
): Promise<RollSpec> {
  const selection = selectionFromFlags({ names, selector: flags.selector, all: flags.all === true })
  const spec = withNeed(await specOfFile(flags, selection, context), flags)
  if (flags.probe) return spec
  const { probe: _, ...unmeasured } = spec
  return unmeasured
}

function withNeed(spec: RollSpec, { onlyIfNeeded }: RollFlags): RollSpec {
  const { onlyIfNeeded: ofFile, ...reboot } = spec.reboot
  if (onlyIfNeeded === false) return { ...spec, reboot }
  if (onlyIfNeeded === undefined || ofFile !== undefined) return spec
  if (reboot.kind === 'command') {
    throw new UserError('--only-if-needed looks for a file on the machines, which reboot.command cannot do', {
      code: 'usage.need',
      fix: 'name condition, kernelVersion, kubeletVersion or osImage under reboot.onlyIfNeeded of the file',
    })
  }
  return { ...spec, reboot: { ...reboot, onlyIfNeeded: needUnnamed(reboot.kind === 'ssh') } }
}

async function specOfFile({ file }: RollFlags, selection: ReturnType<typeof selectionFromFlags>, context: CliContext) {
  if (file !== undefined) {
    const name = file === '-' ? 'stdin' : file
    return loadRollFile({ file: name, text: await context.readText(file) }, selection)
  }
  if (selection !== undefined) return rollSpecFromSelection(selection)
  throw new UserError('no nodes to roll are given', {
    code: 'usage.nodes',
    fix: say`${evenkeel`roll -f roll.yaml`}, or name nodes, or -l SELECTOR, or --all`,
  })
}
