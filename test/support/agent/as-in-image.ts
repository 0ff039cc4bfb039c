import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { ENTRYPOINT } from '../../../deploy/image/root-tree.ts'
import type { Enter } from './agent-place.ts'

const BIN = fileURLToPath(new URL('../../../bin', import.meta.url))
/** A file of this kind awaits nothing at its top. */
const CONTENTS = `import { agentMain } from './agent/agent-main.ts'
void agentMain(process.argv.slice(2)).then((code) => process.exit(code))`

/** Has an agent run as the image has it, as one file and with the same options of Node, but for its kubeconfig. */
export async function asInImage(directory: string): Promise<Enter> {
  const outfile = join(directory, 'agent.cjs')
  const stdin = { contents: CONTENTS, resolveDir: BIN, loader: 'ts' } as const
  await build({ stdin, bundle: true, outfile, format: 'cjs', platform: 'node', target: 'node24' })
  return (argv) => [process.execPath, ...ENTRYPOINT.slice(1, -1), outfile, ...argv.slice(argv.indexOf('--node'))]
}
