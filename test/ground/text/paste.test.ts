import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandPieces, pasteWith } from '../../../src/ground/text/paste.ts'
import { wrapText } from '../../../src/ground/text/wrap-words.ts'

const paste = pasteWith({ kubeconfig: "it's k", context: 'prod', stateDir: '/s', file: 'my roll.yaml' })
const WHERE = String.raw`--context prod --kubeconfig 'it'\''s k'`

const CASES: readonly (readonly [text: string, wanted: string])[] = [
  ['evenkeel roll resume 20261121T061439Z-1f0e', `evenkeel roll resume 20261121T061439Z-1f0e ${WHERE} --state-dir /s`],
  [
    'let n1 register again: evenkeel roll resume -f roll.yaml',
    `let n1 register again: evenkeel roll resume -f 'my roll.yaml' ${WHERE} --state-dir /s`,
  ],
  [
    'evenkeel roll resume X, or evenkeel roll abort X (with -f roll.yaml if its journal is lost)',
    `evenkeel roll resume X ${WHERE} --state-dir /s, or evenkeel roll abort X ${WHERE} --state-dir /s (with -f roll.yaml if its journal is lost)`,
  ],
  ['see what is wrong: evenkeel dns check', `see what is wrong: evenkeel dns check ${WHERE}`],
  ['kube-proxy of n1; evenkeel dns check shows more', `kube-proxy of n1; evenkeel dns check ${WHERE} shows more`],
  [
    'evenkeel guard status --all-namespaces lists those that there are; -n names another',
    `evenkeel guard status --all-namespaces ${WHERE} lists those that there are; -n names another`,
  ],
  ['evenkeel explain node cp', `evenkeel explain node cp ${WHERE} --state-dir /s`],
  ['kubectl -n shop describe pod cart-2', `kubectl ${WHERE} -n shop describe pod cart-2`],
  ['repair it: kubectl get pods -o wide', `repair it: kubectl ${WHERE} get pods -o wide`],
  ['wait until kubectl shows it', 'wait until kubectl shows it'],
]

for (const [text, wanted] of CASES) {
  test(`a command is completed and its sentence stays: ${text}`, () => assert.equal(paste(text), wanted))
}

test('without options a text stays as it is', () => {
  for (const [text] of CASES) assert.equal(pasteWith({})(text), text)
})

test('what a journal remembers is for the commands that read no journal', () => {
  const remembered = pasteWith({ remembered: { context: 'prod', kubeconfig: '/k' } })
  assert.equal(remembered('evenkeel roll status'), 'evenkeel roll status')
  assert.equal(remembered('kubectl get nodes'), 'kubectl --context prod --kubeconfig /k get nodes')
})

test('a command that would be broken at the end of a line stands whole on its own', () => {
  const text = paste('remove what held it up, then: evenkeel roll resume (n1 got no command)')
  assert.deepEqual(wrapText(text, 40), [
    'remove what held it up, then:',
    `evenkeel roll resume ${WHERE} --state-dir /s`,
    '(n1 got no command)',
  ])
  assert.deepEqual(
    commandPieces(text).map(({ isCommand }) => isCommand),
    [false, true, false],
  )
})
