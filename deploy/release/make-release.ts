import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { tar } from '../../testbed/build/tar.ts'
import { clusterImage } from '../image/cluster-image.ts'
import { billOfMaterials } from './bill-of-materials.ts'
import { chartTar, plainYamlTar } from './deploy-archives.ts'
import { executable } from './executable.ts'
import { krewManifest } from './krew-manifest.ts'
import { manTar } from './man-pages.ts'
import type { Arch } from './node-program.ts'
import { npmPackage } from './npm-package.ts'
import { provenance } from './provenance.ts'
import { bundled, type ReleaseFacts, ROOT } from './release-facts.ts'
import { digestsIn, SUMS_FILE, sha256, sumsText } from './sha256-sums.ts'
import { thirdPartyLicenses } from './third-party-licenses.ts'

interface ReleaseParts {
  readonly facts: ReleaseFacts
  /** Is made anew. */
  readonly out: string
  /** Where people will fetch the artifacts from: the manifest for krew names it. */
  readonly baseUrl: string
  /** Who makes it: a URI, for the provenance. */
  readonly builder: string
  readonly arches: readonly Arch[]
  /** The terms of Node, which is in each executable. */
  readonly nodeLicense: string
  /** 9 is smallest. */
  readonly gzipLevel: number
}

const zipped = promisify(gzip)

/** Every artifact of a release, of one commit and with one version. */
export async function makeRelease(parts: ReleaseParts): Promise<void> {
  const { facts, out, baseUrl, builder, arches, gzipLevel } = parts
  const { version } = facts
  const work = mkdtempSync(join(tmpdir(), 'evenkeel-release-'))
  const write = (name: string, content: string | Buffer): void => writeFileSync(join(out, name), content)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  try {
    await npmPackage(out, work)
    const single = join(work, 'evenkeel.cjs')
    const packages = await bundled(['--single', single])
    const licenses = `Node.js\n\n${parts.nodeLicense}\n${'-'.repeat(80)}\n\n${thirdPartyLicenses(packages)}`
    const archives: { readonly arch: Arch; readonly uri: string; readonly sha256: string }[] = []
    for (const arch of arches) {
      const place = join(out, `evenkeel-${version}-linux-${arch}`)
      await executable(place, { arch, single, work })
      const archive = await zipped(executableTar(place, licenses), { level: gzipLevel })
      write(`evenkeel-${version}-linux-${arch}.tar.gz`, archive)
      archives.push({ arch, uri: `${baseUrl}/evenkeel-${version}-linux-${arch}.tar.gz`, sha256: sha256(archive) })
    }
    const image = `evenkeel.local/evenkeel:${version}`
    write(`evenkeel-${version}-image-${process.arch}.tar`, await clusterImage(image))
    write(`evenkeel-${version}-image-ssh-${process.arch}.tar`, await clusterImage(`${image}-ssh`, { ssh: true }))
    write(`evenkeel-${version}-chart.tgz`, await zipped(chartTar(version), { level: 9 }))
    write(`evenkeel-${version}-yaml.tar.gz`, await zipped(plainYamlTar(version), { level: 9 }))
    write(`evenkeel-${version}-man.tar.gz`, await zipped(await manTar(facts), { level: 9 }))
    write(`evenkeel-${version}-krew.yaml`, krewManifest(version, archives))
    write(`evenkeel-${version}-sbom.cdx.json`, await billOfMaterials(facts, packages))
    copyFileSync(`${ROOT}CHANGELOG.md`, join(out, 'CHANGELOG.md'))
    const subjects = digestsIn(out)
    const proof = await provenance({ facts, builder, arches, subjects })
    write(`evenkeel-${version}-provenance.json`, proof)
    write(SUMS_FILE, sumsText(digestsIn(out)))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The executable is Node with packages inside, so their terms go with it. */
const executableTar = (place: string, licenses: string): Buffer =>
  tar([
    { path: 'LICENSE', mode: 0o644, content: readFileSync(`${ROOT}LICENSE`) },
    { path: 'THIRD-PARTY-LICENSES.txt', mode: 0o644, content: Buffer.from(licenses) },
    { path: 'evenkeel', mode: 0o755, content: readFileSync(place) },
  ])
