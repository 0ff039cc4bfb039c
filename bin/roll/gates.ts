import { kubeObjects } from '../../src/ground/kube/kube-objects.ts'
import { LocalPrograms } from '../../src/ground/machine/local-programs.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { systemTimers } from '../../src/ground/machine/system-timers.ts'
import { hasProgram } from '../../src/ground/machine/this-machine.ts'
import { escapeForeign } from '../../src/ground/model/foreign-text.ts'
import { present } from '../../src/ground/model/present.ts'
import { UserError } from '../../src/ground/model/user-error.ts'
import { HttpHolds } from '../../src/guard/io/ask-hold.ts'
import { CelRules } from '../../src/guard/io/cel/object-rules.ts'
import { PrometheusQueries } from '../../src/roll/io/prometheus-queries.ts'
import { readSecret } from '../../src/roll/io/read-secret.ts'
import type { RollSpec } from '../../src/roll/model/roll-spec.ts'
import { GateAsker } from '../../src/roll/run/gates/gate-asker.ts'
import type { ClusterPlace } from './world.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The sources of the file's gates. Opens nothing yet. */
export function gatesOf({ gates }: RollSpec, { api }: Pick<ClusterPlace, 'api'>, env: Env): GateAsker | undefined {
  if (gates === undefined) return undefined
  return new GateAsker({
    holds: new HttpHolds({ timers: systemTimers }),
    metrics: new PrometheusQueries({ timers: systemTimers }),
    programs: new LocalPrograms(systemClock),
    objects: kubeObjects(api),
    rules: new CelRules(systemClock),
    secret: (ref) => readSecret(ref, env),
    clock: systemClock,
  })
}

/** Throws UserError for the first gate or silence that can never be asked, before any change. */
export async function requireGates({ gates = [], silences = [] }: RollSpec, env: Env): Promise<void> {
  const rules = new CelRules(systemClock)
  const holds = new HttpHolds({ timers: systemTimers })
  for (const { name, headers } of silences)
    for (const { value } of headers) await named(`silence ${name}`, () => readSecret(value, env))
  for (const { name, question } of gates) {
    const headers = 'headers' in question ? question.headers : []
    for (const { value } of headers) await named(`gate ${name}`, () => readSecret(value, env))
    if (question.kind === 'object')
      refuse(
        `gate ${name}: passWhen`,
        rules.fault(question.passWhen),
        'write an expression in CEL over object and node',
      )
    if (question.kind === 'http' && question.jsonPath !== undefined)
      refuse(`gate ${name}: jsonPath`, holds.pathFault(question.jsonPath), 'write a path as RFC 9535 has it')
  }
}

/** Throws UserError for the first command of a gate or a hook that is not on this machine. Runs none of them. */
export async function requireCommands({ gates = [], hooks = [] }: RollSpec, env: Env): Promise<void> {
  const named = [
    ...gates.flatMap(({ name, question }) =>
      question.kind === 'command' ? [{ what: `gate ${name}`, argv: question.argv }] : [],
    ),
    ...hooks.flatMap(({ name, run, undo }) =>
      [run, ...(undo === undefined ? [] : [undo])].map((argv) => ({ what: `hook ${name}`, argv })),
    ),
  ]
  for (const { what, argv } of named) {
    const [program = ''] = argv
    if (await hasProgram(program, env.PATH ?? '')) continue
    const fix = 'install it, or write its whole path'
    const text = `${what}: there is no command ${escapeForeign(argv[0] ?? '')} here`
    throw new UserError(text, { code: 'roll.command', fix })
  }
}

function refuse(what: string, fault: string | undefined, fix: string): void {
  if (fault !== undefined) throw new UserError(`${what} cannot be used: ${fault}`, { code: 'config.expression', fix })
}

/** An error about a secret names its owner. */
async function named(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    throw new UserError(`${what}: ${error.message}`, {
      code: error.code,
      ...present({ fix: error.fix }),
      cause: error,
    })
  }
}
