import { present } from '../../../ground/model/present.ts'
import type { Found } from '../doctor/doctor-snapshot.ts'
import { servedServices } from './choose-backends.ts'
import { chooseBalancers } from './choose-balancers.ts'
import { chooseDrain } from './choose-drain.ts'
import { chooseProbes, chooseReboot, isRebootedBySsh, REBOOTER } from './choose-measures.ts'
import { chooseNodes, chooseRole } from './choose-nodes.ts'
import type { Answers, Question } from './init-question.ts'
import type { InitSnapshot } from './init-snapshot.ts'
import { plainName } from './instance-address.ts'
import { type KuredFields, kuredFields, type RebootWay } from './kured/kured-fields.ts'
import { KuredReader } from './kured/kured-reader.ts'
import { chartValues, scheduleOutline } from './kured/kured-schedule.ts'
import { type KuredRow, kuredRows } from './kured/kured-table.ts'
import type { Field, LeftOut, Part, Section } from './roll-file-outline.ts'

export interface RollProposal {
  readonly file: Section
  /** What could not be read, in the order of the questions. Another answer may lead to other questions. */
  readonly questions: readonly Question[]
  readonly found: readonly string[]
  readonly leftOut: readonly LeftOut[]
  /** Whether a plan can be made: all that it needs is in the file. */
  readonly isComplete: boolean
  /** What became of each flag of kured; absent: the file is not made from kured. */
  readonly kured?: readonly KuredRow[]
  /** A RollSchedule in the cluster begins the roll; absent: none is wanted. */
  readonly schedule?: ScheduleProposal
}

interface ScheduleProposal {
  readonly file: Section
  /** Of the chart. `allowed`: what the administrator allows. */
  readonly valuesWith: (allowed: readonly unknown[]) => Section
}

/** The roll file for what was read, as far as it is known. Pure: the same readings and answers give the same file. */
export function proposeRoll(snapshot: InitSnapshot, answers: Answers): RollProposal {
  const role = chooseRole(snapshot, answers)
  const balancers = chooseBalancers(snapshot, role.nodes, answers)
  const served = balancers.kept.length === 0 ? {} : { nodes: balancers.kept.flatMap((kept) => kept.nodes) }
  const nodes = chooseNodes(snapshot, { role, ...served }, answers)
  const services = servedServices(snapshot, balancers.kept)
  const drain = chooseDrain({ snapshot, nodes: nodes.nodes, services }, answers)
  const kured = snapshot.kured === undefined ? undefined : new KuredReader(snapshot.kured)
  const other =
    kured === undefined ? {} : { isInCluster: true as const, ...present({ command: kured.words('reboot-command') }) }
  const way = { isBySsh: isRebootedBySsh(answers, other), isScheduled: snapshot.isScheduled === true }
  const ofKured = kured === undefined ? NOTHING_OF_KURED : kuredFields(kured, way)
  const reboot = chooseReboot(answers, other)
  const probes = chooseProbes(snapshot.config, balancers.kept, answers)
  const parts = [nodes, balancers, drain, reboot, probes]
  const section = (key: string, fields: readonly Field[], comment?: string): readonly Field[] =>
    fields.length === 0 ? [] : [{ key, value: { fields }, ...present({ comment }) }]
  const spec = {
    fields: [
      ...section('nodes', nodes.fields),
      ...balancers.fields,
      ...section('drain', [...drain.fields, ...ofKured.drain]),
      ...section('reboot', [...reboot.fields, ...ofKured.reboot]),
      ...ofKured.spec,
      ...probes.fields,
    ],
  }
  return {
    file: document(snapshot, spec),
    questions: [...role.questions, ...parts.flatMap((part) => ('questions' in part ? part.questions : []))],
    found: [...parts.flatMap(({ found }) => found), ...configFound(snapshot)],
    leftOut: [
      ...parts.flatMap(({ leftOut }) => leftOut),
      ...unread(snapshot),
      ...doubts(snapshot),
      ...(way.isScheduled ? unreached(snapshot) : []),
    ],
    isComplete: nodes.nodes !== undefined && (balancers.kept.length > 0 || snapshot.noBalancer),
    ...present({ kured: kured && kuredRows(kured, way) }),
    ...(kured !== undefined && way.isScheduled
      ? { schedule: scheduleFor(kured, spec, usesOf(snapshot, reboot, way)) }
      : {}),
  }
}

const scheduleFor = (kured: KuredReader, spec: Section, uses: ReturnType<typeof usesOf>): ScheduleProposal => ({
  file: scheduleOutline(kured, spec),
  valuesWith: (allowed) => chartValues(kured, { allowed, ...uses }),
})

const usesOf = ({ instances }: InitSnapshot, reboot: Part, { isBySsh }: RebootWay) => ({
  isByRebooter: reboot.fields.some(({ key }) => key === REBOOTER),
  usesSsh: isBySsh || instances.some(({ address }) => address.kind === 'ssh'),
})

/** By pods of the cluster. */
const unreached = ({ instances }: InitSnapshot): readonly LeftOut[] =>
  instances
    .filter(({ address }) => address.kind === 'unix')
    .map(({ name, at }) => ({
      what: `${name} in the RollSchedule`,
      why: `a pod reaches no socket of this machine: give the instance tcp in place of ${at} (docs/roll-balancers.md)`,
    }))

const NOTHING_OF_KURED: KuredFields = { spec: [], drain: [], reboot: [] }

const document = ({ context }: InitSnapshot, spec: Section): Section => ({
  fields: [
    { key: 'apiVersion', value: 'evenkeel.dev/v1alpha1' },
    { key: 'kind', value: 'Roll' },
    {
      key: 'metadata',
      value: {
        fields: [
          {
            key: 'name',
            value: plainName(context.context) ?? 'roll',
            comment: `For context ${context.context} (${context.server}).`,
          },
        ],
      },
    },
    { key: 'spec', value: spec },
  ],
})

const configFound = ({ config }: InitSnapshot): readonly string[] =>
  config === undefined
    ? []
    : [`${config.file}: ${config.backends.length} backends, ${config.sockets.length} runtime sockets`]

/** Nodes that cannot be read are reported where nodes are chosen. */
function unread({ pods, services, slices, workloads, budgets }: InitSnapshot): readonly LeftOut[] {
  const lists: readonly (readonly [what: string, found: Found<unknown>, lost: string])[] = [
    ['pods', pods, 'which of them the drain refuses is not known'],
    ['Services', services, 'which DaemonSets other nodes send to is not known'],
    ['EndpointSlices', slices, 'where the API servers listen is known only from the kubeconfig'],
    ['workloads', workloads, 'which DaemonSets other nodes send to is not known'],
    ['PodDisruptionBudgets', budgets, 'which of them refuse evictions is not known'],
  ]
  return lists.flatMap(([what, found, lost]) =>
    found.is === 'failed' ? [{ what, why: `${found.text}: ${lost}` }] : [],
  )
}

const doubts = ({ config }: InitSnapshot): readonly LeftOut[] =>
  (config?.doubts ?? []).map(({ line, text, why }) => ({ what: `${config?.file}:${line} "${text}"`, why }))
