import { z } from 'zod'
import { fieldMeta } from './section.ts'

export const switchField = (description: string, preset: boolean) =>
  z
    .boolean()
    .meta(fieldMeta('true or false', { description, example: !preset }))
    .prefault(preset)
