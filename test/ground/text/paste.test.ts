import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evenkeel, kubectl, plainText, type Sentence, say } from '../../../src/ground/model/sentence.ts'
import { pasteWith } from '../../../src/ground/text/paste.ts'
import { wrapText } from '../../../src/ground/text/wrap-words.ts'

const paste = pasteWith({ kubeconfig: "it's k", context: 'prod', stateDir: '/s', file: 'my roll.yaml' })
const WHERE = String.raw`--context prod --kubeconfig 'it'\''s k'`

const CASES: readonly (readonly [sentence: Sentence, plain: string, pasted: string])[] = [
  [
    evenkeel`roll resume ${'20261121T061439Z-1f0e'}`,
    'evenkeel roll resume 20261121T061439Z-1f0e',
    `evenkeel roll resume 20261121T061439Z-1f0e ${WHERE} --state-dir /s`,
  ],
  [
    say`let n1 register again: ${evenkeel`roll resume -f roll.yaml`}`,
    'let n1 register again: evenkeel roll resume -f roll.yaml',
    `let n1 register again: evenkeel roll resume -f 'my roll.yaml' ${WHERE} --state-dir /s`,
  ],
  [
    say`${evenkeel`roll resume X`}, or ${evenkeel`roll abort X`} (with -f roll.yaml if its journal is lost)`,
    'evenkeel roll resume X, or evenkeel roll abort X (with -f roll.yaml if its journal is lost)',
    `evenkeel roll resume X ${WHERE} --state-dir /s, or evenkeel roll abort X ${WHERE} --state-dir /s (with -f roll.yaml if its journal is lost)`,
  ],
  [
    say`kube-proxy of n1; ${evenkeel`dns check`} shows more`,
    'kube-proxy of n1; evenkeel dns check shows more',
    `kube-proxy of n1; evenkeel dns check ${WHERE} shows more`,
  ],
  [evenkeel`explain node cp`, 'evenkeel explain node cp', `evenkeel explain node cp ${WHERE} --state-dir /s`],
  [
    kubectl`-n ${'shop'} label pod ${['cart-2', 'cart-3']} why=${"it's old"}`,
    String.raw`kubectl -n shop label pod cart-2 cart-3 'why=it'\''s old'`,
    String.raw`kubectl ${WHERE} -n shop label pod cart-2 cart-3 'why=it'\''s old'`,
  ],
  ['wait until kubectl shows it', 'wait until kubectl shows it', 'wait until kubectl shows it'],
]

for (const [sentence, plain, pasted] of CASES) {
  test(`a command is completed and its sentence stays: ${plain}`, () => {
    assert.equal(plainText(paste(sentence)), pasted)
    assert.equal(plainText(pasteWith({})(sentence)), plain)
  })
}

test('what a journal remembers is for the commands that read no journal', () => {
  const remembered = pasteWith({ remembered: { context: 'prod', kubeconfig: '/k' } })
  assert.equal(plainText(remembered(evenkeel`roll status`)), 'evenkeel roll status')
  assert.equal(plainText(remembered(kubectl`get nodes`)), 'kubectl --context prod --kubeconfig /k get nodes')
})

test('a command for a journal in the cluster of the run says how that cluster is reached', () => {
  const remembered = { context: 'prod', kubeconfig: '/k' }
  const inCluster = pasteWith({ stateDir: 'configmaps:evenkeel', remembered })
  const where = '--context prod --kubeconfig /k --state-dir configmaps:evenkeel'
  assert.equal(plainText(inCluster(evenkeel`roll resume X`)), `evenkeel roll resume X ${where}`)
  const inPod = pasteWith({ stateDir: 'configmaps:evenkeel' })
  assert.equal(plainText(inPod(evenkeel`roll resume X`)), 'evenkeel roll resume X --state-dir configmaps:evenkeel')
})

test('a command that would be broken at the end of a line stands whole on its own', () => {
  const then = say`remove what held it up, then: ${evenkeel`roll resume`} (n1 got no command)`
  assert.deepEqual(wrapText(paste(then), 40, 1_000), [
    'remove what held it up, then:',
    `evenkeel roll resume ${WHERE} --state-dir /s`,
    '(n1 got no command)',
  ])
  assert.deepEqual(wrapText(paste(say`n1 is not Ready (${kubectl`describe node n1`})`), 40, 1_000), [
    'n1 is not Ready:',
    `kubectl ${WHERE} describe node n1`,
  ])
})

test('an option that a command names already is not added once more', () => {
  const ops = pasteWith({ context: 'prod', slotsNamespace: 'ops', grantsNamespace: 'brake' })
  assert.equal(
    plainText(ops(evenkeel`budget --namespace ops --watch 2min`)),
    'evenkeel budget --namespace ops --watch 2min --context prod --grants-namespace brake',
  )
})
