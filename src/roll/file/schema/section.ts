import { z } from 'zod'

/** The texts of a field; reference, JSON schema and error texts are made from them. */
export interface FieldText {
  /** The meaning, in whole sentences. */
  readonly description: string
  /** A value as it is written in the file; error texts offer it as the fix. */
  readonly example?: unknown
}

/**
 * The field's type in a word or two (`title`), its meaning and an example, in the places that zod and JSON schema have for
 * them.
 */
export const fieldMeta = (title: string, { description, example }: FieldText) => ({
  title,
  description,
  ...(example === undefined ? {} : { examples: [example] }),
})

/** A mapping with known fields only. */
export const section = <Shape extends z.core.$ZodLooseShape>(shape: Shape, description: string) =>
  z.strictObject(shape).meta(fieldMeta('section', { description }))
