import type { CliContext } from '../../../cli/cli-context.ts'
import { EXIT_USAGE } from '../../../cli/exit-codes.ts'
import { shellWord } from '../../../ground/model/posix-quote.ts'
import { present } from '../../../ground/model/present.ts'
import { contextText } from '../../../ground/model/run-origin.ts'
import { type Command, evenkeel, kubectl, plainText } from '../../../ground/model/sentence.ts'
import { UserError } from '../../../ground/model/user-error.ts'
import { clusterWords, flagWords } from '../../../ground/text/flag-words.ts'
import { pasteWith } from '../../../ground/text/paste.ts'
import { loadRollFile } from '../../../roll/file/load-roll-file.ts'
import { readRollFile } from '../../../roll/file/read-roll-file.ts'
import type { InitSnapshot } from '../../decide/init/init-snapshot.ts'
import { rightsManifests } from '../../decide/init/rights-manifests.ts'
import { proposeRoll, type RollProposal } from '../../decide/init/roll-proposal.ts'
import { askAll, givenAnswers, type Taken } from './ask-questions.ts'
import { findBalancers } from './find-balancers.ts'
import { findKured } from './find-kured.ts'
import type { InitActions } from './init-actions.ts'
import type { InitFlags } from './init-flags.ts'
import { type InitResult, writeResult } from './init-result.ts'
import { manifestsYaml, rollFileYaml } from './write-yaml.ts'

/** Reads, asks, writes. Returns the exit code; nothing is written where it throws. */
export async function runInit(context: CliContext, actions: InitActions, flags: InitFlags): Promise<number> {
  const { signal } = context.interrupts
  const paths = { file: flags.file, rights: rightsPath(flags.file) }
  const writes = flags.output !== 'yaml'
  if (writes && flags.overwrite !== true) await refuseExisting(actions, paths)
  const given = givenAnswers(flags)
  const cluster = await actions.readCluster(flags, signal)
  const kured = await findKured({ context, actions, flags })
  const balancers = await findBalancers({ context, actions, flags })
  if (balancers === undefined) return nothingWritten(context)
  const snapshot: InitSnapshot = { ...cluster, ...balancers, ...present({ kured }) }
  const taken = await askAll(context, { given, asks: flags.yes !== true }, (answers) => proposeRoll(snapshot, answers))
  if (taken === undefined) return nothingWritten(context)
  const texts = textsOf(snapshot, taken.proposal, paths)
  signal.throwIfAborted()
  const files = [
    { path: paths.rights, text: texts.rights },
    { path: paths.file, text: texts.roll },
  ]
  const placed = writes ? await actions.place(files, { replace: flags.overwrite === true }) : []
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

interface Paths {
  readonly file: string
  readonly rights: string
}

/** `roll.yaml` has `roll-rights.yaml` beside it. */
const rightsPath = (file: string): string => `${file.replace(/\.ya?ml$/, '')}-rights.yaml`

async function refuseExisting(actions: InitActions, { file, rights }: Paths): Promise<void> {
  const [first] = await actions.whichExist([file, rights])
  if (first === undefined) return
  throw new UserError(`${first} is there already, and nothing was written`, {
    code: 'init.exists',
    fix: 'name another file with --file, or add --overwrite, which keeps the old one as a .bak file',
  })
}

interface Texts {
  readonly roll: string
  readonly rights: string
}

/** Both are parsed again before either is put in place. */
function textsOf(snapshot: InitSnapshot, { file, isComplete }: RollProposal, paths: Paths): Texts {
  const roll = rollFileYaml(HEAD, file)
  const source = { file: paths.file, text: roll }
  try {
    const spec = isComplete ? loadRollFile(source) : readRollFile(source).spec
    const head = [`The rights of evenkeel roll -f ${shellWord(paths.file)}, and no other.`]
    return { roll, rights: manifestsYaml([...head, ...aboutCluster(snapshot)], rightsManifests(spec)) }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    throw new UserError('what was found makes no valid roll file, and nothing was written', {
      code: 'init.invalid',
      details: error.details.map((detail) => detail.replaceAll(`${paths.file}:`, 'the proposal:')),
      fix: 'correct what the lines above name, or leave it out: --no-haproxy',
      cause: error,
    })
  }
}

const HEAD = [
  'Made by evenkeel init. It is yours to edit: init never reads it.',
  'Every field is described in docs/roll-file.md. Times and limits that are not written have their defaults.',
]

const aboutCluster = ({ context }: InitSnapshot): readonly string[] => [
  `For ${contextText(context) ?? 'this cluster'}.`,
]

function nextCommands(flags: InitFlags, paths: Paths, { isComplete }: RollProposal): readonly string[] {
  const paste = pasteWith({ kubeconfig: flags.kubeconfig, context: flags.context, file: flags.file })
  const apply = paste(kubectl`apply -f ${paths.rights}`)
  return [apply, isComplete ? paste(evenkeel`roll -f roll.yaml --dry-run`) : againCommand(flags)].map(plainText)
}

/** With rights or a balancer, a second run finds more. */
function againCommand({
  file,
  haproxySocket = [],
  probe = [],
  haproxyConfig,
  reboot,
  haproxy,
  from,
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

const resultOf = ({ snapshot, taken, paths, kept, next, texts }: Outcome): InitResult => ({
  ...taken.proposal,
  context: contextText(snapshot.context) ?? '',
  answers: taken.answers,
  ...paths,
  ...{ kept, next, texts },
})
