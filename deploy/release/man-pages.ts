import type { Command } from 'commander'
import { commandsOf } from '../../bin/commands.ts'
import type { CliContext } from '../../src/cli/cli-context.ts'
import { ownHelp } from '../../src/cli/completion/option-shape.ts'
import { Interrupts } from '../../src/cli/interrupts.ts'
import { LinePrinter } from '../../src/cli/line-printer.ts'
import { programOf } from '../../src/cli/program.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { type TarEntry, tar } from '../../testbed/build/tar.ts'
import type { ReleaseFacts } from './release-facts.ts'

type PageFacts = Pick<ReleaseFacts, 'version' | 'committedAt'>

interface ManPage {
  /** `evenkeel-roll-resume`. */
  readonly name: string
  readonly text: string
}

/** To be unpacked into a directory of MANPATH, such as /usr/local/share/man. */
export async function manTar(facts: PageFacts): Promise<Buffer> {
  const pages = await manPages(facts)
  return tar(
    pages.map(({ name, text }): TarEntry => ({ path: `man1/${name}.1`, mode: 0o644, content: Buffer.from(text) })),
  )
}

/** A page for each command, as its help has it, in the macros of man(7). */
export async function manPages(facts: PageFacts): Promise<readonly ManPage[]> {
  const tree = commandTree(facts.version)
  const pagesFrom = async (command: Command): Promise<readonly ManPage[]> => {
    const page = {
      name: nameOf(command),
      text: await pageOf(command, { ...facts, after: tree.textAfterHelp(command) }),
    }
    const below = await Promise.all(subCommandsOf(command).map(pagesFrom))
    return [page, ...below.flat()]
  }
  return pagesFrom(tree.program)
}

interface CommandTree {
  readonly program: Command
  /** What a help has behind the options: examples and exit codes. */
  readonly textAfterHelp: (command: Command) => string
}

/** The commands as the program has them. None of them runs here. */
function commandTree(version: string): CommandTree {
  let written = ''
  const sink = {
    write: (text: string) => {
      written += text
    },
    size: () => ({ columns: 80, rows: 24 }),
    flushed: async () => undefined,
  }
  const unused = async (): Promise<never> => {
    throw new Error('no command runs while its page is made')
  }
  const context: CliContext = {
    terminal: { env: {}, stdinIsTerminal: false, stdoutIsTerminal: false, stderrIsTerminal: false },
    out: sink,
    err: sink,
    clock: systemClock,
    interrupts: new Interrupts(),
    readText: unused,
    openFile: () => sink,
    ask: unused,
    askLine: unused,
    onExit: () => () => undefined,
  }
  const log = { debug: () => undefined, warn: () => undefined }
  const commands = commandsOf({ version, release: version, commit: '', env: {}, log, printer: new LinePrinter(sink) })
  const textAfterHelp = (command: Command): string => {
    written = ''
    command.outputHelp()
    return written.slice(command.helpInformation().length)
  }
  return { program: programOf({ version, context, commands }, () => undefined), textAfterHelp }
}

async function pageOf(command: Command, facts: PageFacts & { readonly after: string }): Promise<string> {
  const { version, committedAt, after } = facts
  const name = nameOf(command)
  const title = [name.toUpperCase(), '1', committedAt.slice(0, 10), `evenkeel ${version}`, 'Even Keel']
  const help = command.createHelp()
  const own = await ownHelp(command)
  const options = help
    .visibleOptions(command)
    .flatMap((option) => ['.TP', `.B ${roff(help.optionTerm(option))}`, textLine(help.optionDescription(option))])
  const operands = command.registeredArguments.flatMap((operand) =>
    operand.description === ''
      ? []
      : ['.TP', `.I ${roff(operand.name())}`, textLine(help.argumentDescription(operand))],
  )
  const subs = subCommandsOf(command).flatMap((sub) => [
    '.TP',
    `.BR ${roff(nameOf(sub))} (1)`,
    textLine(help.subcommandDescription(sub)),
  ])
  return [
    `.TH ${title.map((word) => `"${roff(word)}"`).join(' ')}`,
    // A command that is cut at the end of a line cannot be pasted.
    '.nh',
    '.ad l',
    ...section('NAME', [`${roff(name)} \\- ${roff(help.subcommandDescription(command))}`]),
    ...section('SYNOPSIS', [`.B ${roff(pathOf(command))}`, textLine(command.usage())]),
    ...section('DESCRIPTION', [textLine(command.description())]),
    ...section('ARGUMENTS', operands),
    ...section('COMMANDS', subs),
    ...section('OPTIONS', own === undefined ? options : verbatim(own.trim().split('\n').slice(1))),
    ...notes(after),
    ...section('SEE ALSO', seeAlso(command)),
    '',
  ].join('\n')
}

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`.SH ${title}`, ...lines]

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
const nameOf = (command: Command): string => pathOf(command).replaceAll(' ', '-')

/** Without those that are hidden, and without `help`, which has no page. */
const subCommandsOf = (command: Command): readonly Command[] => {
  const shown = command.createHelp().visibleCommands(command)
  return command.commands.filter((sub) => shown.includes(sub))
}

const seeAlso = (command: Command): readonly string[] => {
  const { parent } = command
  const near = parent === null ? subCommandsOf(command) : [parent, ...subCommandsOf(parent)]
  return near
    .filter((one) => one !== command)
    .map((one, i, all) => `.BR ${roff(nameOf(one))} (1)${i < all.length - 1 ? ',' : ''}`)
}

/** Lines that are indented stay as they are; others are filled. */
function notes(text: string): readonly string[] {
  const [examples = '', exitCodes] = text.trim().split(/^Exit codes: /m)
  const status = exitCodes === undefined ? [] : prose(exitCodes.trim().split('\n'))
  return [
    ...section(
      'EXAMPLES',
      prose(
        examples
          .trim()
          .replace(/^Examples?:\n/, '')
          .split('\n'),
      ),
    ),
    ...section('EXIT STATUS', status),
  ]
}

const prose = (lines: readonly string[]): readonly string[] => {
  if (lines.join('') === '') return []
  return lines.flatMap((line, i) => {
    const wasIndented = lines[i - 1]?.startsWith('  ') === true
    const isIndented = line.startsWith('  ')
    return [
      ...(isIndented && !wasIndented ? ['.nf'] : []),
      ...(!isIndented && wasIndented ? ['.fi'] : []),
      line === '' ? '.PP' : textLine(line),
      ...(isIndented && i === lines.length - 1 ? ['.fi'] : []),
    ]
  })
}

const verbatim = (lines: readonly string[]): readonly string[] => ['.nf', ...lines.map(textLine), '.fi']

/** A line that begins with a dot or an apostrophe would be a request. */
const textLine = (text: string): string => (/^[.']/.test(text) ? `\\&${roff(text)}` : roff(text))

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\(rs',
  '-': '\\-',
  '"': '\\(dq',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
}

/** In groff_char(7), so that what is pasted is what was written. */
const roff = (text: string): string =>
  text
    .replaceAll(/[\\"'`^~-]/g, (char) => ESCAPES[char] ?? char)
    .replaceAll(/[^\x00-\x7f]/gu, (char) => `\\[u${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`)
