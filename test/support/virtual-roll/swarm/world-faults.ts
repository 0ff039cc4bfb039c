import type { Scene } from '../checkers/scene.ts'
import { reloadByHand, setByHand } from './by-hand.ts'
import type { WorldFault } from './world-fault.ts'

export interface WorldFaultParts {
  readonly scene: Scene
  readonly faults: readonly WorldFault[]
  /** Since the first roll began. */
  readonly sinceMs: () => number
}

/** The faults that only some worlds know, from `begin` until `heal`. */
export class WorldFaults {
  readonly #parts: WorldFaultParts
  readonly #callOffs: (() => void)[] = []

  constructor(parts: WorldFaultParts) {
    this.#parts = parts
  }

  begin(): void {
    const { scene, faults } = this.#parts
    for (const fault of faults) {
      if ('atMs' in fault) this.#callOffs.push(scene.cluster.time.later(fault.atMs, () => this.#happen(fault)))
    }
  }

  heal(): void {
    for (const callOff of this.#callOffs) callOff()
  }

  isSilent(instance: string): boolean {
    return !this.wasHeardSince(instance, 0)
  }

  /** The runtime API of that instance answered all that time. */
  wasHeardSince(instance: string, agoMs: number): boolean {
    const now = this.#parts.sinceMs()
    return !this.#parts.faults.some(
      (fault) =>
        fault.kind === 'instanceSilent' &&
        fault.instance === instance &&
        fault.fromMs <= now &&
        now - agoMs < fault.toMs,
    )
  }

  #happen(fault: Extract<WorldFault, { atMs: number }>): void {
    const { scene } = this.#parts
    switch (fault.kind) {
      case 'instanceReload':
        reloadByHand(scene, fault)
        return
      case 'instanceByHand':
        setByHand(scene, fault)
        return
    }
  }
}
