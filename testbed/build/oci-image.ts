import { createHash } from 'node:crypto'
import { type TarEntry, tar } from './tar.ts'

export interface ImageContent {
  /** The full reference, with its tag. */
  readonly reference: string
  /** Name of the one program: it lies at the root and is the entry point. */
  readonly program: string
  readonly binary: Buffer
}

interface Blob {
  readonly mediaType: string
  readonly digest: string
  readonly bytes: Buffer
}

const FOLDERS = ['etc/', 'proc/', 'sys/', 'dev/']
const PASSWD = 'root:x:0:0::/:/sbin/nologin\nnobody:x:65534:65534::/:/sbin/nologin\n'

/** An image as an OCI layout in a tar (OCI image-spec v1: image-layout, manifest, config), with one plain layer. */
export function ociImage(content: ImageContent): Buffer {
  const layer = blob('layer.v1.tar', layerOf(content))
  const config = blob('config.v1+json', json(configOf(content, layer)))
  const manifest = blob(
    'manifest.v1+json',
    json({
      schemaVersion: 2,
      mediaType: mediaType('manifest.v1+json'),
      config: reference(config),
      layers: [reference(layer)],
    }),
  )
  const annotations = {
    'io.containerd.image.name': content.reference,
    'org.opencontainers.image.ref.name': content.reference.slice(content.reference.lastIndexOf(':') + 1),
  }
  const index = json({ schemaVersion: 2, manifests: [{ ...reference(manifest), annotations }] })
  return tar([
    file('oci-layout', json({ imageLayoutVersion: '1.0.0' })),
    file('index.json', index),
    ...[manifest, config, layer].map(({ digest, bytes }) => file(`blobs/${digest.replace(':', '/')}`, bytes)),
  ])
}

function layerOf({ program, binary }: ImageContent): Buffer {
  return tar([
    ...FOLDERS.map((path): TarEntry => ({ path, mode: 0o755 })),
    { path: 'tmp/', mode: 0o1777 },
    file('etc/passwd', Buffer.from(PASSWD)),
    { path: program, mode: 0o755, content: binary },
  ])
}

function configOf({ program }: ImageContent, layer: Blob): object {
  return {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: { Entrypoint: [`/${program}`], Env: ['PATH=/'], WorkingDir: '/' },
    rootfs: { type: 'layers', diff_ids: [layer.digest] },
  }
}

function blob(kind: string, bytes: Buffer): Blob {
  return { mediaType: mediaType(kind), digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, bytes }
}

function mediaType(kind: string): string {
  return `application/vnd.oci.image.${kind}`
}

function reference({ mediaType, digest, bytes }: Blob): object {
  return { mediaType, digest, size: bytes.length }
}

function file(path: string, content: Buffer): TarEntry {
  return { path, mode: 0o644, content }
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}
