import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clusterImage } from '../../deploy/image/cluster-image.ts'
import type { Bed } from '../../testbed/bed.ts'
import { nodeDisk } from '../../testbed/rack/plan.ts'

/** Gives every node the image that pods of evenkeel run, under this name. It takes `strip`. */
export async function imageOnBed(bed: Bed, reference: string, options: { readonly ssh?: boolean } = {}): Promise<void> {
  await importImage(bed, await clusterImage(reference, options))
}

/** Gives every node an image, an OCI layout in a tar. */
export async function importImage(bed: Bed, image: Buffer): Promise<void> {
  for (const node of bed.nodes) {
    writeFileSync(join(nodeDisk(bed.dir, node), 'image.tar'), image)
    const place = '/run/evenkeel/disk/image.tar'
    const { code, stderr } = await bed.exec(node, ['ctr', '-n', 'k8s.io', 'images', 'import', place])
    if (code !== 0) throw new Error(`the image was not taken by ${node}: ${stderr}`)
  }
}
