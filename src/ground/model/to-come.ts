import type { Node, Taint } from './node.ts'
import { type Command, kubectl } from './sentence.ts'

/** On nodes that a roll has still to begin, so that pods go to other nodes where they can. The value is the run. */
export const TO_COME_KEY = 'evenkeel.dev/to-be-rolled'

export const toComeTaint = (run: string): Taint => ({ key: TO_COME_KEY, value: run, effect: 'PreferNoSchedule' })

/** The run that marked the node; undefined: none did. */
export const markedBy = ({ taints }: Pick<Node, 'taints'>): string | undefined =>
  taints.find(({ key }) => key === TO_COME_KEY)?.value

/** A shell takes no line of any length. */
const TYPED_AT_MOST = 500

/** Takes the mark off these nodes, of the first of them where there are very many. */
export const unmarkCommand = (names: readonly string[]): Command =>
  kubectl`taint nodes ${names.slice(0, TYPED_AT_MOST)} ${TO_COME_KEY}-`
