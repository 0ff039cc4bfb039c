import { createHash } from 'node:crypto'
import { type TarEntry, tar } from './tar.ts'

interface ImageContent {
  /** The full reference, with its tag. */
  readonly reference: string
  /** The lowest first. */
  readonly layers: readonly ImageLayer[]
  readonly entrypoint: readonly string[]
  readonly path: string
  /** `UID:GID`; root where absent. */
  readonly user?: string
}

/** A tar, and the same by gzip where it is to be kept and sent that way. */
export interface ImageLayer {
  readonly tar: Buffer
  readonly gzip?: Buffer
}

interface Blob {
  readonly mediaType: string
  readonly digest: string
  readonly bytes: Buffer
}

/**
 * An image as an OCI layout in a tar (OCI image-spec v1: image-layout, manifest, config). `manifest.json` beside it says
 * the same to programs that read Docker's own form alone. Equal content gives equal bytes.
 */
export function ociImage(content: ImageContent): Buffer {
  const layers = content.layers.map((layer) =>
    layer.gzip === undefined ? blob('layer.v1.tar', layer.tar) : blob('layer.v1.tar+gzip', layer.gzip),
  )
  const config = blob('config.v1+json', json(configOf(content)))
  const manifest = blob(
    'manifest.v1+json',
    json({
      schemaVersion: 2,
      mediaType: mediaType('manifest.v1+json'),
      config: reference(config),
      layers: layers.map(reference),
    }),
  )
  const annotations = {
    'io.containerd.image.name': content.reference,
    'org.opencontainers.image.ref.name': content.reference.slice(content.reference.lastIndexOf(':') + 1),
  }
  const index = json({ schemaVersion: 2, manifests: [{ ...reference(manifest), annotations }] })
  const docker = [{ Config: place(config), RepoTags: [content.reference], Layers: layers.map(place) }]
  return tar([
    file('oci-layout', json({ imageLayoutVersion: '1.0.0' })),
    file('index.json', index),
    file('manifest.json', json(docker)),
    ...[manifest, config, ...layers].map((one) => file(place(one), one.bytes)),
  ])
}

function configOf({ layers, entrypoint, path, user }: ImageContent): object {
  return {
    created: '1970-01-01T00:00:00Z',
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: {
      Entrypoint: entrypoint,
      Env: [`PATH=${path}`],
      WorkingDir: '/',
      ...(user === undefined ? {} : { User: user }),
    },
    rootfs: { type: 'layers', diff_ids: layers.map((layer) => digestOf(layer.tar)) },
  }
}

function blob(kind: string, bytes: Buffer): Blob {
  return { mediaType: mediaType(kind), digest: digestOf(bytes), bytes }
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

function mediaType(kind: string): string {
  return `application/vnd.oci.image.${kind}`
}

function reference({ mediaType, digest, bytes }: Blob): object {
  return { mediaType, digest, size: bytes.length }
}

function place({ digest }: Blob): string {
  return `blobs/${digest.replace(':', '/')}`
}

function file(path: string, content: Buffer): TarEntry {
  return { path, mode: 0o644, content }
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}
