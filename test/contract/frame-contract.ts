import { describe } from 'node:test'
import { followsContract } from './frame/follows.ts'
import type { FrameGround } from './frame/frame-ground.ts'
import { statusesContract } from './frame/statuses.ts'
import { writesContract } from './frame/writes.ts'

/** What controllers ask of an API server through the port of objects. Needs the custom resource nodeguards.evenkeel.dev. */
export function frameContract(ground: () => FrameGround): void {
  describe('reads and writes', () => writesContract(ground))
  describe('follows', () => followsContract(ground))
  describe('statuses and events', () => statusesContract(ground))
}
