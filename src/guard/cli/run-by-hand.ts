import type { Result } from '../../cli/print-result.ts'
import { formatDuration } from '../../ground/model/duration.ts'
import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { present } from '../../ground/model/present.ts'
import { toIsoSeconds, wallMs } from '../../ground/model/time.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { flagWords } from '../../ground/text/flag-words.ts'
import type { ByHandRequest } from '../decide/by-hand.ts'
import { explainNode } from '../decide/from-status/explain-node.ts'
import { ANNOTATIONS, type ByHandKind, changeGuard } from '../run/commands/change-guard.ts'
import { findGuard, findNode } from '../run/commands/find-guard.ts'
import { byHandDocument, byHandLines, nothingLines } from './by-hand-lines.ts'
import { explain } from './explain-command.ts'
import type { Explained } from './explain-lines.ts'
import { guardCommands } from './guard-place.ts'
import { type GuardCall, looksAlike } from './sub-command.ts'

export interface ByHandFlags {
  readonly node: string
  /** Milliseconds. */
  readonly for?: number
  readonly why?: string
  readonly by?: string
  readonly remove?: true
  readonly replace?: true
  readonly yes?: true
}

interface ByHandRun {
  readonly call: GuardCall
  readonly flags: ByHandFlags
  readonly command: 'release' | 'hold'
  readonly kind: ByHandKind
}

/** Adds an entry of a person to a NodeGuard, or takes it back. Rejects with UserError and WorldError. */
export async function runByHand(run: ByHandRun): Promise<Result> {
  const by = personOf(run)
  refuseUnready(run)
  return run.flags.remove === true ? removed(run, by) : added(run, by)
}

async function added(run: ByHandRun, by: string): Promise<Result> {
  const { call, flags, command } = run
  const { node, why, for: forMs } = flags
  const before = await explain(call, node)
  if (command === 'release' && flags.yes !== true) {
    const isSure = await call.context.ask(question(before, forMs ?? 0), call.signal, node)
    if (!isSure)
      throw new UserError('the name of the node was not typed, so nothing was written', {
        code: 'guard.not-confirmed',
        fix: `type ${node} at the prompt, or add --yes`,
      })
  }
  // From now on, and not from when the question was asked.
  const now = call.context.clock.wallMs()
  const until = forMs === undefined ? {} : { until: toIsoSeconds(wallMs(now + forMs)) }
  const entry = { node, by, ...until, ...present({ why }) }
  const after = await written(run, { kind: 'add', entry })
  const notice = { ...after, command, entry, isRemoved: false } as const
  return { code: 0, lines: (columns) => byHandLines(notice, columns), document: byHandDocument(notice) }
}

async function removed(run: ByHandRun, by: string): Promise<Result> {
  const { flags, command } = run
  const { node } = flags
  const after = await written(run, { kind: 'remove', node, by })
  const notice = { ...after, command, entry: { node, by }, isRemoved: true } as const
  return {
    code: 0,
    lines: (columns) => (notice.isChanged ? byHandLines(notice, columns) : nothingLines(notice)),
    document: byHandDocument(notice),
  }
}

/** What was written, and how the node stands then. */
async function written(run: ByHandRun, request: ByHandRequest) {
  const { call, flags, kind } = run
  const { ground, namespace, name = '', context, place, signal } = call
  const { objects, cluster } = ground
  const now = context.clock.wallMs()
  const read = (at: { readonly namespace: string; readonly name: string }) =>
    findGuard({ objects, looksAlike }, at, signal)
  const at = { namespace, name }
  const changing = { objects, read, at, kind, request, now, replaces: flags.replace === true }
  const { guard, change } = await changeGuard(changing, signal)
  if (change.kind === 'unreadable') throw unreadable(run, change.why)
  if (change.kind === 'others') throw ofOthers(run, change.entries[0]?.by ?? '')
  // A Node that is gone may have left an entry; what was never written is more likely a slip of the pen.
  const found =
    change.kind === 'write' && request.kind === 'remove'
      ? await cluster.readNode(flags.node, signal)
      : await findNode({ objects, cluster, looksAlike }, flags.node, signal)
  return {
    guard,
    isChanged: change.kind === 'write',
    left: change.kind === 'write' ? change.left : [],
    commands: guardCommands(guard, place),
    ...(found === undefined ? {} : { explanation: explainNode(guard, found, now) }),
  }
}

const UNHELD: Readonly<Record<string, string>> = {
  Requested: 'no hold stands',
  Granted: 'it is granted already',
  Draining: 'its guard was evicted already',
}

function question({ guard, node, explanation }: Explained, forMs: number): string {
  const { message, state } = explanation
  const unheld = UNHELD[state] ?? 'its holds are not checked'
  const now = state === 'Held' && message !== undefined ? message : unheld
  const lines = [
    `${node} is to be let go whatever holds it in ${guard.namespace}/${guard.name}, for ${formatDuration(forMs)}.`,
    `At this moment: ${now}.`,
    `Type ${node} to release it: `,
  ]
  return lines.map((line) => escapeForeign(line)).join('\n')
}

function refuseUnready({ call: { context }, flags, command }: ByHandRun): void {
  if (flags.remove === true && (flags.for !== undefined || flags.why !== undefined))
    throw new UserError('--remove takes an entry back, and --for and --why are of a new one', {
      code: 'guard.usage',
      fix: 'leave out --remove, or --for and --why',
    })
  if (command === 'hold' || flags.remove === true) return
  if (flags.for === undefined)
    throw new UserError('a release needs an end', { code: 'guard.usage', fix: 'add --for 10min, at most 24h' })
  const { stdinIsTerminal, stderrIsTerminal } = context.terminal
  if (flags.yes === true || (stdinIsTerminal && stderrIsTerminal)) return
  throw new UserError('a release has to be confirmed, and there is no terminal to ask at', {
    code: 'usage.nobody-to-ask',
    fix: 'add --yes',
  })
}

function personOf({ call: { context, ground }, flags }: ByHandRun): string {
  const found = [flags.by, context.terminal.env.USER, ground.user].find((name) => name !== undefined && name !== '')
  if (found !== undefined) return found
  throw new UserError('it is not known whose entry it is: USER is not set, and the kubeconfig names no user', {
    code: 'guard.usage',
    fix: 'add --by NAME',
  })
}

const unreadable = ({ kind, call, flags, command }: ByHandRun, why: string): UserError => {
  const at = { namespace: call.namespace, name: call.name ?? '' }
  const { kubectl, guard } = guardCommands(at, call.place)
  const look = kubectl('-n', at.namespace, 'get', 'nodeguard', at.name, '-o', 'yaml')
  const end = guard(command, '--node', flags.node, '--remove', '--replace')
  return new UserError(
    `the annotation ${ANNOTATIONS[kind]} of ${at.namespace}/${at.name} cannot be read, so it is not overwritten: ${why}`,
    { code: 'guard.unreadable', fix: `look at it by ${look}; --replace gives up all that is in it, as in ${end}` },
  )
}

const ofOthers = ({ call, command, flags }: ByHandRun, by: string): UserError => {
  const { guard } = guardCommands({ namespace: call.namespace, name: call.name ?? '' }, call.place)
  return new UserError(`the entry of ${flags.node} is by ${by}, so it is not removed`, {
    code: 'guard.of-others',
    fix: guard(command, '--node', flags.node, ...flagWords('--by', by), '--remove'),
  })
}
