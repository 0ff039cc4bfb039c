import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { LEASES, NODES } from '../../src/sim/world/api-resource.ts'
import { MERGE_PATCH, patchObject } from '../../src/sim/world/patch-object.ts'
import { anEmbeddedRoll, type EmbeddedRoll } from './embedded-roll.ts'
import { type Ended, ended } from './evenkeel-process.ts'

interface Seen {
  readonly name: string
  readonly state: string
  readonly text: string
  readonly fix?: string
}

type Doctor = (line: string, env?: Readonly<Record<string, string>>) => Promise<Ended>

/** A machine with ssh, whatever that of the tests has. */
async function aMachine(t: TestContext): Promise<EmbeddedRoll & { readonly doctor: Doctor }> {
  const roll = await anEmbeddedRoll(t)
  await writeFile(join(roll.programs, 'ssh'), '#!/bin/sh\n', { mode: 0o755 })
  const doctor: Doctor = (line, env) =>
    ended(
      spawn('/bin/sh', ['-c', `evenkeel doctor ${line}`], {
        cwd: roll.folder,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: `${roll.programs}:${process.env.PATH ?? ''}`, HOME: roll.folder, LANG: 'C.UTF-8', ...env },
      }),
    )
  return { ...roll, doctor }
}

const statesOf = ({ out }: Ended): Readonly<Record<string, string>> =>
  Object.fromEntries(checksOf(out).map(({ name, state }) => [name, state]))

const checksOf = (out: string): readonly Seen[] => JSON.parse(out).checks

const HERE = `--kubeconfig 'my kube.yaml' --state-dir "it's state"`

test('doctor says that nothing is missing, and of a file without a probe that nothing measures the roll; it writes nothing', async (t) => {
  const { doctor, cluster, folder } = await aMachine(t)
  const text = await doctor(HERE)
  assert.deepEqual([text.code, text.err], [0, ''])
  assert.match(text.out, /^ok +Node\.js +\d+\./)
  assert.match(text.out, /^ok +kubeconfig +my kube\.yaml: context it \(http:\/\/127\.0\.0\.1:\d+\),\s+user it$/m)
  assert.match(text.out, /^ok +nodes +2 nodes, all of them Ready$/m)
  assert.match(text.out, /^skipped +balancers +a roll file names the balancers: give it with -f$/m)

  const file = await doctor(`-f 'roll one.yaml' ${HERE} -o json`)
  assert.equal(file.code, 1, file.out)
  const notOk = checksOf(file.out).filter(({ state }) => state !== 'ok')
  assert.deepEqual(
    notOk.map(({ name, state }) => [name, state]),
    [['probes', 'missing']],
  )
  assert.equal(cluster.world.store.get(LEASES, { namespace: 'evenkeel', name: 'evenkeel-slot-0' }), undefined)
  assert.equal(existsSync(join(folder, "it's state")), false)
})

test('doctor says whether journals can be written into a namespace, by the rights alone', async (t) => {
  const { doctor } = await aMachine(t)
  const seen = await doctor(`--kubeconfig 'my kube.yaml' --state-dir configmaps:evenkeel -o json`)
  const state = checksOf(seen.out).find(({ name }) => name === 'state directory')
  assert.deepEqual([state?.state, state?.text], ['ok', 'configmaps:evenkeel can be written'])
  const away = await doctor('--state-dir configmaps:evenkeel -o json', { KUBERNETES_SERVICE_HOST: '' })
  const unknown = checksOf(away.out).find(({ name }) => name === 'state directory')
  assert.match(`${unknown?.state} ${unknown?.text}`, /^missing no journal .* the cluster cannot be asked$/)
})

test('doctor asks each probe target and each balancer socket of the file', async (t) => {
  const { doctor, folder, cluster } = await aMachine(t)
  const spec = parse(await readFile(join(folder, 'roll one.yaml'), 'utf8'))
  const balancers = [
    { name: 'edge', instances: [{ name: 'edge-1', socket: join(folder, 'no.sock') }], backends: ['web'] },
  ]
  const api = `http://127.0.0.1:${cluster.apiPort}/`
  const probes = [
    { name: 'there', url: api, expectStatus: '400-499' },
    { name: 'gone', url: 'http://127.0.0.1:1/' },
  ]
  await writeFile(join(folder, 'more.yaml'), stringify({ ...spec, spec: { ...spec.spec, balancers, probes } }))
  const seen = await doctor(`-f more.yaml ${HERE} -o json`)
  assert.equal(seen.code, 1, seen.out)
  const { 'balancer edge/edge-1': socket, 'probe gone': gone, 'probe there': there } = statesOf(seen)
  assert.deepEqual([socket, gone, there], ['missing', 'missing', 'ok'], seen.out)
})

test('doctor names what an earlier run left on a node', async (t) => {
  const { doctor, cluster } = await aMachine(t)
  const old = cluster.world.store.get(NODES, { name: 'n2' })
  assert.ok(old !== undefined)
  const patch = { metadata: { annotations: { 'evenkeel.dev/record': '{}' } }, spec: { unschedulable: true } }
  patchObject(cluster.world, { resource: NODES, old, contentType: MERGE_PATCH, patch, statusOnly: false })
  const seen = await doctor(`${HERE} -o json`)
  assert.equal(seen.code, 0, 'warnings are allowed')
  const [left, ...more] = checksOf(seen.out).filter(({ state }) => state !== 'ok' && state !== 'skipped')
  assert.deepEqual([left?.name, left?.state, more], ['leftovers', 'warning', []])
  assert.match(left?.text ?? '', /^n2 carries a record that cannot be read/)
})

test('without a kubeconfig, all that needs the cluster is skipped', async (t) => {
  const { doctor } = await aMachine(t)
  const seen = await doctor('-o json', { KUBERNETES_SERVICE_HOST: '' })
  assert.equal(seen.code, 1)
  const states = statesOf(seen)
  assert.equal(states.kubeconfig, 'missing')
  assert.deepEqual(
    ['API server', 'clock', 'rights', 'slot', 'nodes', 'leftovers'].map((name) => states[name]),
    Array.from({ length: 6 }, () => 'skipped'),
  )
  const [missing] = checksOf(seen.out).filter(({ state }) => state === 'missing')
  assert.match(missing?.fix ?? '', /--kubeconfig or \$KUBECONFIG/)
})

test('with an API server that is down, doctor says so and skips what it would have told', async (t) => {
  const { doctor, cluster } = await aMachine(t)
  cluster.end()
  const seen = await doctor(`-f 'roll one.yaml' ${HERE} -o json`)
  assert.equal(seen.code, 1)
  const states = statesOf(seen)
  assert.deepEqual([states.kubeconfig, states['API server'], states.nodes], ['ok', 'missing', 'skipped'])
  const server = checksOf(seen.out).find(({ name }) => name === 'API server')
  assert.match(server?.fix ?? '', /check that the API server runs/)
})

test('doctor says that the state directory cannot be written, or that the roll file has an error', async (t) => {
  const { doctor, folder } = await aMachine(t)
  await writeFile(join(folder, 'taken'), '')
  const place = await doctor(`--kubeconfig 'my kube.yaml' --state-dir taken/state -o json`)
  assert.equal(place.code, 1)
  const wrong = checksOf(place.out).filter(({ state }) => state === 'missing')
  assert.deepEqual(
    wrong.map(({ name }) => name),
    ['state directory'],
  )
  assert.match(wrong[0]?.text ?? '', /taken is not a directory/)

  await mkdir(join(folder, 'files'))
  await writeFile(join(folder, 'files', 'bad one.yaml'), 'kind: Roll\nspec: 3\n')
  const file = await doctor(`-f 'files/bad one.yaml' ${HERE}`)
  assert.equal(file.code, 1)
  assert.match(file.out, /^missing +roll file +/m)
  assert.match(
    file.out,
    /fix: evenkeel roll -f 'files\/bad one\.yaml' --dry-run --kubeconfig 'my kube\.yaml'/m,
    file.out,
  )
  assert.match(file.out, /^skipped +probes +the roll file cannot be read$/m)

  assert.equal((await doctor('--no-such')).code, 2)
})

test('doctor asks gates and Alertmanager of the file once, looks for the commands of hooks, and says when work is allowed', async (t) => {
  const { doctor, folder } = await aMachine(t)
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    response.writeHead(url === '/api/v2/status' || url === '/n1' ? 200 : 503).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const place = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const spec = parse(await readFile(join(folder, 'roll one.yaml'), 'utf8'))
  const gate = { before: 'node', http: { url: `${place}/{node}` } }
  const more = {
    gates: [
      { ...gate, name: 'well' },
      { ...gate, name: 'away', http: { url: 'http://127.0.0.1:1/' } },
      { name: 'no', before: 'node', command: ['false'] },
    ],
    hooks: [
      { name: 'there', at: 'beforeNode', run: ['true', '{node}'] },
      { name: 'gone', at: 'afterRoll', run: ['true'], onFailure: 'ignore' },
      { name: 'lost', at: 'beforeReboot', run: ['true'], undo: ['no-such-program'] },
    ],
    silences: [
      { name: 'am', url: place, matchers: [{ name: 'node', value: '{node}' }] },
      { name: 'other', url: `${place}/wrong`, matchers: [{ name: 'node', value: '{node}' }] },
    ],
    window: { zone: 'UTC', open: [{ cron: '0 * * * *', duration: '1h' }] },
  }
  await writeFile(join(folder, 'more.yaml'), stringify({ ...spec, spec: { ...spec.spec, ...more } }))
  const seen = await doctor(`-f more.yaml ${HERE} -o json`)
  assert.equal(seen.code, 1, seen.out)
  const states = statesOf(seen)
  const wishes = Object.entries(states).filter(([name]) => /^(?:gate|hook|silence|time window)/.test(name))
  assert.deepEqual(Object.fromEntries(wishes), {
    'time window': 'ok',
    'gate well': 'ok',
    'gate away': 'missing',
    'gate no': 'warning',
    'hook there': 'ok',
    'hook gone': 'ok',
    'hook lost': 'missing',
    'silence am': 'ok',
    'silence other': 'missing',
  })
  assert.deepEqual(asked.toSorted(), ['/api/v2/status', '/n1', '/wrong/api/v2/status'])
})
