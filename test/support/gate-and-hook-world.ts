import type { ProgramEnd, Programs } from '../../src/ground/ports/programs.ts'
import type { GateAnswer, GateSpec } from '../../src/roll/model/gate-spec.ts'
import type { StepHook } from '../../src/roll/model/step-hook.ts'
import type { GateSource, NodePlace } from '../../src/roll/ports/gate-source.ts'

/** A gate that passes at once where its source says so. */
export const aGate = (change: Partial<GateSpec> = {}): GateSpec => ({
  name: 'ceph',
  before: ['node'],
  timesInARow: 2,
  intervalMs: 2_000,
  timeoutMs: 1_000,
  limitMs: 60_000,
  question: { kind: 'command', argv: ['healthy'] },
  ...change,
})

export const aHook = (change: Partial<StepHook> = {}): StepHook => ({
  name: 'noout',
  at: 'beforeReboot',
  run: ['ceph', 'set', '{node}'],
  undo: ['ceph', 'unset', '{node}'],
  timeoutMs: 30_000,
  onFailure: 'stop',
  limitMs: 60_000,
  ...change,
})

/** Answers as told, and keeps what it was asked for. */
export class MemoryGates implements GateSource {
  readonly asked: NodePlace[] = []
  answer: (nth: number, place: NodePlace) => GateAnswer | 'hangs' = () => ({ kind: 'passes', text: 'healthy' })

  ask(_gate: GateSpec, place: NodePlace, signal: AbortSignal): Promise<GateAnswer> {
    this.asked.push(place)
    const answer = this.answer(this.asked.length, place)
    if (answer !== 'hangs') return Promise.resolve(answer)
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
}

export const exited = (exitCode: number, output = ''): ProgramEnd => ({ kind: 'exited', exitCode, output })

/** A cluster of storage with one flag a node, which programs set and unset. */
export class MemoryPrograms implements Programs {
  readonly ran: string[] = []
  readonly set = new Set<string>()
  end: (line: string, nth: number) => ProgramEnd | undefined = () => undefined

  run(argv: readonly string[]): Promise<ProgramEnd> {
    const line = argv.join(' ')
    this.ran.push(line)
    const end = this.end(line, this.ran.filter((other) => other === line).length)
    const [, word = '', node = ''] = argv
    if (end === undefined && word === 'set') this.set.add(node)
    if (end === undefined && word === 'unset') this.set.delete(node)
    return Promise.resolve(end ?? exited(0))
  }
}
