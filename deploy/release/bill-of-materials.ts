import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../testbed/machine/run.ts'
import { nodeVersion } from './node-program.ts'
import { type ReleaseFacts, ROOT } from './release-facts.ts'

interface Bill {
  readonly serialNumber?: string
  readonly metadata: object
  readonly components: readonly { readonly 'bom-ref': string }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/**
 * CycloneDX as npm makes it of the lock file, of the packages that are in the bundle, and of Node. npm's own choice of what runs leaves
 * out some of them, and names others that the bundler dropped. Equal commits give equal bytes.
 */
export async function billOfMaterials(facts: ReleaseFacts, folders: readonly string[]): Promise<string> {
  const words = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only', '--offline']
  const { serialNumber: _, ...all }: Bill = JSON.parse(await run(['npm', 'sbom', ...words], { cwd: ROOT }))
  const inBundle = new Set(folders.map(nameAndVersion))
  const components = all.components.filter((component) => inBundle.has(component['bom-ref']))
  const lacking = [...inBundle].filter((ref) => !components.some((component) => component['bom-ref'] === ref))
  if (lacking.length > 0) throw new Error(`the lock file does not have what is in the bundle: ${lacking.join(', ')}`)
  const version = nodeVersion()
  const node = {
    type: 'platform',
    'bom-ref': `node@${version}`,
    name: 'node',
    version,
    purl: `pkg:generic/node@${version}`,
  }
  const known = new Set([...inBundle, `evenkeel@${facts.version}`])
  const document = {
    ...all,
    metadata: { ...all.metadata, timestamp: facts.committedAt },
    components: [...components, node],
    dependencies: all.dependencies
      .filter(({ ref }) => known.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => known.has(one)) })),
  }
  return `${JSON.stringify(document, undefined, 2)}\n`
}

function nameAndVersion(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))
  return `${name}@${version}`
}
