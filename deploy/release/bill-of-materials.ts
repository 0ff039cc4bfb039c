import { run } from '../../testbed/machine/run.ts'
import { nodeVersion } from './node-program.ts'
import { type ReleaseFacts, ROOT } from './release-facts.ts'

/** CycloneDX as npm makes it of the lock file, for what runs: npm packages and Node. Equal commits give equal bytes. */
export async function billOfMaterials({ committedAt }: ReleaseFacts): Promise<string> {
  const words = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--omit', 'dev', '--package-lock-only']
  const { serialNumber: _, ...found } = JSON.parse(await run(['npm', 'sbom', ...words, '--offline'], { cwd: ROOT }))
  const version = nodeVersion()
  const node = {
    type: 'platform',
    'bom-ref': `node@${version}`,
    name: 'node',
    version,
    purl: `pkg:generic/node@${version}`,
  }
  const metadata = { ...found.metadata, timestamp: committedAt }
  const document = { ...found, metadata, components: [...found.components, node] }
  return `${JSON.stringify(document, undefined, 2)}\n`
}
