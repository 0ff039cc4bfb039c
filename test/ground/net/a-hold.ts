import type { LookupFunction } from 'node:net'
import { systemTimers as timers } from '../../../src/ground/machine/system-timers.ts'
import type { HoldAnswer, HoldQuestion } from '../../../src/guard/holds/hold-source.ts'
import { HttpHolds } from '../../../src/guard/io/ask-hold.ts'

/** Asks for a good answer alone, unless a value is wanted; ten seconds are as good as no limit. */
export const askHold = (
  question: Partial<HoldQuestion> & Pick<HoldQuestion, 'url'>,
  { signal = new AbortController().signal, lookup }: { signal?: AbortSignal; lookup?: LookupFunction } = {},
): Promise<HoldAnswer> =>
  new HttpHolds({ timers, ...(lookup === undefined ? {} : { lookup }) }).ask({ timeoutMs: 10_000, ...question }, signal)

/** The one text of an answer. */
export const textOf = (answer: HoldAnswer): string => (answer.kind === 'unknown' ? answer.why : answer.evidence)

export const STATUS = { jsonPath: '$.status', equals: 'green' }
