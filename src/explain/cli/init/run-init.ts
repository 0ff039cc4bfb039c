import type { CliContext } from '../../../cli/cli-context.ts'
import { EXIT_USAGE } from '../../../cli/exit-codes.ts'
import { shellWord } from '../../../ground/model/posix-quote.ts'
import { present } from '../../../ground/model/present.ts'
import { contextText } from '../../../ground/model/run-origin.ts'
import { type Command, evenkeel, kubectl, plainText } from '../../../ground/model/sentence.ts'
import { UserError } from '../../../ground/model/user-error.ts'
import { clusterWords, flagWords } from '../../../ground/text/flag-words.ts'
import { pasteWith } from '../../../ground/text/paste.ts'
import type { InitSnapshot } from '../../decide/init/init-snapshot.ts'
import { CONTROLLER_NAMESPACE, RELEASE } from '../../decide/init/kured/kured-schedule.ts'
import { proposeRoll, type RollProposal } from '../../decide/init/roll-proposal.ts'
import { askAll, givenAnswers, type Taken } from './ask-questions.ts'
import { findBalancers } from './find-balancers.ts'
import { findKured } from './find-kured.ts'
import type { InitActions } from './init-actions.ts'
import type { InitFlags } from './init-flags.ts'
import { type InitResult, writeResult } from './init-result.ts'
import { filesOf, type Paths, pathsOf, type Texts, textsOf } from './init-texts.ts'

/** Reads, asks, writes. Returns the exit code; nothing is written where it throws. */
export async function runInit(context: CliContext, actions: InitActions, flags: InitFlags): Promise<number> {
  const { signal } = context.interrupts
  refuseScheduleAlone(flags)
  const paths = pathsOf(flags)
  const writes = flags.output !== 'yaml'
  if (writes && flags.overwrite !== true) await refuseExisting(actions, paths)
  const given = givenAnswers(flags)
  const cluster = await actions.readCluster(flags, signal)
  const kured = await findKured({ context, actions, flags })
  const balancers = await findBalancers({ context, actions, flags })
  if (balancers === undefined) return nothingWritten(context)
  const isScheduled = flags.schedule === true ? (true as const) : undefined
  const snapshot: InitSnapshot = { ...cluster, ...balancers, ...present({ kured, isScheduled }) }
  const taken = await askAll(context, { given, asks: flags.yes !== true }, (answers) => proposeRoll(snapshot, answers))
  if (taken === undefined) return nothingWritten(context)
  const texts = textsOf(snapshot, taken.proposal, paths)
  signal.throwIfAborted()
  const placed = writes ? await actions.place(filesOf(paths, texts), { replace: flags.overwrite === true }) : []
  const kept = placed.flatMap((file) => (file.kept === undefined ? [] : [{ path: file.path, kept: file.kept }]))
  const next = nextCommands(flags, paths, taken.proposal)
  writeResult(context, flags, resultOf({ snapshot, taken, paths, kept, next, texts }))
  return 0
}

/** Ctrl-D at a question. */
function nothingWritten({ err }: CliContext): number {
  err.write('Nothing was written.\n')
  return EXIT_USAGE
}

function refuseScheduleAlone({ schedule, from }: InitFlags): void {
  if (schedule !== true || from !== undefined) return
  throw new UserError('--schedule: no program says when rolls are to begin', {
    code: 'usage.schedule',
    fix: 'add --from kured, or write a RollSchedule by hand (docs/rolls.md#a-schedule)',
  })
}

async function refuseExisting(actions: InitActions, { file, rights, schedule, values }: Paths): Promise<void> {
  const wanted = [file, rights, schedule, values].filter((path) => path !== undefined)
  const [first] = await actions.whichExist(wanted)
  if (first === undefined) return
  throw new UserError(`${first} is there already, and nothing was written`, {
    code: 'init.exists',
    fix: 'name another file with --file, or add --overwrite, which keeps the old one as a .bak file',
  })
}

function nextCommands(flags: InitFlags, paths: Paths, { isComplete }: RollProposal): readonly string[] {
  const paste = pasteWith({ kubeconfig: flags.kubeconfig, context: flags.context, file: flags.file })
  const { rights, schedule, values } = paths
  const dryRun = isComplete ? paste(evenkeel`roll -f roll.yaml --dry-run`) : againCommand(flags)
  const first = [paste(kubectl`apply -f ${rights}`), dryRun].map(plainText)
  if (schedule === undefined || values === undefined || !isComplete) return first
  return [...first, installCommand(flags, values), plainText(paste(kubectl`apply -f ${schedule}`))]
}

/** Of the docs, with the values that the RollSchedule takes. */
const installCommand = ({ kubeconfig, context }: InitFlags, values: string): string =>
  [
    `helm upgrade --install ${RELEASE} deploy/chart/evenkeel -n ${CONTROLLER_NAMESPACE} --create-namespace`,
    ...[...flagWords('--kubeconfig', kubeconfig), ...flagWords('--kube-context', context), '-f', values].map(shellWord),
  ].join(' ')

/** With rights or a balancer, a second run finds more. */
function againCommand({
  file,
  haproxySocket = [],
  probe = [],
  haproxyConfig,
  reboot,
  haproxy,
  from,
  schedule,
  ...place
}: InitFlags): Command {
  const words = [
    ...flagWords('-f', file),
    ...haproxySocket.flatMap((socket) => flagWords('--haproxy-socket', socket)),
    ...flagWords('--haproxy-config', haproxyConfig),
    ...(haproxy ? [] : ['--no-haproxy']),
    ...flagWords('--reboot', reboot),
    ...probe.flatMap((url) => flagWords('--probe', url)),
    ...flagWords('--from', from),
    ...(schedule === true ? ['--schedule'] : []),
    ...clusterWords(place),
  ]
  return evenkeel`init --overwrite ${words}`
}

interface Outcome {
  readonly snapshot: InitSnapshot
  readonly taken: Taken
  readonly paths: Paths
  readonly kept: InitResult['kept']
  readonly next: readonly string[]
  readonly texts: Texts
}

function resultOf({ snapshot, taken, paths, kept, next, texts }: Outcome): InitResult {
  const { schedule: _, ...proposal } = taken.proposal
  return {
    ...proposal,
    context: contextText(snapshot.context) ?? '',
    answers: taken.answers,
    ...paths,
    ...{ kept, next, texts },
  }
}
