import { ControllerProcess } from '../controller/controller-process.ts'
import { CONTROLLER_WORDS, type IngressApiGround } from './ingress-api-ground.ts'
import { type Death, type SeenWrite, WriteDoor } from './write-door.ts'

/** A dead leader is replaced after that: as short as a busy machine allows. */
const LEASE = '2s'

/** `evenkeel controller` as a real process, which is killed with SIGKILL at chosen writes, and begun again at once. */
export class MortalController {
  /** How often it was killed. */
  kills = 0
  /** Which write is its last one. */
  judge: (write: SeenWrite) => Death | undefined = () => undefined
  /** How often it ended by itself, because it could not renew its Lease in time. */
  lapses = 0
  readonly #door: WriteDoor
  readonly #kubeconfig: string
  #process: ControllerProcess | undefined
  #stopped = false
  #failure: unknown

  private constructor(door: WriteDoor, kubeconfig: string) {
    this.#door = door
    this.#kubeconfig = kubeconfig
    door.judge = (write) => (this.#stopped ? undefined : this.judge(write))
    door.kill = () => this.#kill()
  }

  static async begin(ground: IngressApiGround): Promise<MortalController> {
    const door = new WriteDoor(ground.bed.kubeconfig)
    const controller = new MortalController(door, ground.kubeconfigBy(await door.open()))
    controller.#live().catch((error: unknown) => {
      controller.#failure = error
    })
    return controller
  }

  /** Throws what went wrong with it. */
  mustBeWell(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  async end(): Promise<void> {
    this.#stopped = true
    await this.#process?.end('SIGKILL')
    this.#door.close()
  }

  /** One process after the other. */
  async #live(): Promise<void> {
    while (!this.#stopped) {
      const words = ['--kubeconfig', this.#kubeconfig, '--lease-duration', LEASE, ...CONTROLLER_WORDS]
      const process = await ControllerProcess.start(words)
      this.#process = process
      const code = await process.ended()
      if (code === 1) this.lapses += 1
      else if (code !== null) throw new Error(`the controller ended with ${code}: ${process.said.join('\n')}`)
    }
  }

  #kill(): void {
    this.kills += 1
    this.#process?.signal('SIGKILL')
  }
}
