import { readFile } from 'node:fs/promises'
import { CORE_PACKAGES, MORE_PACKAGES_DIR } from '../model/core-packages.ts'
import type { FileReading, KernelsReading, NeedReading, PackagesReading } from '../model/need-reading.ts'
import { BelowRoot, codeOf } from './below-root.ts'
import { installedSince } from './rpm-packages.ts'

interface NeedFilesParts {
  /** Where the files of the machine are mounted, such as /host. */
  readonly root: string
  /** The files to read, by their paths on the machine. */
  readonly paths: readonly string[]
  /** The kernel that runs, as `uname -r` prints it: of the machine, since a pod has no other. */
  readonly kernel: string
  /** Of proc(5): its line `btime` has when the machine booted. */
  readonly procStat: string
}

interface SeenPackages {
  readonly of: string
  readonly reading: PackagesReading
}

/** Reads what shows whether the machine needs a reboot. Writes nothing; what cannot be read is a part of the result. */
export class NeedFiles {
  readonly #parts: NeedFilesParts
  readonly #files: BelowRoot
  #seen: SeenPackages | undefined

  constructor(parts: NeedFilesParts) {
    this.#parts = parts
    this.#files = new BelowRoot(parts.root)
  }

  async read(): Promise<NeedReading> {
    const files = new Map<string, FileReading>()
    for (const path of this.#parts.paths) files.set(path, await this.#files.read(path))
    return {
      families: await this.#families(),
      files,
      kernel: this.#parts.kernel,
      kernels: await this.#kernels(),
      packages: await this.#packages(),
    }
  }

  async #families(): Promise<NeedReading['families']> {
    for (const path of ['/etc/os-release', '/usr/lib/os-release']) {
      const file = await this.#files.read(path)
      if (file.kind === 'there') return [...valuesOf(file.text, 'ID'), ...valuesOf(file.text, 'ID_LIKE')]
    }
    return undefined
  }

  /** A kernel is installed where its modules are there, and an image in /boot or beside them. Only one of both may be mounted. */
  async #kernels(): Promise<KernelsReading> {
    try {
      const modulesDir =
        (await this.#files.list('/usr/lib/modules')) === undefined ? '/lib/modules' : '/usr/lib/modules'
      const modules = await this.#files.list(modulesDir)
      const boot = await this.#files.list('/boot')
      const images = (boot ?? []).flatMap(kernelOfImage)
      if (modules === undefined) {
        return boot === undefined
          ? { kind: 'unknown', text: 'neither /boot nor /lib/modules is mounted' }
          : { kind: 'listed', names: images }
      }
      const names: string[] = []
      for (const name of modules) {
        const isThere = images.includes(name) || (await this.#files.stat(`${modulesDir}/${name}/vmlinuz`)) !== undefined
        if (isThere) names.push(name)
      }
      return { kind: 'listed', names }
    } catch (error) {
      return { kind: 'unknown', text: codeOf(error) }
    }
  }

  async #packages(): Promise<PackagesReading> {
    try {
      const found = await this.#database()
      if (found === undefined) return { kind: 'absent' }
      const bootedAt = await this.#bootedAt()
      if (bootedAt === undefined) return { kind: 'unknown', text: 'it is not known when the machine booted' }
      const info = await this.#files.stat(found.path)
      const wal = await this.#files.stat(`${found.path}-wal`)
      if (found.isSqlite && wal !== undefined && wal.size > 0) return { kind: 'unknown', text: 'rpm is at work' }
      if (info === undefined || info.mtimeMs / 1000 <= bootedAt) return { kind: 'unchanged' }
      if (!found.isSqlite) return { kind: 'unknown', text: `${found.path} was written since the boot: ${OLD_FORM}` }
      const of = `${info.ino} ${info.size} ${info.mtimeMs} ${bootedAt}`
      if (this.#seen?.of !== of) this.#seen = { of, reading: await this.#installed(found.path, bootedAt) }
      return this.#seen.reading
    } catch (error) {
      return { kind: 'unknown', text: `the database of rpm cannot be read: ${codeOf(error)}` }
    }
  }

  async #database(): Promise<{ readonly path: string; readonly isSqlite: boolean } | undefined> {
    for (const name of ['rpmdb.sqlite', 'Packages.db', 'Packages']) {
      for (const dir of ['/usr/lib/sysimage/rpm', '/var/lib/rpm']) {
        const path = `${dir}/${name}`
        if ((await this.#files.stat(path))?.isFile() === true) return { path, isSqlite: name === 'rpmdb.sqlite' }
      }
    }
    return undefined
  }

  async #installed(path: string, sinceSeconds: number): Promise<PackagesReading> {
    const at = await this.#files.place(path)
    if (at === undefined) return { kind: 'absent' }
    const names = installedSince(at, { names: [...CORE_PACKAGES, ...(await this.#namedByPeople())], sinceSeconds })
    return { kind: 'installed', names }
  }

  async #namedByPeople(): Promise<readonly string[]> {
    const names = (await this.#files.list(MORE_PACKAGES_DIR)) ?? []
    const texts: string[] = []
    for (const name of names.filter((one) => one.endsWith('.conf')).slice(0, 50)) {
      const file = await this.#files.read(`${MORE_PACKAGES_DIR}/${name}`)
      if (file.kind === 'there') texts.push(file.text)
    }
    return texts
      .flatMap((text) => text.split('\n'))
      .map((line) => line.trim())
      .filter((line) => line !== '')
  }

  async #bootedAt(): Promise<number | undefined> {
    const [, seconds] = /^btime (\d{1,12})$/m.exec(await readFile(this.#parts.procStat, 'utf8')) ?? []
    return seconds === undefined ? undefined : Number(seconds)
  }
}

const OLD_FORM = 'it is Berkeley DB or ndb, of which only rpm itself can say what was installed'

/** One assignment of os-release(5), quoted or not. */
function valuesOf(text: string, name: string): readonly string[] {
  const [, value = ''] = new RegExp(`^${name}=["']?([^"'\\n]*)["']?\\s*$`, 'm').exec(text) ?? []
  return value.split(' ').filter((word) => word !== '')
}

/** Names of images in /boot: of Debian, RHEL, SUSE (vmlinux-….gz, Image-…) and Gentoo. Copies that package tools leave are none. */
function kernelOfImage(name: string): readonly string[] {
  const [, version] = /^(?:vmlinuz|vmlinux|Image|kernel)-(\d[\w.+~-]*?)(?:\.gz|\.xz|\.zst)?$/.exec(name) ?? []
  if (version === undefined || /^0-rescue-|\.(old|bak|efi|dpkg-\w+|rpm\w+)$/.test(version)) return []
  return [version]
}
