import type { ProgramEnd } from '../../../../src/ground/ports/programs.ts'
import type { Silencer } from '../../../../src/roll/ports/silencer.ts'
import { MemoryAlertmanager } from '../../memory-alertmanager.ts'
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
  readonly #alertmanager = new MemoryAlertmanager()

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
    const { file } = this.#parts
    if (file === undefined) return { kind: 'notStarted', why: 'there are no programs here' }
    if (this.#isFailing) return { kind: 'exited', exitCode: 3, output: 'not now' }
    return this.#flags.program(argv)
  }

  /** It refuses for as long as programs fail. */
  get silencer(): Silencer {
    const manager = (): MemoryAlertmanager => {
      this.#alertmanager.fault = this.#isFailing ? 'Alertmanager answered 503' : undefined
      return this.#alertmanager
    }
    return {
      put: (silence, signal) => manager().put(silence, signal),
      find: (text, signal) => manager().find(text, signal),
      expire: (at, signal) => manager().expire(at, signal),
    }
  }

  get #isFailing(): boolean {
    const { file, sinceMs } = this.#parts
    return sinceMs() < (file?.programsFailUntilMs ?? 0)
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
    const now = scene.cluster.time.wallMs()
    for (const { endsAt, comment } of this.#alertmanager.standing.values())
      if (Date.parse(endsAt) > now) scene.tell('silences', `a silence is left: ${comment}`)
  }
}
