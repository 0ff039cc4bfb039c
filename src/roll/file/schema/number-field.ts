import { z } from 'zod'
import { type FieldText, fieldMeta } from './section.ts'

interface Range {
  readonly from: number
  readonly to: number
}

export const wholeNumberField = (text: FieldText, { from, to }: Range) =>
  z.int().min(from).max(to).meta(fieldMeta('whole number', text))

export const numberField = (text: FieldText, { from, to }: Range) =>
  z.number().min(from).max(to).meta(fieldMeta('number', text))
