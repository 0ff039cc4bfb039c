import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import type { Node } from '../../../ground/model/node.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import {
  asksMachine,
  type NeedAnswer,
  type NodeVersions,
  type RebootNeedSpec,
} from '../../../ground/model/reboot-need.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import { conditionWay } from './condition-need.ts'
import type { HostInquiry } from './host-inquiry.ts'
import type { NeedWay } from './need-way.ts'

/** Whether a node or machine has to be rolled. If it is not known, it is in the plan, and the finding fails the plan. */
export type RebootNeed =
  | { readonly kind: 'needed' | 'none'; readonly why: string }
  | { readonly kind: 'unknown'; readonly findings: readonly PlanFinding[] }

interface NeedAsked {
  /** Of its machine; absent: the machine was not asked. */
  readonly answer?: HostInquiry['answer'] | undefined
  /** Absent: it is not known how old a condition is. */
  readonly wall?: WallMs | undefined
}

/** By all ways that the file names. */
export function rebootNeed(node: Node, spec: RebootNeedSpec, { answer, wall }: NeedAsked): RebootNeed {
  const ofNode = spec.condition === undefined ? [] : [conditionWay(node, wall)]
  return needBy(node.name, [...machineWays(node, spec, answer), ...ofNode, ...versionWays(node, spec)])
}

/**
 * The same for a machine of a load balancer, by its own answer: no Node shows its versions. Undefined where the file has no
 * check that asks machines.
 */
export function hostNeed(name: string, spec: RebootNeedSpec, answer: HostInquiry['answer']): RebootNeed | undefined {
  if (!asksMachine(spec)) return undefined
  if (answer.kind === 'failed') return needBy(name, [{ kind: 'unknown', text: answer.text, isReported: true }])
  return needBy(name, askedWays(spec, answer.reading.need))
}

function needBy(name: string, ways: readonly NeedWay[]): RebootNeed {
  const needed = ways.filter(({ kind }) => kind === 'needed')
  if (needed.length > 0) return { kind: 'needed', why: textOf(needed) }
  const unknown = ways.filter(({ kind }) => kind === 'unknown')
  if (unknown.length > 0) {
    return { kind: 'unknown', findings: unknown.filter(({ isReported }) => isReported !== true).map(notKnown(name)) }
  }
  return { kind: 'none', why: `needs no reboot: ${textOf(ways)}` }
}

const textOf = (ways: readonly NeedWay[]): string => ways.map(({ text }) => text).join('; ')

const notKnown =
  (node: string) =>
  ({ text, fix = 'correct that' }: NeedWay): PlanFinding => ({
    severity: 'error',
    code: 'RebootNeedUnknown',
    node,
    text: `it is not known whether ${node} needs a reboot: ${text}`,
    fix: `${fix}, or roll all chosen nodes: --no-only-if-needed`,
  })

/** `hostFindings` already reports that a machine could not be reached, or that another one answered for it. */
function machineWays(node: Node, spec: RebootNeedSpec, answer: HostInquiry['answer'] | undefined): readonly NeedWay[] {
  if (!asksMachine(spec)) return []
  if (answer?.kind === 'failed') return [{ kind: 'unknown', text: answer.text, isReported: true }]
  const { need, bootId = node.bootId } = answer?.reading ?? {}
  if (bootId !== node.bootId) return [{ kind: 'unknown', text: `the machine has boot id ${bootId}`, isReported: true }]
  return askedWays(spec, need)
}

const askedWays = ({ sentinel, command }: RebootNeedSpec, need: NeedAnswer = {}): readonly NeedWay[] => [
  ...(sentinel === undefined ? [] : [sentinelWay(sentinel, need.sentinel)]),
  ...(command === undefined ? [] : [commandWay(command, need.command)]),
]

function sentinelWay(path: string, answer: NeedAnswer['sentinel']): NeedWay {
  switch (answer?.kind) {
    case 'there':
      return { kind: 'needed', text: `${path} is there${packagesText(answer)}` }
    case 'absent':
      return { kind: 'none', text: `no ${path}` }
    default:
      return { kind: 'unknown', text: `the machine cannot say whether it has ${path}: ${answer?.text ?? 'no answer'}` }
  }
}

const PACKAGES_MAX = 5
const PACKAGE_CHARS_MAX = 60

function packagesText({ packages, isCut }: { readonly packages: readonly string[]; readonly isCut: boolean }): string {
  if (packages.length === 0) return ''
  const shown = packages.slice(0, PACKAGES_MAX).map((name) => escapeForeign(name, PACKAGE_CHARS_MAX))
  const left = packages.length - shown.length
  const more = isCut ? ['more'] : left > 0 ? [`${left} more`] : []
  return `, for ${[...shown, ...more].join(', ')}`
}

function commandWay(
  { argv, neededExitCode, otherExitCode }: NonNullable<RebootNeedSpec['command']>,
  answer: NeedAnswer['command'],
): NeedWay {
  // Its arguments may have a password among them, and this text is shown and sent to others.
  const command = escapeForeign(argv[0] ?? '', 100)
  if (answer?.kind !== 'ended') {
    return { kind: 'unknown', text: `${command} could not be asked: ${answer?.text ?? 'no answer'}` }
  }
  const { exitCode, errors } = answer
  const text = `${command} ended with exit code ${exitCode}`
  if (exitCode === neededExitCode) return { kind: 'needed', text }
  if (exitCode === otherExitCode) return { kind: 'none', text }
  const wanted = `only ${neededExitCode} (needed) and ${otherExitCode} (not needed) are answers`
  return { kind: 'unknown', text: `${text}, and ${wanted}${errors === '' ? '' : `: ${errors}`}` }
}

const VERSIONS: readonly (keyof NodeVersions)[] = ['kernelVersion', 'kubeletVersion', 'osImage']

const versionWays = ({ versions = {} }: Node, spec: RebootNeedSpec): readonly NeedWay[] =>
  VERSIONS.flatMap((name): readonly NeedWay[] => {
    const wanted = spec.versions[name]
    if (wanted === undefined) return []
    const found = versions[name]
    if (found === undefined) return [{ kind: 'unknown', text: `the Node shows no ${name}` }]
    const shown = escapeForeign(found, 100)
    return [
      found === wanted
        ? { kind: 'none', text: `${name} is ${shown}` }
        : { kind: 'needed', text: `${name} is ${shown}, and ${escapeForeign(wanted, 100)} is wanted` },
    ]
  })
