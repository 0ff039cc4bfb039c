import { z } from 'zod'

/** Named so that a file for a later version is told apart from a slip of the pen; 1 is what happens anyway. */
export const onlyOneYet = (feature: string) =>
  z
    .literal(1)
    .meta({ title: 'not yet', description: `Not yet: ${feature}. 1 is accepted.` })
    .exactOptional()
