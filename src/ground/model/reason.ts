import { REASONS, type ReasonCode } from './reasons/catalogue.ts'
import type { ReasonEntry } from './reasons/reason-entry.ts'
import { plainText, type Sentence } from './sentence.ts'

export type { ReasonCode } from './reasons/catalogue.ts'

/**
 * Why a decision was taken. `code` is stable (PascalCase, what is the case); `text` is one sentence for people, without
 * a full stop; `object` names what it is about. The same reasons feed progress, explain, the journal and the report.
 */
export interface Reason {
  readonly code: ReasonCode
  readonly text: string
  readonly object?: string
  /** The reason does not pass by itself. The wait is no shorter: a person can change it in that time. */
  readonly never?: boolean
  /** What to type or change, where a person can help. */
  readonly next?: Sentence
}

/** Foreign text may name a code that there is not. */
export const isReasonCode = (text: string): text is ReasonCode => Object.hasOwn(REASONS, text)

/** The class of the wait for this reason. */
export const waitOf = ({ code }: Reason): ReasonEntry['wait'] => REASONS[code].wait

/** A normal part of a step, and no hold. */
export const isProgress = ({ code }: Reason): boolean => REASONS[code].progress === true

/** For a condition or an Event: what is the case, and what helps. */
export const messageOf = ({ text, next }: Reason): string => (next === undefined ? text : `${text}; ${plainText(next)}`)
