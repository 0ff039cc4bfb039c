import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { KURED_RULES } from '../../src/explain/decide/init/kured/kured-table.ts'
import { ended, start } from '../bin/evenkeel-process.ts'
import { root } from '../support/repository-files.ts'
import { codeOf, pages } from './pages.ts'

/** What `--help` of one command lists. */
interface Help {
  readonly commands: readonly string[]
  readonly options: readonly string[]
}

interface Shown {
  readonly path: string
  readonly words: readonly string[]
}

/** They describe what was, or what other programs do. */
const NOT_COMMANDS = new Set(['CHANGELOG.md'])

/** Options of kubectl, Helm, rivals and this repository's own scripts that pages name by themselves. */
const OF_OTHERS = new Set([
  ...[
    '--cordon',
    '--force',
    '--dry-run',
    '--overwrite',
    '--force-conflicts',
    '--ignore-daemonsets',
    '--disable-eviction',
  ],
  ...['--grace-period', '--delete-emptydir-data', '--pod-selector', '--raw'],
  ...['--take-ownership', '--reuse-values', '--reset-then-reuse-values', '--set', '--archive'],
  ...['--drain-timeout', '--drain-delay', '--force-reboot', '--lock-ttl', '--pre-reboot-node-labels'],
  ...['--sync-rate-limit', '--kured'],
  ...['--lite-mode', '--polite', '--files', '--plans', '--fields', '--table'],
])

/** Up to a comment, a pipe, a redirection, or the column of explanations. Quoted words are one word. */
function wordsOf(line: string): readonly string[] {
  const [command = ''] = line.split(/ {3,}|\s+#\s|\s[|>&;]|[\])]\s*$| \\$/)
  return (command.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll(/^["'[]+|["'\],]+$/g, ''))
}

/** Code that begins as a shell line of this program does, without what starts it. */
const OF_EVENKEEL = /^(?:\$ )?(?:sudo )?(?:npm run evenkeel --|npx evenkeel|kubectl evenkeel|evenkeel) +(?=[a-z-])/

const shown: readonly Shown[] = pages()
  .filter(({ path }) => !NOT_COMMANDS.has(path))
  .flatMap(({ path, text }) =>
    codeOf(text).flatMap((line) =>
      OF_EVENKEEL.test(line) ? [{ path, words: wordsOf(line.replace(OF_EVENKEEL, '')) }] : [],
    ),
  )

async function helpOf(words: readonly string[]): Promise<Help> {
  const { code, out } = await ended(start([...words, '--help']))
  assert.equal(code, 0, words.join(' '))
  const section = (name: string): string => new RegExp(`^${name}:\n((?: .*\n|\n)*)`, 'm').exec(out)?.[1] ?? ''
  const commands = [...section('Commands').matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name)
  const options = [...out.matchAll(/(?:^|[\s,])(--?[A-Za-z][a-z-]*)/g)].map(([, name = '']) => name)
  return { commands, options }
}

describe('what the pages tell people to run', () => {
  const helps = new Map<string, Help>()

  before(async () => {
    const read = async (words: readonly string[]): Promise<void> => {
      const help = await helpOf(words)
      helps.set(words.join(' '), help)
      for (const name of help.commands.filter((command) => command !== 'help')) await read([...words, name])
    }
    await read([])
  })

  /** The longest path of commands that these words begin with. */
  function commandOf(words: readonly string[]): readonly [name: string, rest: readonly string[]] {
    const [first] = words
    if (first === 'help') return ['', words.slice(1)]
    let name = ''
    for (const [i, word] of words.entries()) {
      const next = name === '' ? word : `${name} ${word}`
      if (!helps.has(next)) return [name, words.slice(i)]
      name = next
    }
    return [name, []]
  }

  test('each command line of evenkeel names a command and options that exist', () => {
    const wrong = shown.flatMap(({ path, words }) => {
      const [name, rest] = commandOf(words)
      const help = helps.get(name)
      const [next = ''] = rest
      const isUnknown = help !== undefined && help.commands.length > 0 && /^[a-z]/.test(next) && name === ''
      const unknown = rest
        .filter((word) => /^--?[A-Za-z]/.test(word))
        .map((word) => word.replace(/=.*$/s, ''))
        .filter((option) => help?.options.includes(option) !== true)
      const said = `${path}: evenkeel ${words.join(' ')}`
      return [
        ...(isUnknown ? [`${said}: there is no command ${next}`] : []),
        ...unknown.map((option) => `${said}: ${name} has no option ${option}`),
      ]
    })
    assert.ok(shown.length > 100, `${shown.length} command lines`)
    assert.deepEqual(wrong, [])
  })

  test('each option that a page names by itself is one of a command', () => {
    const known = new Set([...helps.values()].flatMap(({ options }) => options))
    const wrong = pages()
      .filter(({ path }) => path.startsWith('docs/') && !path.startsWith('docs/internals/'))
      .flatMap(({ path, text }) =>
        codeOf(text)
          .filter((code) => /^--[a-z][a-z-]+$/.test(code) && !OF_OTHERS.has(code) && !known.has(code))
          .filter((code) => path !== 'docs/from-kured.md' || !Object.hasOwn(KURED_RULES, code.slice(2)))
          .map((code) => `${path}: ${code}`),
      )
    assert.deepEqual(wrong, [])
  })

  test('each script and each file that a command line names is there', () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { readonly scripts: object }
    const lines = pages().flatMap(({ path, text }) => codeOf(text).map((line) => ({ path, line })))
    const wrong = lines.flatMap(({ path, line }) => [
      ...[...line.matchAll(/\bnpm run (?:-s )?([a-z-]+)/g)]
        .filter(([, script = '']) => !(script in scripts))
        .map(([command]) => `${path}: ${command}`),
      ...[...line.matchAll(/(?:^|&& |-f |\bnode |\bbash )((?:deploy|bench|test|bin|\.ci)\/[\w./-]*\w)/g)]
        .filter(([, file = '']) => !existsSync(`${root}${file}`))
        .map(([, file]) => `${path}: ${file} is not there`),
    ])
    assert.deepEqual(wrong, [])
  })
})
