import type { StepDocument } from './report-document.ts'

/** Why a step was begun and ended, each once; what held it is told with its holds. */
export function ownReasons({ reasons, holds }: Pick<StepDocument, 'reasons' | 'holds'>): readonly string[] {
  const held = new Set(holds.flatMap((hold) => hold.reasons.map(({ text }) => text)))
  return [...new Set(reasons.map(({ text }) => text))].filter((text) => !held.has(text))
}
