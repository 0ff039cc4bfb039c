import type { RollDocument } from './roll-document.ts'

/** What keeps a run from proving anything, or is worse than slow; one line each. */
export const rollTroubles = (documents: readonly RollDocument[]): readonly string[] =>
  documents.flatMap(({ way, judged }) => [
    ...(judged.void ? [`${way}: void, the judge skipped more than 0.1 %`] : []),
    ...(judged.outcome === undefined || judged.outcome.code === 0 ? [] : [`${way}: ended with ${judged.outcome.code}`]),
  ])
