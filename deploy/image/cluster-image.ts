import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type ImageLayer, ociImage } from '../../testbed/build/oci-image.ts'
import { tar } from '../../testbed/build/tar.ts'
import { cachedGzip } from './cached-gzip.ts'
import { ENTRYPOINT, NONROOT, PATH, programTree, runtimeTree, toolTree } from './root-tree.ts'
import { sshTree } from './ssh-tree.ts'

interface ImageOptions {
  readonly ssh?: boolean
}

/**
 * The image that pods run, from nothing but this machine's Node and libraries. An update is the two upper layers: some two
 * million bytes, most of them the tool. `ssh`: a layer more, for a roll that reboots its nodes by ssh; no agent needs it.
 */
export async function clusterImage(reference: string, { ssh = false }: ImageOptions = {}): Promise<Buffer> {
  const runtime = tar(await runtimeTree())
  const upper = [tar(await programTree()), tar(await toolTree()), ...(ssh ? [tar(await sshTree())] : [])]
  const layers: readonly ImageLayer[] = [
    { tar: runtime, gzip: await cachedGzip(runtime) },
    ...(await Promise.all(
      upper.map(async (layer) => ({ tar: layer, gzip: await promisify(gzip)(layer, { level: 9 }) })),
    )),
  ]
  return ociImage({ reference, layers, entrypoint: ENTRYPOINT, path: PATH, user: NONROOT })
}
