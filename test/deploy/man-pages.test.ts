import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manPages } from '../../deploy/release/man-pages.ts'
import { runToEnd } from '../../testbed/machine/run.ts'
import { evenkeel } from '../bin/evenkeel-process.ts'
import { requires } from '../support/requires.ts'

const pages = await manPages({ version: '0.1.0', committedAt: '2026-11-27T01:44:12+00:00' })

test('each command has a page, and no hidden one has', () => {
  const names = pages.map(({ name }) => name)
  for (const name of ['evenkeel', 'evenkeel-roll', 'evenkeel-roll-resume', 'evenkeel-completion', 'evenkeel-agent'])
    assert.ok(names.includes(name), name)
  assert.deepEqual(
    names.filter((name) => /__|-help$/.test(name)),
    [],
  )
})

test('a page has the sections of a man page, in their order', () => {
  for (const { name, text } of pages) {
    const [title = '', , , first = '', about = ''] = text.split('\n')
    assert.match(title, /^\.TH "EVENKEEL[A-Z\\-]*" "1" "2026\\-11\\-27" "evenkeel 0\.1\.0" "Even Keel"$/, name)
    assert.deepEqual([first, about.startsWith(`${name.replaceAll('-', '\\-')} \\- `)], ['.SH NAME', true], name)
    const sections = [...text.matchAll(/^\.SH (.*)$/gm)].map(([, section]) => section)
    const order = ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'ARGUMENTS', 'COMMANDS', 'OPTIONS', 'EXAMPLES', 'EXIT STATUS']
    assert.deepEqual(
      sections,
      [...order, 'SEE ALSO'].filter((section) => sections.includes(section)),
      name,
    )
  }
})

test('text is escaped: only requests begin with a dot, and a dash can be pasted', () => {
  for (const { name, text } of pages)
    for (const line of text.split('\n')) {
      assert.match(line, /^(?:\.(?:TH|SH|TP|B|BR|I|PP|nf|fi|nh|ad)(?: |$)|[^.'])|^$/, `${name}: ${line}`)
      assert.doesNotMatch(line, /(?<!\\)-/, `${name}: ${line}`)
      assert.doesNotMatch(line, /[^\x00-\x7f]/, `${name}: ${line}`)
    }
})

test('each option of a help is on its page, with its words', async () => {
  const plain = (text: string) =>
    text.replaceAll(/\\\((?:dq|aq|ga|ha|ti|rs)/g, (code) => CHARS[code] ?? code).replaceAll('\\-', '-')
  const commands = ['roll', 'roll report', 'guard release', 'dns check', 'agent', 'controller']
  for (const command of commands) {
    const { out } = await evenkeel(...command.split(' '), '--help')
    const page = plain(pages.find(({ name }) => name === `evenkeel-${command.replace(' ', '-')}`)?.text ?? '')
    const options = [...out.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, option = '']) => option)
    assert.ok(options.length > 3, command)
    for (const option of options) assert.ok(page.includes(option), `${command}: ${option}`)
    for (const [example] of out.matchAll(/^ {2}evenkeel .*$/gm))
      assert.ok(page.includes(example), `${command}: ${example}`)
  }
})

const CHARS: Readonly<Record<string, string>> = {
  '\\(dq': '"',
  '\\(aq': "'",
  '\\(ga': '`',
  '\\(ha': '^',
  '\\(ti': '~',
  '\\(rs': '\\',
}

test('groff reads each page without a warning', requires('groff'), async () => {
  for (const { name, text } of pages) {
    const { code, stdout, stderr } = await runToEnd(['groff', '-man', '-Tascii', '-P-cbou', '-ww'], { stdin: text })
    assert.deepEqual([code, stderr], [0, ''], name)
    assert.match(stdout, /SYNOPSIS/, name)
  }
})
