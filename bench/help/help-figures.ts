import type { Figure } from '../report/figure.ts'
import type { HelpDocument } from './help-document.ts'

export function helpFigures({ timesMs, medianMs, bareMedianMs, goalMs }: HelpDocument): readonly Figure[] {
  return [
    {
      part: 'help',
      name: `evenkeel --help from the bundle, median of ${timesMs.length}`,
      value: medianMs,
      unit: 'ms',
      beside: { name: 'node -e 0', value: bareMedianMs },
      goal: goalMs,
    },
  ]
}
