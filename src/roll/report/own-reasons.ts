import type { StepDocument } from './report-document.ts'

/** Why a step was begun and ended, each reason once; reasons of holds are shown with the holds. */
export function ownReasons({ reasons, holds }: Pick<StepDocument, 'reasons' | 'holds'>): readonly string[] {
  const held = new Set(holds.flatMap((hold) => hold.reasons.map(({ text }) => text)))
  return [...new Set(reasons.map(({ text }) => text))].filter((text) => !held.has(text))
}
