import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Raised when the form of the built folder changes, so that an older build is not taken for a new one. */
const FORM = 'form 1'

/** The folder that holds the Go modules, wherever this tree lies. */
export const sourceFolder = join(import.meta.dirname, '..')

/** The version of Kubernetes, read where Go reads it: the requirement in the module file. */
export function kubernetesVersion(): string {
  const found = /^\s*k8s\.io\/kubernetes (v\S+)$/m.exec(readFileSync(join(sourceFolder, 'go/kube/go.mod'), 'utf8'))
  if (found?.[1] === undefined) throw new Error('testbed/go/kube/go.mod requires no version of k8s.io/kubernetes')
  return found[1]
}

/** Names what a build contains: every Go source with its module files, and the processor it is built for. */
export function sourceHash(): string {
  const hash = createHash('sha256').update(`${FORM} ${process.arch}\n`)
  for (const file of ['go', 'apps'].flatMap((folder) => filesBelow(join(sourceFolder, folder))).sort()) {
    hash
      .update(`${relative(sourceFolder, file)}\n`)
      .update(readFileSync(file))
      .update('\n')
  }
  return hash.digest('hex').slice(0, 16)
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
}
