import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type ImageLayer, ociImage } from '../../testbed/build/oci-image.ts'
import { tar } from '../../testbed/build/tar.ts'
import { cachedGzip } from './cached-gzip.ts'
import { ENTRYPOINT, NONROOT, PATH, programTree, runtimeTree } from './root-tree.ts'

/**
 * The image that pods run, from nothing but this machine's Node and libraries. An update is the upper layer alone: some half
 * a million bytes.
 */
export async function clusterImage(reference: string): Promise<Buffer> {
  const runtime = tar(await runtimeTree())
  const program = tar(await programTree())
  const layers: readonly ImageLayer[] = [
    { tar: runtime, gzip: await cachedGzip(runtime) },
    { tar: program, gzip: await promisify(gzip)(program, { level: 9 }) },
  ]
  return ociImage({ reference, layers, entrypoint: ENTRYPOINT, path: PATH, user: NONROOT })
}
