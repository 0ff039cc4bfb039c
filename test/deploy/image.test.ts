import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { clusterImage } from '../../deploy/image/cluster-image.ts'
import { ENTRYPOINT, NONROOT, runtimeTree } from '../../deploy/image/root-tree.ts'
import { sshTree } from '../../deploy/image/ssh-tree.ts'
import { run, runToEnd } from '../../testbed/machine/run.ts'
import { requires } from '../support/requires.ts'

const REFERENCE = 'evenkeel.local/evenkeel:0.1.0'

describe('the image that pods run', requires('strip', 'tar'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-image-'))
  const tree = join(folder, 'tree')
  let image: Buffer = Buffer.alloc(0)

  before(async () => {
    image = await clusterImage(REFERENCE)
    writeFileSync(join(folder, 'image.tar'), image)
    await run(['tar', '-xf', 'image.tar'], { cwd: folder })
    mkdirSync(tree)
    for (const { digest } of manifest().layers) await run(['tar', '-xzf', blobAt(digest), '-C', tree])
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
  const blobAt = (digest: string): string => join(folder, 'blobs', digest.replace(':', '/'))
  const manifest = () => json(blobAt(json(join(folder, 'index.json')).manifests[0].digest))

  test('weighs 47 MB at most, and an update of the parts for pods a sixtieth of that', () => {
    assert.ok(image.length <= 47_000_000, `${image.length} bytes`)
    const [, program] = manifest().layers
    // An eighth of it came with NodeGuards: their loop, CEL for rules over objects, and JSON paths; a quarter with Rolls: the schema of the roll file.
    assert.ok(program.size < 783_000, `${program.size} bytes`)
    const [, , tool] = manifest().layers
    assert.ok(tool.size < 1_800_000, `${tool.size} bytes`)
  })

  test('is the same, byte for byte, when it is made again', async () => {
    assert.ok((await clusterImage(REFERENCE)).equals(image))
  })

  test('has two users alone, and holds no shell and no package manager', () => {
    const { config } = json(blobAt(manifest().config.digest))
    assert.deepEqual(config.Entrypoint, ENTRYPOINT)
    assert.equal(config.User, NONROOT)
    assert.match(readFileSync(join(tree, 'etc/passwd'), 'utf8'), /^root:x:0:0:.*\nnonroot:x:65532:65532:.*\n$/)
    assert.deepEqual(readdirSync(join(tree, 'usr/bin')), ['node'])
    assert.deepEqual(readdirSync(join(tree, 'usr/lib/evenkeel')).toSorted(), [
      'LICENSE',
      'evenkeel-rest.cjs',
      'evenkeel.cjs',
      'tool',
    ])
  })

  test('with ssh it has one program more, which works without a shell and knows its user', {
    skip: process.getuid?.() === 0 ? requires('ssh').skip : 'chroot is for root',
  }, async () => {
    const withSsh = join(folder, 'with-ssh')
    for (const { path, mode, content } of [...(await runtimeTree()), ...(await sshTree())]) {
      const place = join(withSsh, path)
      if (content === undefined) mkdirSync(place, { recursive: true })
      else writeFileSync(place, content, { mode })
    }
    assert.deepEqual(readdirSync(join(withSsh, 'usr/bin')).toSorted(), ['node', 'ssh'])
    // As a container runtime has it there.
    await run(['mknod', '-m', '666', join(withSsh, 'dev/null'), 'c', '1', '3'])
    const asked = await runToEnd(['chroot', `--userspec=${NONROOT}`, withSsh, '/usr/bin/ssh', '-G', '-F', 'none', 'n1'])
    assert.equal(asked.code, 0, asked.stderr)
    assert.match(asked.stdout, /^user nonroot$/m)
    const larger = (await clusterImage(REFERENCE, { ssh: true })).length - image.length
    assert.ok(larger > 0 && larger < 6_000_000, `${larger} bytes`)
  })

  test('runs by what it holds, with no library of the machine', async () => {
    const loader = readdirSync(tree).flatMap((name) =>
      name.startsWith('lib') ? filesBelow(join(tree, name)).filter((path) => /\/ld-linux[^/]*$/.test(path)) : [],
    )[0]
    const libraries = new Set(
      filesBelow(tree)
        .filter((path) => /\.so(\.|$)/.test(path))
        .map(dirname),
    )
    const [node = '', ...words] = ENTRYPOINT
    const program = [join(tree, node), ...words.map((word) => (word.startsWith('/') ? join(tree, word) : word))]
    const argv = [loader ?? '', '--inhibit-cache', '--library-path', [...libraries].join(':'), ...program]
    const help = await runToEnd([...argv, 'agent', '--help'])
    assert.deepEqual([help.code, help.stderr], [0, ''])
    assert.match(help.stdout, /^Usage: evenkeel agent/)
    const wrong = await runToEnd([...argv, 'agent', '--node', 'n1', '--port', 'x'])
    assert.equal(wrong.code, 2)
    assert.match(wrong.stderr, /"x" is no port/)
    const controller = await runToEnd([...argv, 'controller', '--help'])
    assert.match(controller.stdout, /^Usage: evenkeel controller/)
    // As in a pod that was given no service account.
    const dns = await runToEnd([...argv, 'dns', 'check'], { env: { KUBERNETES_SERVICE_HOST: '127.0.0.1' } })
    assert.equal(dns.code, 2)
    assert.match(dns.stderr, /there is no API server to ask: this process does not run in a pod/)
  })

  test('runs every command, as a container does', {
    skip: process.getuid?.() === 0 ? false : 'chroot is for root',
  }, async () => {
    const contained = (...words: readonly string[]) =>
      runToEnd(['chroot', `--userspec=${NONROOT}`, tree, ...ENTRYPOINT, ...words], {
        env: { KUBECONFIG: '/no/kubeconfig', NODE_EXTRA_CA_CERTS: '' },
      })
    const version = await contained('--version')
    assert.match(version.stdout, /^0\.1\.0 \(commit /)
    for (const command of [
      'roll',
      'probe',
      'explain',
      'doctor',
      'init',
      'rollout',
      'guard',
      'budget',
      'demo',
      'dns',
      'controller',
    ]) {
      const help = await contained(command, '--help')
      assert.deepEqual([help.code, help.stderr], [0, ''], command)
      assert.match(help.stdout, new RegExp(`^Usage: evenkeel ${command}`), command)
    }
    const roll = await contained('roll', '--all', '--no-probe', '--yes')
    assert.deepEqual([roll.code, roll.stdout], [2, ''])
    assert.match(roll.stderr, /there is no kubeconfig \/no\/kubeconfig/)
    const dns = await contained('dns', 'check')
    assert.match(dns.stderr, /there is no kubeconfig \/no\/kubeconfig/)
  })

  test('the agent’s file holds no package, and less than a third of the program', () => {
    const [agent, rest] = ['evenkeel.cjs', 'evenkeel-rest.cjs'].map((name) =>
      readFileSync(join(tree, 'usr/lib/evenkeel', name), 'utf8'),
    )
    assert.doesNotMatch(agent ?? '', /node_modules/)
    for (const name of ['dns-packet', '@marcbachmann/cel-js', 'json-p3'])
      assert.ok(rest?.includes(`node_modules/${name}/`), name)
    assert.ok((agent ?? '').length < 200_000, `${agent?.length} characters`)
  })

  test('the Containerfile makes the same', () => {
    const text = readFileSync(new URL('../../deploy/image/Containerfile', import.meta.url), 'utf8')
    assert.deepEqual(JSON.parse(/^ENTRYPOINT (.*)$/m.exec(text)?.[1] ?? ''), ENTRYPOINT)
    assert.equal(/^USER (.*)$/m.exec(text)?.[1], NONROOT)
    assert.match(text, /^ARG BASE\nFROM \$\{BASE\} AS build\nARG IMAGE_OPTIONS\n(?:.*\n)*FROM scratch\n/m)
  })
})

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
