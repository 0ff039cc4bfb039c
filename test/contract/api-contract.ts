import { describe } from 'node:test'
import type { ApiDoor } from './api/api-door.ts'
import { deletionsContract } from './api/deletions.ts'
import { evictionsContract } from './api/evictions.ts'
import { listsContract } from './api/lists.ts'
import { objectsContract } from './api/objects.ts'
import { ownershipContract } from './api/ownership.ts'
import { patchesContract } from './api/patches.ts'
import { validationContract } from './api/validation.ts'
import { watchesContract } from './api/watches.ts'

/** What every door to a Kubernetes API must do, the real one first of all. Needs a node n1 that no kubelet runs, and NodeGuards without a schema. */
export function apiContract(door: () => ApiDoor): void {
  describe('objects', () => objectsContract(door))
  describe('patches', () => patchesContract(door))
  describe('validation', () => validationContract(door))
  describe('deletions', () => deletionsContract(door))
  describe('ownership', () => ownershipContract(door))
  describe('lists', () => listsContract(door))
  describe('watches', () => watchesContract(door))
  describe('evictions', () => evictionsContract(door))
}
