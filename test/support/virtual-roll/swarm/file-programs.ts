import type { ProgramEnd } from '../../../../src/ground/ports/programs.ts'
import type { Scene } from '../checkers/scene.ts'
import { tellLeft } from '../crash/crash-run.ts'
import { StorageFlags } from '../crash/storage-flags.ts'
import type { FileWishes } from './file-draw.ts'

interface FileProgramsParts {
  readonly scene: Scene
  /** Absent: no field of the roll file is drawn. */
  readonly file: FileWishes | undefined
  /** Since the beginning of the first roll. */
  readonly sinceMs: () => number
}

/** What a drawn roll file has programs do, and what of it must not be left at the end. */
export class FilePrograms {
  readonly #parts: FileProgramsParts
  readonly #flags: StorageFlags

  constructor(parts: FileProgramsParts) {
    this.#parts = parts
    const { scene, file } = parts
    this.#flags = new StorageFlags((text) => scene.tell('hooks', text))
    if (file === undefined) return
    for (const machine of scene.cluster.machines.all()) machine.requireReboot(['linux-image'])
    scene.mostOut = file.mostOut
    scene.lossesAllowed = file.allowed
    scene.mayDelete = file.mayDelete
    scene.mayAnnounce = file.announces
    scene.mayTakeLock = file.takesLock
  }

  run(argv: readonly string[]): ProgramEnd {
    const { file, sinceMs } = this.#parts
    if (file === undefined) return { kind: 'notStarted', why: 'there are no programs here' }
    if (sinceMs() < file.programsFailUntilMs) return { kind: 'exited', exitCode: 3, output: 'not now' }
    return this.#flags.program(argv)
  }

  reboots(node: string): void {
    if (this.#parts.file?.hasFlags === true) this.#flags.reboots(node)
  }

  /** Whose journal people lost, its hooks cannot be undone. */
  end(): void {
    const { scene, file } = this.#parts
    if (file === undefined || scene.lostRuns.size > 0) return
    if (file.hasFlags) this.#flags.end()
    tellLeft(scene)
  }
}
