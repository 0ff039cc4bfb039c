import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import ts from 'typescript'
import { repositoryFiles, root } from '../support/repository-files.ts'

/** Words that docs/internals/words.md replaces, and the word to take. A name is compared word by word. */
const OLD: readonly (readonly [old: RegExp, instead: string])[] = [
  [/(^|-)(un)?told(-|$)|(^|-)retold(-|$)/, 'announced, sent, reported or status'],
  [/(^|-)wish(es|ed)?(-|$)/, 'request'],
  [/(^|-)standings?(-|$)/, 'state, or the result of a node'],
  [/(^|-)voice(-|$)/, 'printer or screen'],
  [/(^|-)(take|taking|taken)-?up(-|$)/, 'resume'],
  [/(^|-)(household|belongings?|met-again)(-|$)/, 'what the thing is'],
]

/** Where an old word stays, and why. */
const STAYS: readonly (readonly [where: RegExp, words: RegExp, why: string])[] = [
  [
    /^src\/operator\/reading\/seen-run|^src\/roll\/(model|report|cli|run|decide\/(notify|resume))\/|^src\/explain\/cli\/run-here|^bin\/demo\/roll-of-ours/,
    /^standings?$/,
    'a field of events in journals, and of the JSON of a report',
  ],
  [/^src\/agent\/decide\/agent-check-line/, /^told$/, 'a field of the file of an agent'],
]

const code = repositoryFiles('ts').filter((path) => /^(src|bin)\//.test(path))

/** `lastWish`, `LAST_WISH` and `last-wish` are the same words. */
const wordsOf = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/[_.]/g, '-')
    .toLowerCase()

function oldNames(path: string): readonly string[] {
  const names = new Set([basename(path, '.ts')])
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) names.add(node.text.replace('#', ''))
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, readFileSync(`${root}${path}`, 'utf8'), ts.ScriptTarget.Latest))
  return [...names].flatMap((name) => {
    const old = OLD.find(([word]) => word.test(wordsOf(name)))
    const stays = STAYS.some(([where, words]) => where.test(path) && words.test(name))
    return old === undefined || stays ? [] : [`${path}: ${name}; take ${old[1]}`]
  })
}

test('names of files and identifiers have the words of docs/internals/words.md', () => {
  assert.deepEqual(code.flatMap(oldNames), [])
})

test('an old word is found in each form of a name', () => {
  const names = ['isTold', 'TEXT_TOLD_MS', 'told-waits', 'laneWishes', 'takeUp', 'TakingUp', 'standingOf', 'metAgain']
  assert.deepEqual(
    names.filter((name) => !OLD.some(([word]) => word.test(wordsOf(name)))),
    [],
  )
})
