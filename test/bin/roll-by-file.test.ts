import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { rollSpecFromSelection } from '../../src/roll/file/load-roll-file.ts'
import { formatRecord, RECORD_ANNOTATION } from '../../src/service/model/node-record.ts'
import { answering, FakeApiServer } from '../ground/kube/fake-api-server.ts'
import { kubeconfigOf } from '../ground/kube/kubeconfig-of.ts'
import { aFolder } from '../ground/kube/opened.ts'
import { aRecord } from '../support/roll-world.ts'
import { type Ended, evenkeel } from './evenkeel-process.ts'

const RUN = '20261121T061439Z-1f0e'
const AT = '2026-11-21T06:14:39.000Z'

/** As the API has it: a node that a run has out where `run` says so. */
const apiNode = (name: string, run?: string) => ({
  metadata: {
    name,
    uid: `uid-${name}`,
    resourceVersion: '1',
    annotations: run === undefined ? {} : { [RECORD_ANNOTATION]: formatRecord(aRecord({ run })) },
  },
  spec: { unschedulable: run !== undefined },
  status: { nodeInfo: { bootID: 'b' }, addresses: [{ type: 'InternalIP', address: '10.0.0.1' }], conditions: [] },
})

const FILE = `apiVersion: evenkeel.dev/v1alpha1
kind: Roll
metadata: {name: prod-eu1}
spec:
  probes: [{name: shop, url: 'https://app.example.com/'}]
`

interface Place {
  readonly nodes: readonly object[]
  readonly file?: string
  /** Whether the journal of a run of n1 and n2 is here. */
  readonly journal?: boolean
}

/** A cluster of these nodes, and a state directory. */
async function aPlace(context: TestContext, { nodes, file = FILE, journal = false }: Place) {
  const server = await new FakeApiServer().start()
  context.after(() => server.stop())
  server.putInTheWay('list', answering(200, { metadata: { resourceVersion: '1' }, items: nodes }), 10)
  const folder = await aFolder(context)
  const path = (name: string): string => join(folder, name)
  await writeFile(path('kubeconfig'), kubeconfigOf(server, { token: 'let-me-in' }))
  await writeFile(path('roll.yaml'), file)
  const journalPath = path(`${RUN}/journal.jsonl`)
  if (journal) {
    const spec = rollSpecFromSelection({ names: ['n1', 'n2'], all: false })
    const header = { at: AT, type: 'journal', v: 1, run: RUN, cluster: 'cluster-uid', tool: '0.1.0' }
    const planned = { at: AT, type: 'planned', spec, order: ['n1', 'n2'], clusterName: 'prod-eu1' }
    await mkdir(path(RUN))
    await writeFile(journalPath, `${JSON.stringify(header)}\n${JSON.stringify(planned)}\n`)
  }
  const roll = (...words: readonly string[]): Promise<Ended> =>
    evenkeel('roll', ...words, '-f', path('roll.yaml'), '--kubeconfig', path('kubeconfig'), '--state-dir', folder)
  const writes = () => server.requests.filter(({ method }) => method !== 'GET').map(({ path: where }) => where)
  return { roll, writes, text: () => readFile(journalPath, 'utf8') }
}

test('a resume by a file that the run stands against touches neither cluster nor journal', async (context) => {
  const file = `${FILE}  slots: {namespace: other}\n  nodes: {names: [n2]}\n`
  const { roll, writes, text } = await aPlace(context, {
    nodes: [apiNode('n1', RUN), apiNode('n2')],
    file,
    journal: true,
  })
  const before = await text()
  const { code, out, err } = await roll('resume')
  assert.deepEqual([code, out], [2, ''])
  assert.match(
    err,
    /error: the slot of this run is in namespace "evenkeel" \(config\.begun\)\n --> .*roll\.yaml:6:22\n/,
  )
  assert.match(
    err,
    /error: n1 is kept out by this run, and the file does not choose it \(config\.begun\)\n --> .*roll\.yaml:7:3\n/,
  )
  assert.match(err, new RegExp(`fix: choose n1 as well, or put back .*: evenkeel roll abort ${RUN}\n`))
  assert.deepEqual([await text(), writes()], [before, []])
})

test('an abort by a file, where no node is out, says so and makes no journal', async (context) => {
  const { roll, writes, text } = await aPlace(context, { nodes: [apiNode('n1'), apiNode('n2')] })
  const { code, err } = await roll('abort')
  assert.equal(code, 2)
  assert.match(
    err,
    /^error: no node of this cluster carries a record, so no run has a node out \(abort\.nothing-out\)\n/,
  )
  await assert.rejects(text(), { code: 'ENOENT' })
  assert.deepEqual(writes(), [])
})

test('an abort by a file that lacks a balancer which the node was taken out of touches nothing', async (context) => {
  const { roll, writes, text } = await aPlace(context, { nodes: [apiNode('n1', RUN), apiNode('n2')] })
  for (const words of [['abort'], ['abort', RUN]]) {
    const { code, err } = await roll(...words)
    assert.equal(code, 2)
    assert.match(
      err,
      /^error: n1 was taken out of web\/n1 on lb-1 of "edge", which the file does not name \(config\.begun\)/,
    )
  }
  await assert.rejects(text(), { code: 'ENOENT' })
  assert.deepEqual(writes(), [])
})

test('nodes of two runs: the run has to be named', async (context) => {
  const { roll } = await aPlace(context, { nodes: [apiNode('n1', RUN), apiNode('n2', 'another-run')] })
  const { code, err } = await roll('abort')
  assert.equal(code, 2)
  assert.match(
    err,
    /^error: several runs keep nodes out: .*\(abort\.which-run\)\n {2}= fix: name the run: evenkeel roll abort /,
  )
})
