import { z } from 'zod'
import { type FieldFacts, fieldMeta } from './section.ts'

interface Range {
  readonly from: number
  readonly to: number
}

export const wholeNumberField = (facts: FieldFacts, { from, to }: Range) =>
  z.int().min(from).max(to).meta(fieldMeta('whole number', facts))

export const numberField = (facts: FieldFacts, { from, to }: Range) =>
  z.number().min(from).max(to).meta(fieldMeta('number', facts))
