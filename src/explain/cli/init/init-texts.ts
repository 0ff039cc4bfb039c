import { shellWord } from '../../../ground/model/posix-quote.ts'
import { contextText } from '../../../ground/model/run-origin.ts'
import { Untrusted } from '../../../ground/model/untrusted.ts'
import { UserError } from '../../../ground/model/user-error.ts'
import { ROLL_SCHEDULES } from '../../../operator/model/roll-schedule.ts'
import { valuesToAllow } from '../../../operator/reading/file-faults.ts'
import { scheduleFaults } from '../../../operator/reading/schedule-times.ts'
import { loadRollFile } from '../../../roll/file/load-roll-file.ts'
import { readRollFile } from '../../../roll/file/read-roll-file.ts'
import { parseYamlTree } from '../../../roll/file/yaml-tree.ts'
import type { InitSnapshot } from '../../decide/init/init-snapshot.ts'
import { CONTROLLER_NAMESPACE, RELEASE } from '../../decide/init/kured/kured-schedule.ts'
import { furtherRights, rightsManifests } from '../../decide/init/rights-manifests.ts'
import type { RollProposal } from '../../decide/init/roll-proposal.ts'
import type { InitFlags } from './init-flags.ts'
import { manifestsYaml, rollFileYaml } from './write-yaml.ts'

export interface Paths {
  readonly file: string
  readonly rights: string
  readonly schedule?: string
  readonly values?: string
}

/** `roll.yaml` has `roll-rights.yaml` and, where they are wanted, two more beside it. */
export function pathsOf({ file, schedule }: InitFlags): Paths {
  const stem = file.replace(/\.ya?ml$/, '')
  const ofSchedule = { schedule: `${stem}-schedule.yaml`, values: `${stem}-values.yaml` }
  return { file, rights: `${stem}-rights.yaml`, ...(schedule === true ? ofSchedule : {}) }
}

/** The texts of the files. */
export interface Texts {
  readonly roll: string
  readonly rights: string
  readonly schedule?: string
  readonly values?: string
}

export function filesOf(paths: Paths, texts: Texts): readonly { readonly path: string; readonly text: string }[] {
  const pairs = (['rights', 'values', 'schedule'] as const).flatMap((name) => {
    const [path, text] = [paths[name], texts[name]]
    return path === undefined || text === undefined ? [] : [{ path, text }]
  })
  return [...pairs, { path: paths.file, text: texts.roll }]
}

/** All are parsed again before one is put in place. */
export function textsOf(snapshot: InitSnapshot, proposal: RollProposal, paths: Paths): Texts {
  const { file, isComplete } = proposal
  const roll = rollFileYaml(HEAD, file)
  const source = { file: paths.file, text: roll }
  try {
    const spec = isComplete ? loadRollFile(source) : readRollFile(source).spec
    const head = [`The rights of evenkeel roll -f ${shellWord(paths.file)}, and no other.`]
    const rights = manifestsYaml([...head, ...aboutCluster(snapshot)], rightsManifests(spec))
    const further = furtherRights(spec, { namespace: CONTROLLER_NAMESPACE, name: `${RELEASE}-roll` })
    return { roll, rights, ...scheduleTexts(proposal, { roll, rights: manifestsYaml([], further) }) }
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

/** The controller reads the RollSchedule as it is checked here. `rights`: those that the chart does not give. */
function scheduleTexts(
  { schedule, isComplete }: RollProposal,
  { roll, rights }: Pick<Texts, 'roll' | 'rights'>,
): Pick<Texts, 'schedule' | 'values'> {
  if (schedule === undefined) return {}
  const text = rollFileYaml(SCHEDULE_HEAD, schedule.file)
  const allowed = valuesToAllow(parseYamlTree(roll).value)
  const faults = isComplete ? faultsOf(text, allowed) : []
  if (faults.length > 0) throw new UserError('the RollSchedule has faults', { code: 'init.invalid', details: faults })
  return {
    schedule: rights === '' ? text : `${rights}---\n${text}`,
    values: rollFileYaml(VALUES_HEAD, schedule.valuesWith(allowed)),
  }
}

function faultsOf(text: string, allowed: readonly unknown[]): readonly string[] {
  const { metadata, ...rest } = new Untrusted(parseYamlTree(text).value, 'RollSchedule').fields()
  const asCreated = { ...rest, metadata: { ...(metadata as object), uid: 'new', resourceVersion: '1' } }
  return scheduleFaults(ROLL_SCHEDULES.parse(new Untrusted(asCreated, 'RollSchedule')), allowed)
}

const HEAD = [
  'Made by evenkeel init. It is yours to edit: init never reads it.',
  'Every field is described in docs/roll-file.md. Times and limits that are not written have their defaults.',
]

const SCHEDULE_HEAD = [
  'Made by evenkeel init, for evenkeel controller --rolls. It is yours to edit: init never reads it.',
  'Its template is the roll file beside it. The fields of a RollSchedule are described in docs/rolls.md.',
]

const VALUES_HEAD = [
  `Made by evenkeel init: values of the chart for the RollSchedule beside it. The release is ${RELEASE} in the namespace ${CONTROLLER_NAMESPACE};`,
  'another name of either also has to be written in that file. image.repository names your registry.',
]

const aboutCluster = ({ context }: InitSnapshot): readonly string[] => [
  `For ${contextText(context) ?? 'this cluster'}.`,
]
