import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { PodProcess } from '../../../src/sim/plane/data-plane.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { type RealPlane, realPlane, served } from './real-plane.ts'

interface Ingress extends RealPlane {
  readonly ingress: PodProcess
  ask(): Promise<string>
  /** From now on the ingress sends to these. */
  send(pods: readonly PodProcess[]): void
}

/** An ingress on n1, behind the node port of n1. */
async function anIngress(t: TestContext): Promise<Ingress> {
  const real = await realPlane(t)
  const ingress = real.pod('in', 1, { forwardsTo: 'whoami' })
  const send = (pods: readonly PodProcess[]): void =>
    ingress.setEndpoints?.(pods.map(({ address }) => ({ host: address, port: 8080 })))
  send([])
  real.lead(1, [ingress])
  const ask = (): Promise<string> => served(real.address(1))
  await waitFor({ what: 'an answer', limitMs: 5_000, everyMs: 5 }, async () => (await ask()) === '503' || undefined)
  return { ...real, ingress, ask, send }
}

/** As long as a request of 200 ms takes: what was asked before it has arrived. */
async function aWhile({ address, lead, pod }: RealPlane): Promise<void> {
  lead(2, [pod('slow', 1, { answerMs: 200 })])
  await waitFor({ what: 'a slow answer', limitMs: 5_000 }, async () =>
    (await served(address(2))) === 'slow/n1' ? true : undefined,
  )
}

test('requests come out at the pods behind an ingress, in turn', async (t) => {
  const { ask, send, pod } = await anIngress(t)
  send([pod('a', 1), pod('b', 2)])
  const answers = [await ask(), await ask(), await ask(), await ask()]
  assert.deepEqual(answers.toSorted(), ['a/n1', 'a/n1', 'b/n2', 'b/n2'])
})

test('a pod that has exited costs no request while there is another', async (t) => {
  const { ask, send, pod } = await anIngress(t)
  const [a, b] = [pod('a', 1), pod('b', 2)]
  a.kill()
  send([a])
  assert.equal(await ask(), '502')
  send([a, b])
  assert.deepEqual([await ask(), await ask()], ['b/n2', 'b/n2'])
})

test('an answer that is cut is asked for elsewhere', async (t) => {
  const ingress = await anIngress(t)
  const { ask, send, pod } = ingress
  const a = pod('a', 2, { answerMs: 2_000 })
  send([a])
  const asked = ask()
  await aWhile(ingress)
  send([pod('b', 1)])
  a.kill()
  assert.equal(await asked, 'b/n1')
})

test('what was asked of a machine that goes dark hangs; what comes after goes elsewhere', async (t) => {
  const ingress = await anIngress(t)
  const { ask, send, pod, plane } = ingress
  send([pod('a', 2, { answerMs: 7_000 })])
  const asked = ask()
  await aWhile(ingress)
  plane.setPower('n2', false)
  send([pod('b', 1)])
  assert.equal(await ask(), 'b/n1')
  assert.equal(await asked, 'silent')
})

test('an ingress that is told to stop refuses at once', async (t) => {
  const { ask, send, pod, ingress } = await anIngress(t)
  send([pod('a', 1)])
  assert.equal(await ask(), 'a/n1')
  ingress.terminate()
  await waitFor({ what: 'a refusal', limitMs: 5_000, everyMs: 5 }, async () =>
    (await ask()) === 'ECONNRESET' ? true : undefined,
  )
})
