import { type Command, Option } from 'commander'
import { count } from '../../cli/flag-values.ts'
import type { Wired } from '../../cli/print-result.ts'
import { present } from '../../ground/model/present.ts'
import { type Block, blockLines, type NextStep } from '../../ground/text/labelled-block.ts'
import type { Line } from '../../ground/text/terminal/style.ts'
import type { CheckedIngress } from '../decide/ingress-kind.ts'
import { pause, type RolloutChange, type RolloutWrite, resume, undo } from '../decide/rollout/changes.ts'
import type { OfIngress } from '../decide/rollout/history.ts'
import { retry, skip } from '../decide/rollout/requests.ts'
import { type Changed, changeRollout } from '../run/commands/change-rollout.ts'
import { addControllerPlace, type Commands, commandsOf } from './rollout-place.ts'
import { addSub, type RolloutActions, type RolloutCall } from './sub-command.ts'

interface WriteFlags {
  readonly dryRun?: true
  readonly toRevision?: number
  readonly node?: string
}

type Decide = (object: CheckedIngress, of: OfIngress) => RolloutChange

interface WriteCommand {
  readonly name: string
  readonly summary: string
  readonly example: string
  readonly options?: (command: Command) => Command
  readonly decide: (flags: WriteFlags) => Decide
  /** What a person types after it. */
  readonly next: (commands: Commands) => readonly NextStep[]
}

const status: WriteCommand['next'] = ({ rollout }) => [{ command: rollout('status'), note: 'follow the rollout' }]

const ofNode = (command: Command, isRequired: boolean): Command => {
  const option = new Option('--node <name>', isRequired ? 'the node' : 'this node (default: each node that is stuck)')
  return command.addOption(isRequired ? option.makeOptionMandatory() : option)
}

const COMMANDS: readonly WriteCommand[] = [
  {
    name: 'pause',
    summary: 'begin no further node',
    example:
      'let the nodes that are out come back, and begin no other one\n  evenkeel rollout pause ingressdaemonset/web',
    decide: () => (object) => pause(object),
    next: ({ rollout }) => [{ command: rollout('resume'), note: 'go on' }],
  },
  {
    name: 'resume',
    summary: 'go on after a pause, or after the canary nodes',
    example:
      'go on with the other nodes once the canary nodes look well\n  evenkeel rollout resume ingressdaemonset/web\n\nA pause ends first. Where the rollout then waits after its canary nodes, run it once more.',
    decide: () => (object) => resume(object),
    next: status,
  },
  {
    name: 'undo',
    summary: 'go back to an earlier revision',
    example:
      'go back to the revision before, or to revision 3\n  evenkeel rollout undo ingressdaemonset/web\n  evenkeel rollout undo ingressdaemonset/web --to-revision 3\n\nThe controller writes the template of that revision; from then on it is a rollout\nlike any other: the budget, the canary nodes and a pause hold for it. Where\nmanifests are applied from a repository, change them as well, or they undo it.',
    options: (command) =>
      command.addOption(
        new Option('--to-revision <number>', 'number of the revision (default: the one before)').argParser(count),
      ),
    decide:
      ({ toRevision }) =>
      (object, { revisions }) =>
        undo(object, revisions, toRevision),
    next: status,
  },
  {
    name: 'retry',
    summary: 'try nodes that are stuck once more, or a template that was rolled back',
    example:
      'try each node that is stuck, or one of them\n  evenkeel rollout retry ingressdaemonset/web\n  evenkeel rollout retry ingressdaemonset/web --node n1\n\nA node that is skipped is tried by its name alone. A template that an automatic\nrollback left is rolled out once more.',
    options: (command) => ofNode(command, false),
    decide:
      ({ node }) =>
      (object, { deployments }) =>
        retry(object, { deployments, ...present({ node }) }),
    next: status,
  },
  {
    name: 'skip',
    summary: 'do not count a node that is stuck as a failure of the rollout',
    example:
      'go on although a node is stuck; it stays out, and keeps its slot\n  evenkeel rollout skip ingressdaemonset/web --node n1',
    options: (command) => ofNode(command, true),
    decide:
      ({ node = '' }) =>
      (object, { deployments }) =>
        skip(object, { deployments, node }),
    next: status,
  },
]

/** `evenkeel rollout pause`, `resume`, `undo`, `retry` and `skip`. */
export function addWrites(rollout: Command, wired: Wired<RolloutActions>): void {
  for (const each of COMMANDS) {
    const command = rollout
      .command(each.name)
      .summary(each.summary)
      .option('--dry-run', 'only say what would be written')
      .addHelpText(
        'after',
        `\nExample: ${each.example}\n\nExit codes: 0 written, or already so; 1 the API refused it; 2 wrong usage, or the\npresent state does not allow it.`,
      )
    addSub<WriteFlags>(addControllerPlace(each.options?.(command) ?? command), wired, (call, flags) =>
      written(each, call, flags),
    )
  }
}

async function written({ decide, next, name }: WriteCommand, call: RolloutCall, flags: WriteFlags) {
  const { ground, at, place, signal } = call
  const isDry = flags.dryRun === true
  const { objects } = ground
  const changed = await changeRollout({ objects, at, decide: decide(flags), isDry }, signal)
  const commands = commandsOf(changed.object, place)
  const steps = changed.change.kind === 'write' && !isDry ? next(commands) : []
  return {
    code: 0,
    lines: (columns: number) => changedLines(changed, { name, isDry, steps, columns }),
    document: changedDocument(changed, { name, isDry, steps }),
  }
}

interface Shown {
  readonly name: string
  readonly isDry: boolean
  readonly steps: readonly NextStep[]
}

function changedLines(
  { object, change }: Changed,
  { isDry, steps, columns }: Shown & { readonly columns: number },
): readonly Line[] {
  const at = `${object.namespace}/${object.name}`
  if (change.kind === 'nothing') return [[`${at}: nothing to do: ${change.text}`]]
  const [first, ...more] = change.writes.map(({ text }) => text)
  const block: Block = {
    word: isDry ? 'DRY RUN' : 'DONE',
    title: `${at}: ${first ?? ''}`,
    rows: [
      { label: 'also', texts: more },
      ...(isDry ? [{ label: 'write', texts: change.writes.map(writeText(object)) }] : []),
      { label: 'next', texts: steps },
    ],
  }
  return blockLines(block, columns)
}

const writeText =
  ({ name }: CheckedIngress) =>
  ({ deployment, patch }: RolloutWrite) => ({
    // Whole, as a command is: it is to be read by machines as well.
    command: `${deployment === undefined ? `ingressdaemonset/${name}` : `deployment/${deployment}`} ${JSON.stringify(patch)}`,
    note: '',
  })

const changedDocument = ({ object, change }: Changed, { name, isDry, steps }: Shown): object => ({
  ...{ group: object.group, namespace: object.namespace, name: object.name },
  command: name,
  dryRun: isDry,
  changed: change.kind === 'write' && !isDry,
  ...(change.kind === 'nothing' ? { text: change.text } : { writes: change.writes }),
  next: steps.map(({ command }) => command),
})
