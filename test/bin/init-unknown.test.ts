import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { anEmbeddedRoll } from './embedded-roll.ts'
import { aMachine, good, HERE, type InitDocument, nodeAddresses } from './init-machine.ts'

test('a haproxy.cfg is read where its socket does not answer', async (t) => {
  const roll = await anEmbeddedRoll(t)
  const { paste } = await aMachine(t, roll.folder)
  const [address = ''] = nodeAddresses(roll)
  const lines = ['global', '  stats socket /no/such.sock level admin', 'backend web', `  server a ${address}:80 check`]
  await writeFile(join(roll.folder, "lb's.cfg"), `${lines.join('\n')}\n`)
  const out = await good(paste(`evenkeel init --yes ${HERE} --haproxy-config "lb's.cfg"`))
  assert.match(out, /from its haproxy\.cfg/)
  const text = await readFile(join(roll.folder, 'roll.yaml'), 'utf8')
  assert.match(text, /# It did not answer init: .*there is no such socket/)
  assert.deepEqual(parse(text).spec.balancers[0].backends, ['web'])
  assert.deepEqual(parse(text).spec.nodes, { names: ['n1'] })
})

test('a socket that is not there, and none at all: the file says what is missing', async (t) => {
  const roll = await anEmbeddedRoll(t)
  const { paste } = await aMachine(t, roll.folder)
  const line = `evenkeel init --yes ${HERE} --haproxy-socket '/no such/admin.sock'`
  const out = await good(paste(line))
  assert.match(
    out.replaceAll(/\s+/g, ' '),
    /HAProxy lb-1 \(\/no such\/admin\.sock\): it did not answer: .*there is no such socket/,
  )
  assert.match(out, /\n {2}missing +The plan needs nodes and a balancer/)
  const [, again = ''] = /\n +(evenkeel init .*)\n$/.exec(out) ?? []
  await good(paste(`${again} --yes`))

  const refused = await paste(line)
  assert.equal(refused.code, 2)
  assert.match(refused.err, /^error: roll\.yaml is there already/)
  const none = await good(paste(`evenkeel init --yes ${HERE} --no-haproxy -f other.yaml -o json`))
  assert.ok((JSON.parse(none) as InitDocument).isComplete)
})

/** As a distribution installs it; absent: this machine has none, or one of its own. */
const INSTALLED = '/etc/haproxy/haproxy.cfg'
const isInstalled = existsSync(INSTALLED) && !/^\s*server\s/m.test(readFileSync(INSTALLED, 'utf8'))

test('a haproxy.cfg that sends nothing anywhere, as a distribution installs it, is no answer', {
  skip: isInstalled ? false : `${INSTALLED} is not there, or is in use`,
}, async (t) => {
  const roll = await anEmbeddedRoll(t)
  const { paste } = await aMachine(t, roll.folder)
  const out = await good(paste(`evenkeel init --yes ${HERE}`))
  assert.doesNotMatch(out, /haproxy\.cfg: /)
  assert.match(out.replaceAll(/\s+/g, ' '), /load balancers: no runtime socket and no haproxy\.cfg was found or named/)
})

test('with no right to list anything, init writes the rights, and says that it guessed nothing', async (t) => {
  const roll = await anEmbeddedRoll(t)
  const { paste } = await aMachine(t, roll.folder)
  const door = createServer((request, response) => {
    const isVersion = request.url?.includes('/version') === true
    response.writeHead(isVersion ? 200 : 403, { 'content-type': 'application/json' })
    const reason = { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403, message: 'nodes is forbidden' }
    response.end(JSON.stringify(isVersion ? { gitVersion: 'v1.35.0', major: '1', minor: '35' } : reason))
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  t.after(() => door.close())
  const { port } = door.address() as AddressInfo
  const kubeconfig = await readFile(join(roll.folder, 'my kube.yaml'), 'utf8')
  const theirs = kubeconfig.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`)
  await writeFile(join(roll.folder, 'my kube.yaml'), theirs)

  const out = await good(paste(`evenkeel init --yes ${HERE} --no-haproxy`))
  assert.match(out.replaceAll(/\s+/g, ' '), /left out nodes: .*nodes is forbidden/)
  assert.match(out, /\n {2}missing /)
  const text = await readFile(join(roll.folder, 'roll.yaml'), 'utf8')
  assert.match(text, /# nodes:\n/)
  assert.equal(parse(text).spec.nodes, undefined)
  const rights = parseAllDocuments(await readFile(join(roll.folder, 'roll-rights.yaml'), 'utf8'))
  assert.ok(rights.some((document) => document.get('kind') === 'ClusterRole'))
})

test('an API server that is away ends init with nothing written', async (t) => {
  const roll = await anEmbeddedRoll(t)
  const { paste } = await aMachine(t, roll.folder)
  roll.cluster.end()
  const { code, err } = await paste(`evenkeel init --yes ${HERE} --no-haproxy`)
  assert.notEqual(code, 0)
  assert.match(err, /^error: /)
  assert.deepEqual((await readdir(roll.folder)).toSorted(), ['my kube.yaml', 'roll one.yaml'])
})
