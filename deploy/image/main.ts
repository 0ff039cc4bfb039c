/**
 * Makes the image, which pods run and which has every command: `npm run image -- [--ssh] [--reference R] [--out FILE]`. `--ssh` adds an ssh client, for rolls
 * that run as a Job. With `--tree DIR` it writes the files of
 * the image instead, for whoever builds images otherwise (see deploy/image/Containerfile).
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import { clusterImage } from './cluster-image.ts'
import { canStrip, programTree, runtimeTree, toolTree } from './root-tree.ts'
import { sshTree } from './ssh-tree.ts'

const { values } = parseArgs({
  options: {
    ssh: { type: 'boolean', default: false },
    reference: { type: 'string' },
    out: { type: 'string' },
    tree: { type: 'string' },
  },
})

const { ssh, tree } = values
const suffix = ssh ? '-ssh' : ''
const reference = values.reference ?? `evenkeel.local/evenkeel:${manifest.version}${suffix}`
const out = values.out ?? `dist/evenkeel-image${suffix}.tar`

if (!canStrip()) process.stderr.write('without strip (binutils) the image is larger by some five megabytes\n')
if (tree !== undefined) {
  const trees = [await runtimeTree(), await programTree(), await toolTree(), ...(ssh ? [await sshTree()] : [])]
  for (const { path, mode, content } of trees.flat()) {
    const place = join(tree, path)
    if (content === undefined) mkdirSync(place, { recursive: true })
    else writeFileSync(place, content)
    chmodSync(place, mode)
  }
} else {
  const image = await clusterImage(reference, { ssh })
  mkdirSync(dirname(out), { recursive: true })
  writeFileSync(out, image)
  process.stdout.write(`${out}: ${reference}, ${(image.length / 1e6).toFixed(1)} MB\n`)
}
