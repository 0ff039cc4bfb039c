import { z } from 'zod'

/** Such a field has a name so that a file for a later version is not taken for a typing error; 1 is the default. */
export const onlyOneYet = (feature: string) =>
  z
    .literal(1)
    .meta({ title: 'not yet', description: `Not yet: ${feature}. 1 is accepted.` })
    .exactOptional()
