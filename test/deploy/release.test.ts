import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parse } from 'yaml'
import { makeRelease } from '../../deploy/release/make-release.ts'
import { hasChanges } from '../../deploy/release/release-facts.ts'
import { run, runToEnd } from '../../testbed/machine/run.ts'
import { sampleOf, unlikeLines } from '../support/page-sample.ts'
import { requires } from '../support/requires.ts'

const ARCH = process.arch === 'arm64' ? 'arm64' : 'x64'
const FACTS = {
  version: '0.1.0',
  commit: '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d',
  isChanged: false,
  committedAt: '2026-11-27T01:44:12+00:00',
}

describe('a release', requires('strip', 'tar', 'ssh'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-release-test-'))
  const [out, prefix, home] = ['release', 'prefix', 'home'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const artifact = (rest: string): string => join(out, `evenkeel-0.1.0${rest}`)
  /** Without Node in the path and without what the tests set: as on a machine that has nothing of ours. */
  const clean = (...argv: readonly string[]) =>
    runToEnd(['env', '-i', `HOME=${home}`, 'PATH=/usr/bin:/bin', ...argv], { cwd: home, limitMs: 180_000 })
  const ways: readonly (readonly [name: string, argv: () => readonly string[]])[] = [
    ['the npm package', () => [process.execPath, join(prefix, 'bin', 'evenkeel')]],
    ['the executable', () => [artifact(`-linux-${ARCH}`)]],
  ]

  before(async () => {
    mkdirSync(home)
    const baseUrl = 'https://example.com/v0.1.0'
    const builder = 'https://example.com/builder'
    const nodeLicense = 'the terms of Node'
    await makeRelease({ facts: FACTS, out, baseUrl, builder, arches: [ARCH], nodeLicense, gzipLevel: 1 })
    const install = ['npm', 'install', '--global', '--offline', '--no-audit', '--no-fund', '--prefix', prefix]
    await run([...install, artifact('.tgz')], { cwd: home, env: { npm_config_cache: join(folder, 'cache') } })
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  for (const [name, argv] of ways) {
    test(`${name} says its version and commit, and has a help`, async () => {
      const version = await clean(...argv(), '--version')
      assert.deepEqual([version.code, version.stderr], [0, ''])
      assert.match(version.stdout, /^0\.1\.0 \(commit (?:[0-9a-f]{12}(?:-changed)?|unknown)\)\n$/)
      const help = await clean(...argv(), 'roll', '--help')
      assert.deepEqual([help.code, help.stderr], [0, ''])
      assert.match(help.stdout, /^Usage: evenkeel roll/)
    })

    test(`${name} finds its prober`, async (t) => {
      const server = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1')
      await once(server, 'listening')
      t.after(() => server.close())
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
      const options = ['--duration', '1s', '--rate', '20', '--timeout', '30s', '-o', 'json']
      const probe = await clean(...argv(), 'probe', url, ...options)
      assert.equal(probe.code, 0, probe.stderr)
      const { failedRequests, sentRequests, lanes } = JSON.parse(probe.stdout)
      assert.deepEqual([failedRequests, lanes.length], [0, 2])
      assert.ok(sentRequests > 0)
    })

    // By day the demo of the bundle is tested, which the package consists of.
    test(`${name} runs its demo`, { skip: process.env.EVERY_TROUBLE === '1' ? false : 'by night' }, async () => {
      const demo = await clean(...argv(), 'demo')
      assert.equal(demo.code, 0, demo.stderr)
      assert.match(demo.stdout, /^evenkeel +\d+:\d\d +[\d,]+ +0 /m)
      const sample = sampleOf('README.md', 'plan      time')
      const printed = demo.stderr + demo.stdout
      assert.deepEqual(unlikeLines(sample, printed, /^(naive|evenkeel) /), [], printed)
    })
  }

  test('the package and the executable are small enough, and the package has no sources', async () => {
    assert.ok(statSync(artifact('.tgz')).size <= 3_000_000)
    assert.ok(statSync(artifact(`-linux-${ARCH}`)).size <= 130_000_000)
    const names = (await run(['tar', '-tzf', artifact('.tgz')])).trim().split('\n')
    assert.deepEqual(
      names.filter((name) => /\.ts$|test|node_modules/.test(name)),
      [],
    )
    for (const name of ['LICENSE', 'README.md', 'CHANGELOG.md', 'THIRD-PARTY-LICENSES.txt', 'dist/evenkeel.js'])
      assert.ok(names.includes(`package/${name}`), name)
    const manifest = JSON.parse(await run(['tar', '-xzOf', artifact('.tgz'), 'package/package.json']))
    assert.deepEqual(
      [manifest.version, manifest.engines, manifest.dependencies],
      ['0.1.0', { node: '>=24' }, undefined],
    )
    assert.ok(hasChanges(manifest.version))
  })

  test('the chart has the version of the release and the folder that helm wants', async () => {
    const names = (await run(['tar', '-tzf', artifact('-chart.tgz')])).trim().split('\n')
    assert.ok(names.every((name) => name.startsWith('evenkeel/')))
    for (const name of ['values.yaml', 'values.schema.json', 'templates/agent.yaml', 'templates/NOTES.txt'])
      assert.ok(names.includes(`evenkeel/${name}`), name)
    const chart = parse(await run(['tar', '-xzOf', artifact('-chart.tgz'), 'evenkeel/Chart.yaml']))
    assert.deepEqual([chart.name, chart.version, chart.appVersion], ['evenkeel', '0.1.0', '0.1.0'])
    const plain = await run(['tar', '-xzOf', artifact('-yaml.tar.gz'), 'evenkeel-0.1.0-yaml/roll-rbac.yaml'])
    assert.equal(plain, readFileSync(new URL('../../deploy/roll-rbac.yaml', import.meta.url), 'utf8'))
  })

  test('one of the images has ssh', async () => {
    for (const [name, hasSsh] of Object.entries({ image: false, 'image-ssh': true })) {
      const archive = artifact(`-${name}-${ARCH}.tar`)
      const [{ RepoTags, Layers }] = JSON.parse(await run(['tar', '-xOf', archive, 'manifest.json']))
      assert.deepEqual(RepoTags, [`evenkeel.local/evenkeel:0.1.0${hasSsh ? '-ssh' : ''}`])
      const listed = await Promise.all(
        Layers.map((layer: string) => run(['sh', '-c', 'tar -xOf "$0" "$1" | tar -tz', archive, layer])),
      )
      assert.equal(listed.join('').split('\n').includes('usr/bin/ssh'), hasSsh, name)
    }
  })

  test('each command has a man page where man looks for it', async () => {
    const names = (await run(['tar', '-tzf', artifact('-man.tar.gz')])).trim().split('\n')
    for (const name of ['evenkeel', 'evenkeel-roll', 'evenkeel-roll-resume'])
      assert.ok(names.includes(`man1/${name}.1`), name)
  })

  test('krew’s manifest names an archive by its digest, with the executable in it', async () => {
    const { metadata, spec } = parse(readFileSync(artifact('-krew.yaml'), 'utf8'))
    assert.deepEqual([metadata.name, spec.version, spec.platforms.length], ['evenkeel', 'v0.1.0', 1])
    const [{ selector, uri, sha256, bin, files }] = spec.platforms
    assert.deepEqual(selector.matchLabels, { os: 'linux', arch: ARCH === 'x64' ? 'amd64' : 'arm64' })
    assert.equal(uri, `https://example.com/v0.1.0/evenkeel-0.1.0-linux-${ARCH}.tar.gz`)
    const archive = artifact(`-linux-${ARCH}.tar.gz`)
    assert.equal(sha256, (await run(['sha256sum', archive])).split(' ')[0])
    const listed = await run(['tar', '-tvzf', archive])
    assert.match(listed, /^-rwxr-xr-x .* evenkeel$/m)
    assert.equal(bin, 'evenkeel')
    for (const { from } of files) assert.match(listed, new RegExp(` ${from}$`, 'm'))
  })

  test('the bill of materials names what runs and nothing of the build', () => {
    const bill = JSON.parse(readFileSync(artifact('-sbom.cdx.json'), 'utf8'))
    assert.deepEqual([bill.bomFormat, bill.metadata.timestamp], ['CycloneDX', FACTS.committedAt])
    const names: readonly string[] = bill.components.map(({ name }: { name: string }) => name)
    for (const name of ['@kubernetes/client-node', 'commander', 'undici', 'zod', 'node'])
      assert.ok(names.includes(name), name)
    for (const name of ['esbuild', 'typescript', 'postject']) assert.ok(!names.includes(name), name)
  })

  test('the provenance names commit, builder and the digest of each artifact', async () => {
    const { _type, subject, predicate } = JSON.parse(readFileSync(artifact('-provenance.json'), 'utf8'))
    assert.equal(_type, 'https://in-toto.io/Statement/v1')
    assert.equal(predicate.runDetails.builder.id, 'https://example.com/builder')
    assert.equal(predicate.buildDefinition.resolvedDependencies[0].digest.gitCommit, FACTS.commit)
    const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8')
    for (const { name, digest } of subject) assert.ok(sums.includes(`${digest.sha256}  ${name}\n`), name)
    const others = ['SHA256SUMS', 'evenkeel-0.1.0-provenance.json']
    assert.deepEqual(
      subject.map(({ name }: { name: string }) => name).toSorted(),
      readdirSync(out)
        .filter((name) => !others.includes(name))
        .toSorted(),
    )
  })

  test('the checksums hold, and a flipped byte in an artifact breaks them', async () => {
    const check = () => runToEnd(['sha256sum', '-c', '--quiet', 'SHA256SUMS'], { cwd: out })
    assert.deepEqual(await check(), { code: 0, stdout: '', stderr: '' })
    const chart = readFileSync(artifact('-chart.tgz'))
    chart[chart.length >> 1] = (chart[chart.length >> 1] ?? 0) ^ 1
    writeFileSync(artifact('-chart.tgz'), chart)
    const broken = await check()
    assert.deepEqual([broken.code, broken.stdout], [1, 'evenkeel-0.1.0-chart.tgz: FAILED\n'])
  })
})
