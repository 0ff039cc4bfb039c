import { randomFillSync } from 'node:crypto'
import type { Random } from '../ports/random.ts'

/** Drawn from the system in blocks: a call for two bytes costs as much as one for all of them. */
const drawn = Buffer.alloc(4_096)
let used = drawn.length

function hex(bytes: number): string {
  if (bytes > drawn.length) return randomFillSync(Buffer.alloc(bytes)).toString('hex')
  if (used + bytes > drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  used += bytes
  return drawn.toString('hex', used - bytes, used)
}

export const systemRandom: Random = { next: () => Math.random(), hex }
