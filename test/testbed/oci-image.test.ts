import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { programImage } from '../../testbed/build/program-image.ts'
import { run } from '../../testbed/machine/run.ts'
import { requires } from '../support/requires.ts'

test('an image is a tar of an OCI layout whose blobs have the digests they are named by', requires('tar'), async () => {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-image-'))
  try {
    const image = { reference: 'testbed.local/app:7', program: 'app', binary: Buffer.from('#!not really\n') }
    writeFileSync(join(folder, 'image.tar'), programImage(image))
    await run(['tar', '-xf', 'image.tar'], { cwd: folder })
    const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'))
    assert.equal(index.manifests[0].annotations['io.containerd.image.name'], 'testbed.local/app:7')
    const manifest = JSON.parse(blob(folder, index.manifests[0].digest).toString())
    const config = JSON.parse(blob(folder, manifest.config.digest).toString())
    assert.deepEqual(config.config.Entrypoint, ['/app'])
    assert.deepEqual(config.rootfs.diff_ids, [manifest.layers[0].digest])
    writeFileSync(join(folder, 'layer.tar'), blob(folder, manifest.layers[0].digest))
    assert.match(await run(['tar', '-tvf', 'layer.tar'], { cwd: folder }), /^-rwxr-xr-x 0\/0 +13 .* app$/m)
    assert.equal(await run(['tar', '-xOf', 'layer.tar', 'app'], { cwd: folder }), '#!not really\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

function blob(folder: string, digest: string): Buffer {
  const bytes = readFileSync(join(folder, 'blobs', digest.replace(':', '/')))
  assert.equal(`sha256:${createHash('sha256').update(bytes).digest('hex')}`, digest)
  return bytes
}
