import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { test } from 'node:test'
import { PODS } from '../../src/sim/world/api-resource.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { anEmbeddedRoll, type EmbeddedRoll } from './embedded-roll.ts'
import { type Ended, ended } from './evenkeel-process.ts'

const RUNNER = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'runner', namespace: 'default' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'runner' } },
    template: {
      metadata: { labels: { app: 'runner' } },
      spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'roll', image: 'registry.example/evenkeel' }] },
    },
  },
}

interface Runner {
  readonly metadata: {
    readonly name: string
    readonly deletionTimestamp?: string
    readonly labels?: { readonly app?: string }
  }
  readonly spec: { readonly nodeName?: string }
}

/** The pod in whose name the roll runs, and the node that it is on. */
const runnerPod = ({ cluster }: EmbeddedRoll, not = ''): Promise<{ readonly pod: string; readonly node: string }> =>
  waitFor({ what: 'the pod of the roll', limitMs: 30_000 }, async () => {
    const pods = [...cluster.world.store.all(PODS)] as unknown as readonly Runner[]
    const found = pods.find(
      ({ metadata, spec }) =>
        metadata.labels?.app === 'runner' &&
        metadata.deletionTimestamp === undefined &&
        metadata.name !== not &&
        spec.nodeName !== undefined,
    )
    return found && { pod: found.metadata.name, node: found.spec.nodeName ?? '' }
  })

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

test('a roll in a pod takes its own node last, moves its pod once, and is continued by the next pod of its key', async (t) => {
  const place = await anEmbeddedRoll(t)
  const { folder, programs, letReboot } = place
  place.cluster.apply([RUNNER])
  await letReboot()
  const roll = (pod: string) => {
    const line = `exec evenkeel roll -f 'roll one.yaml' --no-probe --yes --kubeconfig 'my kube.yaml' --state-dir state --once job-1 --pod default/${pod} -o jsonl --progress none`
    const env = { PATH: `${programs}:${process.env.PATH ?? ''}`, HOME: folder, LANG: 'C.UTF-8', TERM: 'dumb' }
    return spawn('/bin/sh', ['-c', line], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env })
  }
  const lines = (end: Ended) => linesOf(end.out)

  const first = await runnerPod(place)
  const leaving = roll(first.pod)
  const end = ended(leaving)
  // As the kubelet does with the pod that is deleted.
  const second = await runnerPod(place, first.pod)
  leaving.kill('SIGTERM')
  const moved = await end
  assert.equal(moved.code, 130, moved.err)
  assert.notEqual(second.node, first.node)
  const events = lines(moved)
  assert.deepEqual(
    events.filter(({ type }) => type === 'node.started').map(({ node }) => node),
    [second.node, first.node],
  )
  assert.deepEqual(
    events.filter(({ type }) => type === 'pod.moved').map(({ pod, stage }) => [pod, stage]),
    [[`default/${first.pod}`, 0]],
  )

  const rest = await ended(roll(second.pod))
  assert.equal(rest.code, 0, rest.err)
  assert.equal(lines(rest).at(-1).outcome, 'completed')
  assert.equal(lines(rest).filter(({ type }) => type === 'pod.moved').length, 0)

  const again = await ended(roll(second.pod))
  assert.equal(again.code, 0, again.err)
  assert.match(again.err, /was begun for this key and is over: nothing is done/)
  const journal = linesOf(await readFile(join(folder, 'state', lines(moved)[0].run, 'journal.jsonl'), 'utf8'))
  assert.equal(journal.filter(({ type }) => type === 'roll.started').length, 2)
})

test('a pod that the cluster does not have is said before anything is begun', async (t) => {
  const { folder, programs } = await anEmbeddedRoll(t)
  const line = `evenkeel roll -f 'roll one.yaml' --no-probe --yes --kubeconfig 'my kube.yaml' --state-dir state --pod default/gone`
  const env = { PATH: `${programs}:${process.env.PATH ?? ''}`, HOME: folder, LANG: 'C.UTF-8', TERM: 'dumb' }
  const { code, err } = await ended(
    spawn('/bin/sh', ['-c', line], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env }),
  )
  assert.equal(code, 2)
  assert.match(err, /^error: this cluster has no pod default\/gone on a node \(usage\.own-pod\)\n/)
})
