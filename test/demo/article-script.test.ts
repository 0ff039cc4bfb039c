import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Pauses, runArticleScript, type ScriptHands } from '../../src/demo/article-script.ts'

const PAUSES: Pauses = { afterMaintMs: 1, afterBootMs: 2, afterUncordonMs: 3, beforeReadyMs: 4, afterReadyMs: 5 }

/** Notes what is done to a cluster of an ingress node and a worker. */
function notingHands(): { readonly hands: ScriptHands; readonly done: string[] } {
  const done: string[] = []
  const note = async (text: string): Promise<void> => void done.push(text)
  const hands: ScriptHands = {
    nodes: ['cp', 'w'],
    carriesIngress: (node) => node === 'cp',
    drain: (node, what) => note(`drain ${node} ${what}`),
    reboot: (node) => note(`reboot ${node}`),
    uncordon: (node) => note(`uncordon ${node}`),
    setServers: (node, state) => note(`${state} ${node}`),
    pause: (ms) => note(`pause ${ms}`),
  }
  return { hands, done }
}

test('the naive plan drains, reboots, sleeps, uncordons and sleeps, node by node', async () => {
  const { hands, done } = notingHands()
  await runArticleScript(hands, { tellsBalancer: false, twoSteps: false, pauses: PAUSES })
  const ofNode = (node: string): readonly string[] => [
    `drain ${node} all`,
    `reboot ${node}`,
    'pause 2',
    `uncordon ${node}`,
    'pause 3',
  ]
  assert.deepEqual(done, [...ofNode('cp'), ...ofNode('w')])
})

test('the staged plan tells the balancer about ingress nodes alone, and drains volumes first', async () => {
  const { hands, done } = notingHands()
  await runArticleScript(hands, { tellsBalancer: true, twoSteps: true, pauses: PAUSES })
  const ofNode = (node: string): readonly string[] => [
    `drain ${node} withVolumes`,
    `drain ${node} all`,
    `reboot ${node}`,
    'pause 2',
    `uncordon ${node}`,
    'pause 3',
  ]
  assert.deepEqual(done, ['maint cp', 'pause 1', ...ofNode('cp'), 'pause 4', 'ready cp', 'pause 5', ...ofNode('w')])
})
