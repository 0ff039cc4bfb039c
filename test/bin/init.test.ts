import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { ArticleGround } from '../../bin/demo/article-ground.ts'
import { posixQuote } from '../../src/model/posix-quote.ts'
import type { NodeObject } from '../../src/sim/actors/node-object.ts'
import { NODES } from '../../src/sim/world/api-resource.ts'
import { LocalHaproxy } from '../support/local-haproxy.ts'
import { requires } from '../support/requires.ts'
import { anEmbeddedRoll, type EmbeddedRoll } from './embedded-roll.ts'
import { BINARY, type Ended, ended } from './evenkeel-process.ts'

interface Machine {
  /** Its name has a space and a quote. */
  readonly folder: string
  /** Runs a line in a shell there. */
  readonly paste: (line: string) => Promise<Ended>
}

/** With `evenkeel` and a `kubectl` that says with which words it was called. */
async function aMachine(t: TestContext, place?: string): Promise<Machine> {
  const root = await mkdtemp(join(tmpdir(), 'evenkeel-init-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const [folder, programs] = [place ?? (await mkdtemp(join(root, "it's a "))), await mkdtemp(join(root, 'bin-'))]
  const evenkeel = `exec ${[process.execPath, BINARY].map(posixQuote).join(' ')} "$@"`
  await writeFile(join(programs, 'evenkeel'), `#!/bin/sh\n${evenkeel}\n`, { mode: 0o755 })
  await writeFile(join(programs, 'kubectl'), '#!/bin/sh\nprintf "%s|" "$@"\n', { mode: 0o755 })
  const env = { PATH: `${programs}:${process.env.PATH ?? ''}`, HOME: folder, LANG: 'C.UTF-8', TERM: 'dumb' }
  const paste = (line: string): Promise<Ended> =>
    ended(spawn('/bin/sh', ['-c', line], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env }))
  return { folder, paste }
}

interface Document {
  readonly found: readonly string[]
  readonly leftOut: readonly { readonly what: string; readonly why: string }[]
  readonly answers: readonly { readonly about: string; readonly answer: string; readonly by: string }[]
  readonly isComplete: boolean
  readonly next: readonly string[]
}

async function good(work: Promise<Ended>): Promise<string> {
  const { code, out, err } = await work
  assert.equal(code, 0, `${out}${err}`)
  return out
}

test(
  'on the cluster of the demo, behind a real HAProxy, init writes a file that the plan accepts',
  requires('haproxy'),
  async (t) => {
    const ground = await ArticleGround.open({ plan: 'evenkeel', balancer: 'auto' }, process.env, t.signal)
    t.after(() => ground.end())
    assert.match(ground.about, /^HAProxy/)
    const { folder, paste } = await aMachine(t)
    const reboot = (parse(await readFile(ground.rollFile, 'utf8')).spec.reboot.command as string[])
      .map(posixQuote)
      .join(' ')
    const place = `--kubeconfig ${posixQuote(ground.cluster.kubeconfig)}`
    const found = `--haproxy-socket ${posixQuote(ground.balancerSocket)} --probe ${ground.url}`
    const line = `evenkeel init --yes -f 'my "roll".yaml' ${place} ${found} --reboot ${posixQuote(reboot)}`
    const document = JSON.parse(await good(paste(`${line} -o json`))) as Document

    assert.ok(document.isComplete, JSON.stringify(document))
    const text = await readFile(join(folder, 'my "roll".yaml'), 'utf8')
    const { spec } = parse(text)
    assert.deepEqual(spec.nodes, { selector: 'node-role.kubernetes.io/ingress-controller' }, text)
    assert.deepEqual(spec.balancers, [
      { name: 'edge', instances: [{ name: 'lb-1', socket: ground.balancerSocket }], backends: ['web'] },
    ])
    assert.deepEqual(
      document.leftOut.map(({ what }) => what),
      ['nodes w-1, w-2 and 1 more'],
    )

    const [apply = '', plan = ''] = document.next
    const words = ['--kubeconfig', ground.cluster.kubeconfig, 'apply', '-f', 'my "roll"-rights.yaml']
    assert.equal(await good(paste(apply)), `${words.join('|')}|`)
    const said = JSON.parse(await good(paste(`${plan} -o json`)))
    // Its machines answer no ssh, and it has no etcd.
    const codes = new Set(said.findings.map(({ code }: { code: string }) => code))
    assert.deepEqual([...codes], ['HostNotAsked', 'EtcdUnseen'], JSON.stringify(said.findings))
    assert.deepEqual(
      said.nodes.map(({ node, detachFrom }: { node: string; detachFrom: readonly string[] }) => [node, detachFrom]),
      [1, 2, 3].map((i) => [`cp-${i}`, [`web/cp-${i} on lb-1`]]),
    )
  },
)

const nodeAddresses = ({ cluster }: EmbeddedRoll): readonly string[] =>
  ['n1', 'n2'].map((name) => {
    const node = cluster.world.store.get(NODES, { name }) as NodeObject | undefined
    return node?.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? ''
  })

const web = (addresses: readonly string[]) => () =>
  `backend web\n${addresses.map((address, at) => `  server s${at + 1} ${address}:30080\n`).join('')}`

const HERE = `--kubeconfig 'my kube.yaml'`

test(
  'two HAProxies that disagree are both written, with the difference; a person may say which is right',
  requires('haproxy'),
  async (t) => {
    const roll = await anEmbeddedRoll(t)
    const addresses = nodeAddresses(roll)
    const [one, other] = await Promise.all([
      LocalHaproxy.start(t, { sections: web(addresses) }),
      LocalHaproxy.start(t, { sections: web(addresses.slice(0, 1)) }),
    ])
    const { paste } = await aMachine(t, roll.folder)
    const sockets = [one, other].map(({ socket }) => `--haproxy-socket ${socket}`).join(' ')
    const { found } = JSON.parse(await good(paste(`evenkeel init --yes ${HERE} ${sockets} -o json`))) as Document
    assert.ok(found.length > 0)
    const text = await readFile(join(roll.folder, 'roll.yaml'), 'utf8')
    assert.match(text, /# The HAProxies disagree\. Correct this before a roll: server web\/s2/)
    assert.deepEqual(
      parse(text).spec.balancers[0].instances.map(({ socket }: { socket: string }) => socket),
      [one.socket, other.socket],
    )

    // The plan sees the same difference, and takes the file.
    const reboot = posixQuote('/bin/true {node} {bootId}')
    const again = `evenkeel init --yes --overwrite ${HERE} ${sockets} --reboot ${reboot} -o json`
    const [, plan = ''] = (JSON.parse(await good(paste(again))) as Document).next
    const codes = JSON.parse((await paste(`${plan} -o json`)).out).findings.map(({ code }: { code: string }) => code)
    assert.ok(codes.includes('BalancerPairDiffers'), codes.join())
    assert.equal(await readFile(join(roll.folder, 'roll.yaml.bak'), 'utf8'), text)
  },
)

test('a haproxy.cfg is read where its socket does not answer', requires('haproxy'), async (t) => {
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
  assert.ok((JSON.parse(none) as Document).isComplete)
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
