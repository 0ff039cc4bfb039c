/**
 * Makes the image, which pods run and which has every command: `npm run image -- [--reference R] [--out FILE]`. With `--tree DIR` it writes the files of
 * the image instead, for whoever builds images otherwise (see deploy/image/Containerfile).
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import { clusterImage } from './cluster-image.ts'
import { canStrip, programTree, runtimeTree, toolTree } from './root-tree.ts'

const { values } = parseArgs({
  options: {
    reference: { type: 'string', default: `evenkeel.local/evenkeel:${manifest.version}` },
    out: { type: 'string', default: 'dist/evenkeel-image.tar' },
    tree: { type: 'string' },
  },
})

if (!canStrip()) process.stderr.write('without strip (binutils) the image is larger by some five megabytes\n')
if (values.tree !== undefined) {
  for (const { path, mode, content } of [...(await runtimeTree()), ...(await programTree()), ...(await toolTree())]) {
    const place = join(values.tree, path)
    if (content === undefined) mkdirSync(place, { recursive: true })
    else writeFileSync(place, content)
    chmodSync(place, mode)
  }
} else {
  const image = await clusterImage(values.reference)
  mkdirSync(dirname(values.out), { recursive: true })
  writeFileSync(values.out, image)
  process.stdout.write(`${values.out}: ${values.reference}, ${(image.length / 1e6).toFixed(1)} MB\n`)
}
