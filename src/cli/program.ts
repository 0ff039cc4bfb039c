import { Command, CommanderError } from 'commander'
import { BlockedError, UserError } from '../ground/model/user-error.ts'
import { nearestNames } from '../ground/text/nearest-name.ts'
import type { CliContext } from './cli-context.ts'
import { errorText } from './error-text.ts'
import { EXIT_FAILED, EXIT_HELD, EXIT_INTERRUPTED, EXIT_USAGE } from './exit-codes.ts'
import { InterruptedError } from './interrupts.ts'

/** Adds one command. Its action returns the exit code, or throws. */
export type AddCommand = (program: Command, context: CliContext, exitWith: (code: number) => void) => void

interface ProgramParts {
  readonly version: string
  readonly context: CliContext
  readonly commands: readonly AddCommand[]
}

const ABOUT =
  'Takes the nodes of a Kubernetes cluster out of service and brings them back without a failed request, and proves it.'

const EXIT_HELP = `
Exit codes: 0 done, nothing failed; 1 failed or stopped; 2 wrong usage or
input, nothing touched; 3 held at a limit, can be resumed, or blocked by what
the plan says, nothing touched; 130 interrupted.`

/** Runs one command line and returns its exit code. Never throws. `words` are the arguments without program and script. */
export async function runProgram(parts: ProgramParts, words: readonly string[]): Promise<number> {
  const { context } = parts
  let exitCode = 0
  const program = programOf(parts, (code) => {
    exitCode = code
  })
  try {
    refuseUnknownHelp(program, words)
    await program.parseAsync(words, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
    context.err.write(errorText(error))
    return codeOf(error)
  }
}

/** All commands with their options. The code of their actions is not loaded. */
export function programOf({ version, context, commands }: ProgramParts, exitWith: (code: number) => void): Command {
  const program = rootCommand(version, context)
  for (const add of commands) add(program, context, exitWith)
  pointAtOwnHelp(program, 'evenkeel')
  describe(program)
  refuseRepeated(program)
  return program
}

/** A command whose line in the list of commands says it all has that as its sentence. */
function describe(command: Command): void {
  const [first = '', ...rest] = command.summary()
  if (command.description() === '' && first !== '') command.description(`${first.toUpperCase()}${rest.join('')}.`)
  for (const sub of command.commands) describe(sub)
}

/** Of an option that takes one value, the last one would count without a word. */
function refuseRepeated(command: Command): void {
  for (const option of command.options.filter(({ required, optional }) => required || optional)) {
    let times = 0
    command.on(`option:${option.name()}`, () => {
      times += 1
      if (times === 1 || Array.isArray(command.getOptionValue(option.attributeName()))) return
      throw new UserError(`${option.long ?? option.flags} is given twice`, {
        code: 'usage.repeated',
        fix: 'give it once',
      })
    })
  }
  for (const sub of command.commands) refuseRepeated(sub)
}

function rootCommand(version: string, { out, err }: CliContext): Command {
  return new Command('evenkeel')
    .description(ABOUT)
    .version(version, '-V, --version', 'print version and commit')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', EXIT_HELP)
    .showHelpAfterError('(evenkeel --help lists the commands and options)')
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: (text) => err.write(text),
      getOutHelpWidth: () => out.size().columns,
      getErrHelpWidth: () => err.size().columns,
    })
    .enablePositionalOptions()
    .exitOverride()
}

/** An error about a subcommand names the help of that subcommand. */
function pointAtOwnHelp(command: Command, path: string): void {
  for (const sub of command.commands) {
    const of = `${path} ${sub.name()}`
    sub.showHelpAfterError(`(${of} --help lists ${sub.commands.length > 0 ? 'commands and options' : 'the options'})`)
    pointAtOwnHelp(sub, of)
  }
}

/** Without it, commander shows the help of the program as if nothing was wrong. */
function refuseUnknownHelp(program: Command, [first, name]: readonly string[]): void {
  if (first !== 'help' || name === undefined || name.startsWith('-')) return
  const known = [...program.commands.map((command) => command.name()), 'help']
  if (known.includes(name)) return
  const [like] = nearestNames(name, known)
  throw new UserError(`there is no command "${name}"`, {
    code: 'usage.command',
    fix: like === undefined ? 'evenkeel --help lists the commands' : `evenkeel help ${like}`,
  })
}

function codeOf(error: unknown): number {
  if (error instanceof InterruptedError) return EXIT_INTERRUPTED
  if (error instanceof BlockedError) return EXIT_HELD
  if (error instanceof UserError) return EXIT_USAGE
  return EXIT_FAILED
}
