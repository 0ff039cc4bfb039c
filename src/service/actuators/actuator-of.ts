import type { NodeServer } from '../decide/node-servers.ts'
import type { ServiceSnapshot } from '../decide/service-snapshot.ts'
import type { ServerReading } from '../model/balancer.ts'
import type { BalancerKind, BalancerSpec, BalancerVia } from '../model/balancer-spec.ts'
import { markText } from '../model/node-mark.ts'
import type { Actuator, OwnReadingWords, ReadingWords } from './actuator.ts'
import { endpointWords, healthEndpoint } from './agent/health-endpoint.ts'
import { commandAdvice, commands, commandWords } from './commands/commands.ts'
import { annotation, annotationWords } from './detacher/annotation.ts'
import { haproxy, haproxyAdvice, haproxyBySsh, haproxyWords } from './haproxy/haproxy.ts'
import { checkWords } from './mark/check-reasons.ts'
import { healthCheck } from './mark/health-check.ts'

/** The rules of one kind of balancer. */
interface Rules<Kind extends BalancerKind> {
  readonly actuator: (via: BalancerVia<Kind>) => Actuator
  /** Absent: the readings of this kind have the same fields as those of HAProxy. */
  readonly words?: OwnReadingWords
  /** What to do where an instance gives no reading, by the code of its error. */
  readonly advice?: Readonly<Record<string, string>>
  /** What it sets on a Node that is out, in words: by another one the node would not be put back. Absent: nothing that the file names. */
  readonly nodeMark?: (via: BalancerVia<Kind>) => string
  /** Whether the balancer is reached by the program `ssh`, which doctor then looks for. Absent: never. */
  readonly isBySsh?: (via: BalancerVia<Kind>) => boolean
}

/** The one place where an actuator is chosen. */
const KINDS: { readonly [Kind in BalancerKind]: Rules<Kind> } = {
  haproxy: { actuator: () => haproxy, advice: haproxyAdvice, isBySsh: haproxyBySsh },
  agent: { actuator: healthEndpoint, words: endpointWords },
  mark: { actuator: healthCheck, words: checkWords, nodeMark: ({ mark }) => markText(mark) },
  detacher: {
    actuator: annotation,
    words: annotationWords,
    nodeMark: ({ request }) => markText({ kind: 'annotation', ...request }),
  },
  commands: { actuator: commands, words: commandWords, advice: commandAdvice },
}

const actuatorBy = <Kind extends BalancerKind>(via: BalancerVia<Kind>): Actuator => KINDS[via.kind].actuator(via)

const bySsh = <Kind extends BalancerKind>(via: BalancerVia<Kind>): boolean => KINDS[via.kind].isBySsh?.(via) ?? false

const markBy = <Kind extends BalancerKind>(via: BalancerVia<Kind>): string | undefined =>
  KINDS[via.kind].nodeMark?.(via)

export const nodeMarkOf = ({ via }: BalancerSpec): string | undefined => markBy(via)

/** A node that one of them took out can be put back by the other one. */
export const takesOutAlike = (one: BalancerSpec, other: BalancerSpec): boolean =>
  one.via.kind === other.via.kind && nodeMarkOf(one) === nodeMarkOf(other)

export const isReachedBySsh = ({ via }: BalancerSpec): boolean => bySsh(via)

/** The actuator of the balancer with this name. */
export function actuatorAt(balancers: readonly BalancerSpec[], balancer: string): Actuator {
  const spec = balancers.find(({ name }) => name === balancer)
  return spec === undefined ? haproxy : actuatorBy(spec.via)
}

/** The actuator of a place. */
export const actuatorOf = (s: ServiceSnapshot, { recorded }: NodeServer): Actuator =>
  actuatorAt(s.balancers, recorded.balancer)

/** The words for a reading, chosen by its fields alone. */
export const wordsOf = (reading: ServerReading | undefined): ReadingWords =>
  (reading && WORDS.find((words) => words.areOf(reading))) ?? haproxyWords

const WORDS: readonly OwnReadingWords[] = Object.values(KINDS).flatMap(({ words = [] }) => words)

const ADVICE: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(KINDS).map(({ advice }) => advice))

/** What to do about an error of a balancer, by its code. */
export const adviceFor = (code: string): string | undefined => ADVICE[code]

/** Keys of the marks by which a file takes nodes out. They say nothing of other programs. */
export const markKeys = ({ balancers }: { readonly balancers: readonly BalancerSpec[] }): readonly string[] =>
  balancers.flatMap(({ via }) => (via.kind === 'mark' ? [via.mark.key] : []))
