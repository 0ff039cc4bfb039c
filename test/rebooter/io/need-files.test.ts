import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { NeedFiles } from '../../../src/rebooter/io/need-files.ts'
import { installTimeOf } from '../../../src/rebooter/io/rpm-packages.ts'

/** The time at which rpm installed the packages of rpmdb.sqlite.gz: bash, glibc, kernel-core, systemd. */
const INSTALLED_AT = 1_796_026_500

interface Host {
  readonly root: string
  readonly put: (path: string, text?: string | Uint8Array) => Promise<string>
  readonly link: (path: string, target: string) => Promise<void>
  readonly read: (paths?: readonly string[]) => ReturnType<NeedFiles['read']>
  readonly file: (path: string) => Promise<unknown>
}

/** A machine's files below a directory. */
async function aHost(t: TestContext, { bootedAt = INSTALLED_AT - 60 } = {}): Promise<Host> {
  const above = await mkdtemp(join(tmpdir(), 'need-'))
  t.after(() => rm(above, { recursive: true, force: true }))
  const root = join(above, 'host')
  const procStat = join(above, 'stat')
  await mkdir(root)
  await writeFile(procStat, `cpu  1 2 3\nctxt 5\nbtime ${bootedAt}\nprocesses 7\n`)
  const kernel = '6.1.0-30-amd64'
  const files = new NeedFiles({ root, paths: [], kernel, procStat })
  const placed = async (path: string): Promise<string> => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    return join(root, path)
  }
  return {
    root,
    put: async (path, text = '') => {
      const at = await placed(path)
      await writeFile(at, text)
      return at
    },
    link: async (path, target) => symlink(target, await placed(path)),
    read: (paths) => (paths === undefined ? files : new NeedFiles({ root, paths, kernel, procStat })).read(),
    file: async (path) => (await new NeedFiles({ root, paths: [path], kernel, procStat }).read()).files.get(path),
  }
}

const OS_RELEASE = `PRETTY_NAME="SUSE Linux Enterprise Server 15 SP6"
NAME="SLES"
VERSION="15-SP6"
ID="sles"
ID_LIKE="suse"
ANSI_COLOR="0;32"
`

test('a file is there, absent, or not known where its directory is not mounted', async (t) => {
  const { put, file } = await aHost(t)
  await put('/run/reboot-required', '*** System restart required ***\n')
  assert.deepEqual(await file('/run/reboot-required'), {
    kind: 'there',
    text: '*** System restart required ***\n',
    isCut: false,
  })
  assert.deepEqual(await file('/run/reboot-needed'), { kind: 'absent' })
  assert.deepEqual(await file('/run/ostree/staged-deployment'), { kind: 'absent' })
  assert.deepEqual(await file('/opt/mine/file'), { kind: 'unknown', text: '/opt/mine is not mounted' })
})

test('links are followed as the machine follows them, and never out of its files', async (t) => {
  const { root, put, link, file } = await aHost(t)
  await put('/run/reboot-required', 'within')
  await link('/var/run', '/run')
  assert.deepEqual(await file('/var/run/reboot-required'), { kind: 'there', text: 'within', isCut: false })
  await writeFile(join(root, '..', 'secret'), 'outside')
  await link('/run/up', '../../../../../secret')
  await link('/run/absolute', join(root, '..', 'secret'))
  await link('/opt/dir', '/..')
  assert.deepEqual(await file('/run/up'), { kind: 'absent' })
  assert.deepEqual(await file('/run/absolute'), { kind: 'absent' })
  assert.deepEqual(await file('/opt/dir/secret'), { kind: 'absent' })
  await link('/run/one', 'two')
  await link('/run/two', 'one')
  assert.deepEqual(await file('/run/one'), { kind: 'unknown', text: 'ELOOP' })
})

test('a pipe, a directory and a huge file are harmless', { timeout: 10_000 }, async (t) => {
  const { root, put, file } = await aHost(t)
  await put('/run/huge', 'x')
  await truncate(join(root, 'run/huge'), 2 ** 40)
  execFileSync('mkfifo', [join(root, 'run/pipe')])
  await mkdir(join(root, 'run/directory'))
  assert.deepEqual(await file('/run/pipe'), { kind: 'unknown', text: 'it is no regular file' })
  assert.deepEqual(await file('/run/directory'), { kind: 'unknown', text: 'it is no regular file' })
  const huge = (await file('/run/huge')) as { readonly text: string; readonly isCut: boolean }
  assert.deepEqual([huge.text.length, huge.isCut], [65_536, true])
})

test('the system is known by its os-release, also through the usual link', async (t) => {
  const { put, link, read } = await aHost(t)
  assert.equal((await read()).families, undefined)
  await put('/usr/lib/os-release', OS_RELEASE)
  assert.deepEqual((await read()).families, ['sles', 'suse'])
  await link('/etc/os-release', '../usr/lib/os-release')
  assert.deepEqual((await read()).families, ['sles', 'suse'])
})

test('kernels are those with modules and an image: copies, rescue images and what was removed are none', async (t) => {
  const { put, link, read } = await aHost(t)
  assert.deepEqual((await read()).kernels, { kind: 'unknown', text: 'neither /boot nor /lib/modules is mounted' })
  const images = ['vmlinuz-6.1.0-30-amd64', 'vmlinuz-6.1.0-31-amd64', 'vmlinuz-6.1.0-29-amd64', 'vmlinuz.old']
  const others = ['vmlinuz-0-rescue-8d3c0c8b', 'vmlinuz-6.1.0-32-amd64.dpkg-new', 'initrd.img-6.1.0-33-amd64']
  for (const name of [...images, ...others, 'vmlinux-6.4.0-150600.23.7-default.gz']) await put(`/boot/${name}`)
  const suse = '6.4.0-150600.23.7-default'
  assert.deepEqual((await read()).kernels, {
    kind: 'listed',
    names: [suse, '6.1.0-29-amd64', '6.1.0-30-amd64', '6.1.0-31-amd64'],
  })
  for (const name of ['6.1.0-30-amd64', '6.1.0-31-amd64', '6.1.0-32-amd64'])
    await put(`/usr/lib/modules/${name}/modules.dep`)
  await put('/usr/lib/modules/6.10.3-200.fc40.x86_64/vmlinuz')
  await link('/lib', 'usr/lib')
  assert.deepEqual((await read()).kernels, {
    kind: 'listed',
    names: ['6.1.0-30-amd64', '6.1.0-31-amd64', '6.10.3-200.fc40.x86_64'],
  })
})

const database = async (): Promise<Uint8Array> =>
  gunzipSync(await readFile(new URL('rpmdb.sqlite.gz', import.meta.url)))

test('core packages that rpm installed since the boot are found in its own database, which is not changed', async (t) => {
  const { root, put, read } = await aHost(t)
  assert.deepEqual((await read()).packages, { kind: 'absent' })
  const at = await put('/usr/lib/sysimage/rpm/rpmdb.sqlite', await database())
  await utimes(at, INSTALLED_AT, INSTALLED_AT)
  await put('/usr/lib/sysimage/rpm/rpmdb.sqlite-wal')
  const before = await stat(at)
  assert.deepEqual((await read()).packages, { kind: 'installed', names: ['kernel-core', 'glibc', 'systemd'] })
  await put('/etc/dnf/plugins/needs-restarting.d/mine.conf', 'bash\nabsent\n')
  assert.deepEqual((await read([])).packages, { kind: 'installed', names: ['kernel-core', 'glibc', 'systemd', 'bash'] })
  const after = await stat(at)
  assert.deepEqual([after.mtimeMs, after.size], [before.mtimeMs, before.size])
  await put('/usr/lib/sysimage/rpm/rpmdb.sqlite-wal', 'x')
  assert.deepEqual((await read()).packages, { kind: 'unknown', text: 'rpm is at work' })
  await rm(join(root, 'usr/lib/sysimage/rpm/rpmdb.sqlite-wal'))
  await put('/usr/lib/sysimage/rpm/rpmdb.sqlite', 'no database')
  assert.match(
    JSON.stringify((await read()).packages),
    /"unknown","text":"the database of rpm cannot be read: ERR_SQLITE/,
  )
})

test('what rpm installed before the boot needs no reboot', async (t) => {
  const { put, read } = await aHost(t, { bootedAt: INSTALLED_AT + 60 })
  const at = await put('/var/lib/rpm/rpmdb.sqlite', await database())
  await utimes(at, INSTALLED_AT, INSTALLED_AT)
  assert.deepEqual((await read()).packages, { kind: 'unchanged' })
  await utimes(at, INSTALLED_AT + 120, INSTALLED_AT + 120)
  assert.deepEqual((await read()).packages, { kind: 'installed', names: [] })
})

test('of the databases that only rpm reads, it is known that nothing was written since the boot, and no more', async (t) => {
  const { put, read } = await aHost(t)
  const at = await put('/var/lib/rpm/Packages', 'Berkeley DB')
  await utimes(at, INSTALLED_AT - 120, INSTALLED_AT - 120)
  assert.deepEqual((await read()).packages, { kind: 'unchanged' })
  await utimes(at, INSTALLED_AT, INSTALLED_AT)
  assert.deepEqual((await read()).packages, {
    kind: 'unknown',
    text: '/var/lib/rpm/Packages was written since the boot: it is Berkeley DB or ndb, of which only rpm itself can say what was installed',
  })
})

test('a header that lies about its sizes has no time', () => {
  const header = (words: readonly number[]): Uint8Array => {
    const bytes = Buffer.alloc(words.length * 4)
    words.forEach((word, i) => void bytes.writeUInt32BE(word, i * 4))
    return bytes
  }
  assert.equal(installTimeOf(header([1, 4, 1008, 4, 0, 1, 77])), 77)
  assert.equal(installTimeOf(header([1, 4, 1008, 4, 4, 1, 77])), undefined)
  assert.equal(installTimeOf(header([1, 4, 1008, 4, 0xffff_fff0, 1, 77])), undefined)
  assert.equal(installTimeOf(header([0xffff_ffff, 4, 1008])), undefined)
  assert.equal(installTimeOf(header([1, 4, 1009, 4, 0, 1, 77])), undefined)
  assert.equal(installTimeOf(new Uint8Array(3)), undefined)
})
