import { z } from 'zod'

/** What every field says of itself; reference, JSON schema and error texts are made from it. */
export interface FieldText {
  /** What it means, whole sentences. */
  readonly description: string
  /** A value as it would be written in the file; error texts offer it as the fix. */
  readonly example?: unknown
}

/** The field's type in a word or two (`title`), its meaning and an example, where zod and JSON schema keep them. */
export const fieldMeta = (title: string, { description, example }: FieldText) => ({
  title,
  description,
  ...(example === undefined ? {} : { examples: [example] }),
})

/** A mapping with known fields only. */
export const section = <Shape extends z.core.$ZodLooseShape>(shape: Shape, description: string) =>
  z.strictObject(shape).meta(fieldMeta('section', { description }))
