import { randomBytes } from 'node:crypto'
import type { Random } from '../../ports/random.ts'

export const systemRandom: Random = {
  next: () => Math.random(),
  hex: (bytes) => randomBytes(bytes).toString('hex'),
}
