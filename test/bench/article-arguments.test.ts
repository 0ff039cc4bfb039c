import assert from 'node:assert/strict'
import { test } from 'node:test'
import { articleArguments } from '../../bench/article/article-arguments.ts'

const WITHOUT_KURED = ['cordon', 'naive', 'balancer', 'service', 'staged', 'evenkeel', 'evenkeel-no-stage']

test('every plan runs once, and kured only if its source is given', () => {
  assert.deepEqual(articleArguments([]), { runs: 1, output: 'text', plans: WITHOUT_KURED })
  assert.deepEqual(
    articleArguments(['--kured', '/src/kured', '--runs', '5', '-o', 'json', '--documents', 'runs.jsonl']),
    {
      runs: 5,
      output: 'json',
      documents: 'runs.jsonl',
      kured: '/src/kured',
      plans: ['cordon', 'kured', ...WITHOUT_KURED.slice(1)],
    },
  )
})

test('plans that are named run in the order given', () => {
  const words = ['--plan', 'staged', '--plan', 'kured', '--kured', '/src/kured']
  assert.deepEqual(articleArguments(words), {
    runs: 1,
    output: 'text',
    kured: '/src/kured',
    plans: ['staged', 'kured'],
  })
})

for (const [words, what] of [
  [['--runs', '0'], '--runs 0: this is not a number from 1 up'],
  [['--runs', 'two'], '--runs two: this is not a number from 1 up'],
  [['--plan', 'naiv'], '--plan naiv: there is no such plan'],
  [['-o', 'yaml'], '--output yaml: there is no such form'],
  [['--kured', ''], '--kured: the directory is empty'],
  [['--plan', 'kured'], '--plan kured needs the source of kured'],
  [['--colour'], "Unknown option '--colour'"],
] as const) {
  test(`\`${words.join(' ')}\` is refused, with the fix`, () => {
    const refused = articleArguments(words)
    assert.ok('fix' in refused)
    assert.equal(refused.what, what)
    assert.match(refused.fix, /^npm run article -- |^add --kured DIR/)
  })
}
