import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import type {
  BootCount,
  JudgeHandle,
  RollGround,
  RollHandle,
  SeenObject,
  SeenRequest,
  Spec,
  ToldWindow,
} from '../roll-ground/roll-ground.ts'
import { story } from '../roll-ground/story.ts'
import { BootCounter } from './boot-counter.ts'
import type { RollBed } from './roll-bed.ts'
import type { RollFileFacts } from './roll-file.ts'
import type { RollProcess } from './roll-process.ts'

/** Lines of an audit log (audit.k8s.io/v1 Event), as far as scenarios ask for them. */
interface Audited {
  readonly verb: string
  readonly requestReceivedTimestamp: string
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string; readonly name?: string }
  readonly responseStatus?: { readonly code?: number }
}

/** A real cluster as a ground: real processes, real time. */
export class RealGround implements RollGround {
  readonly #opened: () => RollBed
  readonly #facts: Partial<RollFileFacts>

  /** `facts`: what each roll file has besides its spec. */
  constructor(opened: () => RollBed, facts: Partial<RollFileFacts> = {}) {
    this.#opened = opened
    this.#facts = facts
  }

  get nodes(): readonly string[] {
    return this.#opened().bed.nodes
  }

  async roll(spec: Spec = {}, ...words: readonly string[]): Promise<RollHandle> {
    const bed = this.#opened()
    return new RealRoll(bed.roll('-f', bed.file({ ...this.#facts, spec }), '--yes', ...words))
  }

  async resume(): Promise<RollHandle> {
    return new RealRoll(this.#opened().roll('resume'))
  }

  async judge(): Promise<JudgeHandle> {
    const judge = this.#opened().judge()
    return {
      verdict: async () => {
        const { windows, ...counted } = await judge.verdict()
        const times = windows as readonly { readonly firstBadAt: string; readonly lastBadAt: string }[]
        return {
          ...counted,
          windows: times.map(({ firstBadAt, lastBadAt }) => ({
            fromMs: Date.parse(firstBadAt),
            toMs: Date.parse(lastBadAt),
          })),
        }
      },
    }
  }

  readonly list = (path: string): Promise<readonly SeenObject[]> => this.#opened().list(path)

  async requests(): Promise<readonly SeenRequest[]> {
    return readFileSync(this.#opened().bed.auditLog, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const { verb, requestReceivedTimestamp, objectRef = {}, responseStatus } = JSON.parse(line) as Audited
        const { resource = '', subresource, name } = objectRef
        return {
          atMs: Date.parse(requestReceivedTimestamp),
          verb,
          resource,
          ...(subresource === undefined ? {} : { subresource }),
          ...(name === undefined ? {} : { name }),
          code: responseStatus?.code ?? 0,
        }
      })
  }

  apply(manifests: readonly object[]): Promise<void> {
    return this.#opened().bed.apply(manifests)
  }

  async remove(path: string): Promise<void> {
    await this.#opened().remove(path)
  }

  readonly balancer = (line: string): Promise<string> => this.#opened().balancer(line)

  reloadBalancer(): Promise<void> {
    return this.#opened().lb.reload()
  }

  countBoots(): BootCount {
    return new BootCounter(this.#opened().bed)
  }

  isOn(node: string): Promise<boolean> {
    return this.#opened()
      .bed.exec(node, ['true'])
      .then(
        () => true,
        () => false,
      )
  }

  powerOff(node: string): Promise<void> {
    return this.#opened().bed.powerOff(node)
  }

  powerOn(node: string): Promise<void> {
    return this.#opened().bed.powerOn(node)
  }

  killApiServer(): Promise<void> {
    return this.#opened().bed.api.kill()
  }

  startApiServer(): Promise<void> {
    return this.#opened().bed.api.start()
  }

  readonly nowMs = (): number => Date.now()

  readonly pause = (ms: number): Promise<void> => pause(ms)
}

const isWindow = ({ type }: StampedEvent): boolean => type === 'window.opened' || type === 'window.closed'

/** The command line as an operator runs it. */
class RealRoll implements RollHandle {
  readonly #process: RollProcess

  constructor(process: RollProcess) {
    this.#process = process
  }

  get events() {
    return this.#process.events
  }

  /** They are told as they stand on its lines. */
  windows(): readonly ToldWindow[] {
    return this.events.filter(isWindow) as unknown as readonly ToldWindow[]
  }

  readonly until: RollHandle['until'] = (what, seen) => this.#process.until(what, seen)
  readonly untilStep: RollHandle['untilStep'] = (step, node) => this.#process.untilStep(step, node)

  async ended() {
    const { code, stderr } = await this.#process.ended()
    return { code, shown: stderr, story: `${stderr}\n${story(this.events)}` }
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#process.ended()
  }

  interrupt(): void {
    this.#process.kill('SIGINT')
  }
}
