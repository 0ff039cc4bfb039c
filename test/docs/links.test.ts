import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { root } from '../support/repository-files.ts'
import { shippedProgram } from '../support/shipped-program.ts'
import { anchorsOf, codeOf, type Page, pages, proseOf } from './pages.ts'

const all = pages()

function linksOf({ path, text }: Page): readonly { readonly target: string; readonly anchor: string }[] {
  return [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [file = '', anchor = ''] = link.split('#')
      return { target: file === '' ? path : normalize(join(dirname(path), file)), anchor }
    })
}

test('every relative link leads to a file, and to a heading in it', () => {
  const broken = all.flatMap((page) =>
    linksOf(page)
      .filter(({ target, anchor }) => {
        if (!existsSync(`${root}${target}`)) return true
        return anchor !== '' && !anchorsOf(readFileSync(`${root}${target}`, 'utf8')).includes(anchor)
      })
      .map(({ target, anchor }) => `${page.path}: ${target}${anchor === '' ? '' : `#${anchor}`}`),
  )
  assert.deepEqual(broken, [])
  assert.ok(all.flatMap(linksOf).length > 10)
})

test('every `npm run` and `npm test` that is named is a script of package.json', () => {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> }
  const named = all.flatMap(({ path, text }) =>
    codeOf(text).flatMap((code) =>
      [...code.matchAll(/\bnpm (?:run (?:-s )?)?([a-z][a-z:]*)/g)]
        .map(([, script = '']) => script)
        .filter((script) => !['run', 'ci', 'install'].includes(script))
        .map((script) => ({ path, script })),
    ),
  )
  assert.ok(named.length > 3)
  assert.deepEqual(
    named.filter(({ script }) => !(script in scripts)).map(({ path, script }) => `${path}: npm run ${script}`),
    [],
  )
})

test('every path that is named is there', () => {
  const folders = /^(src|bin|test|testbed|bench|deploy|docs|\.ci)\/[\w./-]*$/
  const missing = all.flatMap(({ path, text }) =>
    codeOf(text)
      .filter(
        (code) => folders.test(code) && !existsSync(`${root}${code}`) && !existsSync(join(root, dirname(path), code)),
      )
      .map((code) => `${path}: ${code}`),
  )
  assert.deepEqual(missing, [])
})

const HELP = new Map<string, Promise<string>>()

function helpOf(command: readonly string[]): Promise<string> {
  const key = command.join(' ')
  const asked =
    HELP.get(key) ??
    promisify(execFile)(process.execPath, [shippedProgram('evenkeel'), ...command, '--help']).then(
      ({ stdout }) => stdout,
    )
  HELP.set(key, asked)
  return asked
}

const SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = {
  roll: ['resume', 'abort', 'status', 'report'],
  rollout: ['status', 'history', 'pause', 'resume', 'undo', 'retry', 'skip'],
  guard: ['status', 'explain', 'release', 'hold'],
  explain: ['node', 'pod'],
  dns: ['check', 'watch', 'repair', 'explain'],
}

/** `roll resume RUN --yes` is the command `roll resume` with the flag `--yes`. */
function parsed(line: string): { readonly command: readonly string[]; readonly flags: readonly string[] } {
  const words =
    line
      .split(/ {2,}| \|/)[0]
      ?.split(' ')
      .slice(1) ?? []
  const [name = '', second = ''] = words
  const command = name === '' || name.startsWith('-') ? [] : [name]
  const sub = SUBCOMMANDS[name]?.includes(second) ? [second] : []
  return { command: [...command, ...sub], flags: words.filter((word) => /^--?[a-z]/.test(word)) }
}

test('every evenkeel command that is named exists, with its flags', async () => {
  const lines = all.flatMap(({ path, text }) =>
    codeOf(text)
      .flatMap((code) => [...code.matchAll(/(?:^|\brun (?:-s )?)(evenkeel (?:-- )?.*)$/g)])
      .map(([, line = '']) => ({ path, line: line.replace('evenkeel -- ', 'evenkeel ') })),
  )
  assert.ok(lines.length > 10)
  const wrong: string[] = []
  for (const { path, line } of lines) {
    const { command, flags } = parsed(line)
    const help = await helpOf(command).catch(() => '')
    const unknown = flags.filter((flag) => !new RegExp(`(^|[ ,])${flag}([ ,=\\n]|$)`, 'm').test(help))
    if (help === '' || unknown.length > 0) wrong.push(`${path}: ${line}${help === '' ? '' : `: ${unknown.join(' ')}`}`)
  }
  assert.deepEqual(wrong, [])
})
